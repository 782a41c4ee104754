"""Charts as tables: a row for each category, a column for each series. Diagrams (SmartArt) as lists of their texts."""

from __future__ import annotations

from typing import Any

from withgrain.parse.office.package import Package, Relation, attribute, child, local, number
from withgrain.parse.rendered import Cell, Writer

#: Points and series of a chart beyond these numbers are left out, with a notice.
MAX_POINTS = 10_000
MAX_SERIES = 200


def write_graphic(writer: Writer, package: Package, element: Any, relations: dict[str, Relation]) -> bool:
    """Write the first chart or diagram that a drawing refers to; return whether there is one."""
    for inner in element.iter():
        name = local(inner)
        if name in ("chart", "relIds"):
            relation = relations.get(attribute(inner, "id" if name == "chart" else "dm") or "")
            root = package.xml_if(relation.target) if relation is not None and not relation.external else None
            (write_chart if name == "chart" else write_diagram)(writer, root)
            return True
    return False


def write_chart(writer: Writer, root: Any) -> None:
    """Write the data of a chart as a table under its title; nothing when there are none."""
    if root is None:
        return
    series = [e for e in root.iter() if local(e) == "ser"]
    titles = [e for e in root.iter() if local(e) == "title"]
    words = [text for text in map(_words, titles) if text]
    names = [_name(child(one, "tx")) for one in series[:MAX_SERIES]]
    labels: dict[int, str] = {}
    values = []
    for one in series[:MAX_SERIES]:
        for place, label in _points(child(one, "cat") if child(one, "cat") is not None else child(one, "xVal")).items():
            labels.setdefault(place, label)
        values.append(_points(child(one, "val") if child(one, "val") is not None else child(one, "yVal")))
    caption = " · ".join(dict.fromkeys(words))
    places = sorted({*labels, *(place for column in values for place in column)})
    if not places:
        if caption:
            writer.paragraph(caption)
        return
    if len(places) > MAX_POINTS or len(series) > MAX_SERIES:
        writer.notice("too_large", "A chart is read in part: it has too many points or series.")
    head = ["", *names]
    rows = [[labels.get(place, str(place + 1)), *(column.get(place, "") for column in values)] for place in places]
    writer.table([[Cell(content=text) for text in row] for row in [head, *rows[:MAX_POINTS]]], caption=caption or None)


def write_diagram(writer: Writer, root: Any) -> None:
    """Write the texts of a diagram as a list in the order of its file."""
    points = [e for e in root.iter() if local(e) == "pt"] if root is not None else []
    texts = [text for text in map(_words, points) if text]
    if len(texts) == 1:
        writer.paragraph(texts[0])
    elif texts:
        writer.begin_list()
        for text in texts:
            writer.begin_item()
            writer.paragraph(text)
            writer.end()
        writer.end()


def _name(element: Any) -> str:
    """Return the name of a series."""
    if element is None:
        return ""
    return " ".join(_points(element).values()) or next((e.text or "" for e in element.iter() if local(e) == "v"), "")


def _points(element: Any) -> dict[int, str]:
    """Return the cached points by their index; labels of several levels are joined, the outermost first."""
    found: dict[int, str] = {}
    levels = [e for e in element.iter() if local(e) == "lvl"] if element is not None else []
    for holder in levels or ([element] if element is not None else []):
        for point in (e for e in holder.iter() if local(e) == "pt"):
            text = " ".join((child(point, "v").text or "").split()) if child(point, "v") is not None else ""
            place = number(attribute(point, "idx"))
            if text:
                found[place] = f"{text} / {found[place]}" if place in found else text
    return found


def _words(element: Any) -> str:
    """Return the text that an element shows, its paragraphs and lines apart."""
    lines = [
        " ".join("".join(t.text or "" for t in p.iter() if local(t) == "t").split())
        for p in element.iter()
        if local(p) == "p"
    ]
    return " ".join(line for line in lines if line)
