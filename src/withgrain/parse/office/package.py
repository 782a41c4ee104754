"""The zip package of an office document: parts, relations and properties, each under a bound.

Nothing is extracted to disk, no entity is resolved and nothing outside the package is opened.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from dataclasses import dataclass
from typing import Any

from withgrain.errors import DocumentError, MissingExtra

#: Parts that a package may have, bytes of one part and of all that are read, opening and closing tags of a part.
MAX_PARTS = 20_000
MAX_PART = 96_000_000
MAX_TOTAL = 256_000_000
MAX_TAGS = 3_000_000

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of a part: what it points to, and whether that is outside the package."""

    kind: str
    target: str
    external: bool


class Package:
    """A zipped office document."""

    def __init__(self, data: bytes, what: str) -> None:
        """Open the package; ``what`` names the format in errors.

        Raises:
            DocumentError: No zip package, encrypted, damaged or too large.
        """
        self._what = what
        if data[:8] == _OLE:
            raise DocumentError(
                f"The file is encrypted, or of the old binary format; save it as {what} without a password.",
                kind="encrypted",
            )
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            names = self._zip.namelist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise DocumentError(f"The file is no {what} document, or is damaged: {error}.", kind="damaged") from None
        if len(names) > MAX_PARTS:
            raise DocumentError(
                f"The package has {len(names):,} parts; at most {MAX_PARTS:,} are read.", kind="too_large"
            )
        self._names = {name.lstrip("/").lower(): name for name in names}
        self._read = 0

    def has(self, name: str) -> bool:
        """Return whether the package has a part."""
        return name.lower() in self._names

    def names(self, prefix: str) -> list[str]:
        """Return the parts whose name begins so, sorted by the number in it, then by name."""
        found = [name for name in self._names if name.startswith(prefix)]
        return sorted(found, key=lambda name: (int("0" + "".join(c for c in name if c.isdigit())[:9]), name))

    def read(self, name: str) -> bytes:
        """Return the bytes of a part.

        Raises:
            DocumentError: It is missing, damaged, encrypted, or larger than the bounds.
        """
        real = self._names.get(name.lower())
        if real is None:
            raise DocumentError(f'The {self._what} document has no part "{name}": it is damaged.', kind="damaged")
        try:
            with self._zip.open(real) as part:
                data = part.read(MAX_PART + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError) as error:
            kind = "encrypted" if "encrypted" in str(error) else "damaged"
            raise DocumentError(f'The part "{name}" of the {self._what} document is {kind}.', kind=kind) from None
        self._read += len(data)
        if len(data) > MAX_PART or self._read > MAX_TOTAL:
            raise DocumentError(
                f'The part "{name}" is larger than {MAX_PART // 1_000_000} MB when unpacked: refused.', kind="too_large"
            )
        return data

    def xml(self, name: str) -> Any:
        """Return the root element of a part.

        Raises:
            DocumentError: It is not well-formed, declares entities, nests too deep or has too many elements.
        """
        return parse_xml(self.read(name), name)

    def xml_if(self, name: str) -> Any:
        """Return the root element of a part; None where the package has no such part or it is no XML."""
        if not self.has(name):
            return None
        try:
            return self.xml(name)
        except DocumentError as error:
            if error.kind in ("too_large", "hostile"):
                raise
            return None

    def relations(self, name: str) -> dict[str, Relation]:
        """Return the relations of a part by their id; targets inside the package as names of parts."""
        folder, _, file = name.rpartition("/")
        root = self.xml_if(f"{folder}/_rels/{file}.rels" if folder else f"_rels/{file}.rels")
        found: dict[str, Relation] = {}
        for element in root if root is not None else ():
            target = element.get("Target", "")
            external = element.get("TargetMode") == "External"
            if not external:
                target = posixpath.normpath(target[1:] if target.startswith("/") else posixpath.join(folder, target))
            kind = element.get("Type", "").rpartition("/")[2]
            found[element.get("Id", "")] = Relation(kind, target, external)
        return found

    def embedded(self, folder: str) -> str:
        """Return one sentence that names the files embedded in a document, which are not read; "" without any.

        The workbooks that charts keep their data in are none: the charts are read.
        """
        charts = [part for part in self.names(f"{folder}/charts/") if part.endswith(".xml")]
        data = {r.target.lower() for part in charts for r in self.relations(part).values()}
        found = [name.rpartition("/")[2] for name in self.names(f"{folder}/embeddings/") if name not in data]
        shown = ", ".join(found[:20]) + (" …" if len(found) > 20 else "")
        return f"Embedded files are not read ({len(found)}): {shown}." if found else ""

    def main(self, default: str) -> str:
        """Return the name of the main part."""
        for relation in self.relations("").values():
            if relation.kind == "officeDocument" and self.has(relation.target):
                return relation.target
        return default

    def properties(self) -> dict[str, str]:
        """Return title, author, subject, keywords, language and modified, where the document states them."""
        root = self.xml_if("docprops/core.xml")
        names = {"title": "title", "creator": "author", "subject": "subject", "keywords": "keywords",
                 "language": "language", "modified": "modified"}  # fmt: skip
        found: dict[str, str] = {}
        for element in root if root is not None else ():
            name = names.get(local(element))
            text = " ".join((element.text or "").split())
            if name and text:
                found[name] = text[:500]
        return found


def parse_xml(data: bytes, name: str) -> Any:
    """Return the root element of XML bytes; no entity is resolved, no DTD read, nothing fetched.

    Raises:
        DocumentError: Not well-formed, with a document type, or beyond the bounds.
        MissingExtra: lxml is not installed.
    """
    try:
        from lxml import etree
    except ImportError:
        raise MissingExtra("office", need="office documents") from None
    if data.count(b"<") > MAX_TAGS:
        raise DocumentError(f'The part "{name}" has more than {MAX_TAGS:,} tags: refused.', kind="too_large")
    refuse_document_type(data, name)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_pis=True, huge_tree=False)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        kind = "too_deep" if "depth" in str(error).lower() else "damaged"
        raise DocumentError(f'The part "{name}" is no well-formed XML: {error}.', kind=kind) from None


def refuse_document_type(data: bytes, name: str) -> None:
    """Refuse XML that declares a document type or entities: no honest program writes that into an office document.

    Raises:
        DocumentError: It does (kind ``hostile``).
    """
    if b"<!DOCTYPE" in data[:4096] or b"<!ENTITY" in data or b"<\x00!\x00D\x00O\x00C\x00T" in data[:8192]:
        raise DocumentError(f'The part "{name}" declares a document type: refused.', kind="hostile")


def local(element: Any) -> str:
    """Return the name of an element without its namespace: the strict and the transitional one differ."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Any, name: str) -> str | None:
    """Return an attribute by its name without namespace."""
    found = element.get(name)
    if found is not None:
        return str(found)
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return None


def child(element: Any, name: str) -> Any:
    """Return the first child with this name; None without one."""
    if element is None:
        return None
    for inner in element:
        if local(inner) == name:
            return inner
    return None


def value(element: Any, name: str) -> str | None:
    """Return the attribute ``val`` of the first child with this name; None without one."""
    inner = child(element, name)
    return None if inner is None else attribute(inner, "val")


def number(text: str | None, default: int = 0) -> int:
    """Return a whole number; ``default`` for anything else."""
    try:
        return int(text or "")
    except ValueError:
        return default
