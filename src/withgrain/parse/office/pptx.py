"""PPTX: each slide a section with its title, text, tables, charts and speaker notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from withgrain.model import Document, Source
from withgrain.parse.office.charts import write_graphic
from withgrain.parse.office.package import Package, Relation, attribute, child, local, number
from withgrain.parse.rendered import Cell, Inline, Writer

#: Placeholders that belong to the slide and not to its content.
_CHROME = frozenset({"sldNum", "ftr", "dt", "hdr"})
_TITLES = frozenset({"title", "ctrTitle"})
MAX_SLIDES = 5_000
_MAX_DEPTH = 20


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of a slide: its element, the kind of its placeholder, and where it stands."""

    element: Any
    kind: str
    y: int
    x: int


def parse_pptx(data: bytes, source: Source) -> Document:
    """Parse a PPTX file; the page of a block is the number of its slide.

    Raises:
        DocumentError: Encrypted, damaged, too large or hostile.
        MissingExtra: The extra ``office`` is not installed.
    """
    package = Package(data, "PPTX")
    main = package.main("ppt/presentation.xml")
    relations = package.relations(main)
    writer = Writer()
    properties = package.properties()
    writer.meta.update({k: v for k, v in properties.items() if k != "title"})
    names = []
    listed = child(package.xml(main), "sldIdLst")
    for entry in listed if listed is not None else ():
        identity = next((v for k, v in entry.attrib.items() if k.endswith("}id")), "")
        if identity in relations and package.has(relations[identity].target):
            names.append(relations[identity].target)
    if len(names) > MAX_SLIDES:
        writer.notice("too_large", f"Only the first {MAX_SLIDES:,} of {len(names):,} slides are read.")
    for index, name in enumerate(names[:MAX_SLIDES], 1):
        _slide(writer, package, name, index)
    embedded = package.embedded("ppt")
    if embedded:
        writer.notice("attachments", embedded)
    return writer.document(source, title=properties.get("title", ""))


def _slide(writer: Writer, package: Package, name: str, index: int) -> None:
    root = package.xml_if(name)
    if root is None:
        writer.notice("damaged_slide", f"Slide {index} cannot be read.")
        return
    writer.page = index
    writer.origin = f"slide {index}"
    if attribute(root, "show") in ("0", "false"):
        writer.notice("hidden_slide", f"Slide {index} is hidden; it is read like the others.")
    relations = package.relations(name)
    shapes = list(_shapes(child(child(root, "cSld"), "spTree"), 0))
    title = next((s for s in shapes if s.kind in _TITLES), None)
    text = _plain(title.element) if title else ""
    writer.heading(text or f"Slide {index}", 1, anchor=f"slide-{index}")
    for shape in shapes:
        if shape is title:
            continue
        if shape.kind in _CHROME:
            chrome = _plain(shape.element)
            if chrome:
                writer.drop("running_footer", chrome)
            continue
        framed = local(shape.element) == "graphicFrame"
        if not (framed and write_graphic(writer, package, shape.element, relations)):
            _shape(writer, shape.element, relations)
    for relation in relations.values():
        if relation.kind == "comments" and not relation.external:
            _leave_comments_out(writer, package.xml_if(relation.target))
    notes = next((r.target for r in relations.values() if r.kind == "notesSlide"), "")
    if notes:
        _notes(writer, package.xml_if(notes), relations)


def _leave_comments_out(writer: Writer, root: Any) -> None:
    for comment in (e for e in root.iter() if local(e) == "cm") if root is not None else ():
        words = " ".join("".join(t.text or "" for t in comment.iter() if local(t) in ("t", "text")).split())
        if words:
            writer.drop("comment", words)
            writer.notice("comments", "Comments on slides are left out.")


def _shapes(tree: Any, depth: int) -> Iterator[Shape]:
    """Yield the shapes of a slide in the order of the file, those of groups in their place."""
    if tree is None or depth > _MAX_DEPTH:
        return
    for element in tree:
        name = local(element)
        if name == "grpSp":
            yield from _shapes(element, depth + 1)
        elif name in ("sp", "graphicFrame", "pic"):
            holder = next((e for e in element.iter() if local(e) == "ph"), None)
            kind = "" if holder is None else attribute(holder, "type") or "body"
            yield Shape(element, kind, 0, 0)
        elif name == "AlternateContent":
            yield from _shapes(child(element, "Choice"), depth + 1)


def _shape(writer: Writer, element: Any, relations: dict[str, Relation]) -> None:
    table = next((e for e in element.iter() if local(e) == "tbl"), None)
    if table is not None:
        _table(writer, table, relations)
        return
    body = child(element, "txBody")
    if body is not None:
        _paragraphs(writer, body, relations)
        return
    picture = next((e for e in element.iter() if local(e) == "cNvPr"), None)
    described = attribute(picture, "descr") if picture is not None else ""
    if described:
        writer.figure(described)


def _paragraphs(writer: Writer, body: Any, relations: dict[str, Relation]) -> None:
    """Write the paragraphs of a shape: several are a list by their levels, one alone is text."""
    paragraphs = [p for p in body if local(p) == "p"]
    told = [(p, _inline(p, relations)) for p in paragraphs]
    told = [(p, inline) for p, inline in told if inline]
    depth = 0
    if len(told) == 1:
        writer.paragraph(told[0][1])
        return
    for paragraph, inline in told:
        properties = child(paragraph, "pPr")
        level = min(number(None if properties is None else attribute(properties, "lvl")), 8) + 1
        numbered = child(properties, "buAutoNum") is not None
        while depth > level:
            writer.end()
            writer.end()
            depth -= 1
        if depth == level:
            writer.end()
        while depth < level:
            if depth and depth + 1 < level:
                level = depth + 1
            writer.begin_list(ordered=numbered)
            depth += 1
        writer.begin_item()
        writer.paragraph(inline)
    for _ in range(depth):
        writer.end()
        writer.end()


def _inline(paragraph: Any, relations: dict[str, Relation]) -> Inline:
    inline = Inline()
    for element in paragraph:
        name = local(element)
        if name in ("r", "fld"):
            link = child(child(element, "rPr"), "hlinkClick")
            identity = "" if link is None else next((v for k, v in link.attrib.items() if k.endswith("}id")), "")
            target = relations[identity].target if identity in relations and relations[identity].external else ""
            text = child(element, "t")
            if target:
                inline.begin_link(target)
            inline.text("" if text is None else text.text or "")
            if target:
                inline.end_link()
        elif name == "br":
            inline.line_break()
        elif name == "m":
            inline.text(_plain(element))
    return inline


def _table(writer: Writer, table: Any, relations: dict[str, Relation]) -> None:
    rows = []
    for row in (e for e in table if local(e) == "tr"):
        cells = []
        for cell in (e for e in row if local(e) == "tc"):
            if attribute(cell, "hMerge") in ("1", "true") or attribute(cell, "vMerge") in ("1", "true"):
                continue
            inline = Inline()
            for paragraph in (e for e in cell.iter() if local(e) == "p"):
                if inline:
                    inline.line_break()
                part = _inline(paragraph, relations)
                inline.text(part.plain)
            wide = min(max(number(attribute(cell, "gridSpan"), 1), 1), 1_000)
            high = min(max(number(attribute(cell, "rowSpan"), 1), 1), 1_000)
            cells.append(Cell(content=inline, columns=wide, rows=high))
        rows.append(cells)
    writer.table(rows)


def _notes(writer: Writer, root: Any, relations: dict[str, Relation]) -> None:
    if root is None:
        return
    shapes = [s for s in _shapes(child(child(root, "cSld"), "spTree"), 0) if s.kind == "body"]
    if not any(_plain(s.element) for s in shapes):
        return
    writer.begin_admonition("note", "Speaker notes")
    for shape in shapes:
        body = child(shape.element, "txBody")
        for paragraph in (p for p in (body if body is not None else ()) if local(p) == "p"):
            writer.paragraph(_inline(paragraph, relations))
    writer.end()


def _plain(element: Any) -> str:
    texts = [" ".join(t.text or "" for t in p.iter() if local(t) == "t") for p in element.iter() if local(p) == "p"]
    return " ".join(" ".join(texts).split())
