"""Spreadsheets: each sheet a section; its cells are laid out by `withgrain.parse.office.sheet`."""

from __future__ import annotations

import io
import re
import zipfile

from withgrain.errors import DocumentError, MissingExtra
from withgrain.model import Document, Source
from withgrain.parse.office.beside import Beside, read_beside
from withgrain.parse.office.charts import write_chart
from withgrain.parse.office.package import Package, refuse_document_type
from withgrain.parse.office.sheet import Sheet, column_number
from withgrain.parse.rendered import Writer

#: A sheet whose used area holds more cells than this is refused: one cell in the far corner makes billions.
MAX_AREA = 5_000_000

_LOOSE = re.compile(rb"<v>(?=\s|[^<\s]{1,40}\s)\s{0,20}([-+.\dEe]{1,40})\s{0,20}</v>")
_REFERENCE = re.compile(rb'<(?:\w+:)?c\b[^>]{0,200}?\br="([A-Z]{1,3})(\d{1,7})"')


def parse_xlsx(data: bytes, source: Source) -> Document:
    """Parse an XLSX workbook: values as they are stored, dates in ISO 8601, comments left out and reported.

    Raises:
        DocumentError: Encrypted, damaged, or a sheet with a cell too far away.
        MissingExtra: The extra ``office`` is not installed.
    """
    try:
        import python_calamine as calamine
    except ImportError:
        raise MissingExtra("office", need="spreadsheets") from None
    package = Package(data, "XLSX")
    _check_area(package)
    properties = package.properties()
    try:
        workbook = calamine.CalamineWorkbook.from_filelike(io.BytesIO(_tidied(data, package)))
        names = list(workbook.sheet_names)
        states = {sheet.name: str(sheet.visible) for sheet in workbook.sheets_metadata}
    except (calamine.CalamineError, ValueError, OSError) as error:
        raise DocumentError(f"The workbook is damaged: {error}.", kind="damaged") from None
    writer = Writer()
    writer.meta.update({k: v for k, v in properties.items() if k != "title"})
    beside = read_beside(package)
    for name in names:
        try:
            sheet = workbook.get_sheet_by_name(name)
            rows = sheet.to_python(skip_empty_area=False)
            merged = getattr(sheet, "merged_cell_ranges", None) or []
        except (calamine.CalamineError, ValueError, OSError) as error:
            writer.notice("damaged_sheet", f'The sheet "{name}" cannot be read: {error}.')
            continue
        if states.get(name, "").rpartition(".")[2].lower() not in ("visible", ""):
            writer.notice("hidden_sheet", f'The sheet "{name}" is hidden; it is read like the others.')
        own = beside.get(name, Beside())
        Sheet(name, rows, merged, own).write(writer)
        for text in own.boxes:
            writer.paragraph(text)
        for chart in own.charts:
            write_chart(writer, package.xml_if(chart))
    embedded = package.embedded("xl")
    if embedded:
        writer.notice("attachments", embedded)
    return writer.document(source, title=properties.get("title", ""))


def _tidied(data: bytes, package: Package) -> bytes:
    """Return the workbook without white space around numbers: some programs write it, the library stumbles over it."""
    parts = {part: package.read(part) for part in package.names("xl/worksheets/") if part.endswith(".xml")}
    if not any(_LOOSE.search(content) for content in parts.values()):
        return data
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as tidy:
        for name in given.namelist():
            known = parts.get(name.lstrip("/").lower())
            tidy.writestr(name, given.read(name) if known is None else _LOOSE.sub(rb"<v>\1</v>", known))
    return buffer.getvalue()


def _check_area(package: Package) -> None:
    """Refuse sheets whose used area is too large, before a library makes room for it; and what declares entities."""
    for part in ("xl/workbook.xml", "xl/sharedstrings.xml", "xl/styles.xml"):
        if package.has(part):
            refuse_document_type(package.read(part), part)
    for part in package.names("xl/worksheets/"):
        if not part.endswith(".xml"):
            continue
        wide = high = 0
        far = ""
        content = package.read(part)
        refuse_document_type(content, part)
        for match in _REFERENCE.finditer(content):
            column, row = column_number(match[1].decode()), int(match[2])
            if column > wide or row > high:
                far = (match[1] + match[2]).decode()
            wide, high = max(wide, column), max(high, row)
        if wide * high > MAX_AREA:
            raise DocumentError(
                f'The sheet in "{part}" spans {wide * high:,} cells (one stands at {far}); at most {MAX_AREA:,} are '
                "read. Delete the far cells and save the workbook again.",
                kind="too_large",
            )
