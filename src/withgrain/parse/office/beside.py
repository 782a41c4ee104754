"""What a sheet holds beside the values of its cells: errors, links, comments, charts, text boxes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from withgrain.parse.office.package import Package, Relation, attribute, child, local

_ERROR = re.compile(
    rb'<(?:\w+:)?c\b(?=[^>]{0,200}\bt="e")[^>]{0,200}?\br="([A-Z]{1,3}\d{1,7})"[^>]{0,200}>'
    rb"(?:(?!</(?:\w+:)?c>).){0,400}?<(?:\w+:)?v>([^<]{1,20})<",
    re.DOTALL,
)
_LINK = re.compile(rb"<(?:\w+:)?hyperlink\b[^>]{0,4000}>")
_ATTRIBUTE = re.compile(rb'([\w:]+)="([^"]*)"')
#: A formula without the result that a spreadsheet program stores with it: a program that does not calculate wrote it.
_UNCALCULATED = re.compile(
    rb"<(?:\w+:)?c\b([^<>]{0,400}+)>\s{0,20}<(?:\w+:)?f\b[^<>]{0,500}+(?:(?<=/)>|(?<!/)>[^<]{0,9000}+</(?:\w+:)?f>)"
    rb"\s{0,20}(?:<(?:\w+:)?v\s{0,9}/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s{0,20}</(?:\w+:)?c>"
)
#: Links of a sheet beyond this number are left out.
MAX_LINKS = 20_000


@dataclass(slots=True)
class Beside:
    """What a sheet holds beside its values.

    Attributes:
        errors: Name of a cell ("B4") -> the error that it shows ("#N/A").
        links: Name of a cell -> address that it links to.
        comments: Name of a cell -> its comment.
        charts: Names of the parts of its charts.
        boxes: Paragraphs of its text boxes and shapes.
        uncalculated: Names of the cells whose formula has no stored result.
    """

    errors: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    charts: list[str] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)
    uncalculated: list[str] = field(default_factory=list)


def read_beside(package: Package) -> dict[str, Beside]:
    """Return it for each sheet by its name."""
    main = package.main("xl/workbook.xml")
    relations = package.relations(main)
    listed = child(package.xml_if(main), "sheets")
    found = {}
    for entry in listed if listed is not None else ():
        relation = relations.get(next((v for k, v in entry.attrib.items() if k.endswith("}id")), ""))
        if relation is not None and package.has(relation.target):
            found[attribute(entry, "name") or ""] = _sheet(package, relation.target)
    return found


def _sheet(package: Package, part: str) -> Beside:
    own = Beside()
    content = package.read(part)
    relations = package.relations(part)
    if b't="e"' in content:
        own.errors = {m[1].decode(): m[2].decode("utf-8", "replace") for m in _ERROR.finditer(content)}
    own.uncalculated = [name for m in _UNCALCULATED.finditer(content) if (name := _without_result(m[1]))]
    for match in _LINK.finditer(content):
        if len(own.links) < MAX_LINKS:
            _link(own, match[0], relations)
    for relation in relations.values():
        if relation.kind in ("comments", "threadedComment") and not relation.external:
            _comments(own, package, relation.target)
        elif relation.kind == "drawing":
            inner = package.relations(relation.target).values()
            own.charts += [r.target for r in inner if r.kind == "chart" and not r.external]
            own.boxes += _boxes(package, relation.target)
    return own


def _without_result(attributes: bytes) -> str:
    """Return the name of a cell whose formula has no result; "" where the result is an empty text."""
    given = {m[1].decode(): m[2].decode("utf-8", "replace") for m in _ATTRIBUTE.finditer(attributes)}
    return "" if given.get("t") == "str" else given.get("r", "")


def _boxes(package: Package, part: str) -> list[str]:
    """Return the paragraphs of the shapes of a drawing, each once: older programs get a second version of some."""
    root = package.xml_if(part)
    bodies = [e for e in root.iter() if local(e) == "txBody"] if root is not None else []
    paragraphs = [
        "".join(t.text or "" for t in p.iter() if local(t) == "t") for b in bodies for p in b if local(p) == "p"
    ]
    return list(dict.fromkeys(" ".join(text.split()) for text in paragraphs if text.strip()))


def _link(own: Beside, tag: bytes, relations: dict[str, Relation]) -> None:
    given = {m[1].decode(): m[2].decode("utf-8", "replace") for m in _ATTRIBUTE.finditer(tag)}
    relation = relations.get(given.get("r:id", ""))
    place = given.get("location", "")
    target = (relation.target if relation else "") + (f"#{place}" if place else "")
    first = given.get("ref", "").partition(":")[0]
    if first and target:
        own.links[first] = target


def _comments(own: Beside, package: Package, part: str) -> None:
    root = package.xml_if(part)
    for element in root.iter() if root is not None else ():
        if local(element) in ("comment", "threadedComment"):
            words = " ".join("".join(t.text or "" for t in element.iter() if local(t) in ("t", "text")).split())
            place = attribute(element, "ref") or ""
            if words and words not in own.comments.get(place, ""):
                own.comments[place] = f"{own.comments.get(place, '')} {words}".strip()
