"""Which parser reads which file: one line a format, by media type, suffix or whole name; parsers load when needed.

A new format is one file beside this one and one line in `BUILT_IN`. Other packages add theirs through the entry point
group ``withgrain.formats``: an entry names a `Format`, whose ``loader`` names the parser.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import entry_points

from withgrain.errors import ConfigError, another_package
from withgrain.model import Document, Source

#: A parser: bytes and their identity to a `Document`. Pure; raises `DocumentError` for what it cannot read.
ParseFunction = Callable[[bytes, Source], Document]

#: Entry points of this group are `Format` objects of other packages.
GROUP = "withgrain.formats"


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format that can be parsed.

    Attributes:
        name: For people and for ``--json``.
        media_type: What `Source.media_type` says.
        suffixes: File name endings, lower case, with their dot.
        loader: ``package.module:function`` of the parser, imported when the first file of the format comes.
        names: Whole file names, for files without a telling suffix ("Dockerfile").
        extra: The extra that brings the libraries it needs; None when the base install reads it.
        witness: ``package.module:function`` of an independent extraction, bytes to text, for formats whose text is made
            by the parser: what it finds and the document has not is lost.
        experimental: Not yet measured on documents that were not looked at while it was built.
    """

    name: str
    media_type: str
    suffixes: tuple[str, ...]
    loader: str
    names: tuple[str, ...] = ()
    extra: str | None = None
    witness: str | None = None
    experimental: bool = False


def _code(name: str, media_type: str, suffixes: str) -> Format:
    return Format(
        name=name,
        media_type=media_type,
        suffixes=tuple(suffixes.split()),
        loader="withgrain.parse.code:parse_code",
        extra="code",
    )


def _data(name: str, media_type: str, suffixes: str, loader: str, names: str = "") -> Format:
    return Format(
        name=name,
        media_type=media_type,
        suffixes=tuple(suffixes.split()),
        loader=f"withgrain.parse.data.{loader}",
        names=tuple(names.split()),
    )


DATA: tuple[Format, ...] = (
    _data("json", "application/json", ".json .jsonc .json5 .geojson .tfstate", "json:parse_json"),
    _data("jsonl", "application/jsonl", ".jsonl .ndjson", "json:parse_jsonl"),
    _data("yaml", "application/yaml", ".yaml .yml", "yaml:parse_yaml"),
    _data("csv", "text/csv", ".csv .tsv .tab .psv", "csv:parse_csv"),
    _data("sql", "application/sql", ".sql .ddl .psql .plsql", "sql:parse_sql"),
    _data("toml", "application/toml", ".toml", "stanzas:parse_stanzas", "Cargo.lock poetry.lock uv.lock Pipfile"),
    _data("ini", "text/x-ini", ".ini .cfg .inf .desktop", "stanzas:parse_stanzas", ".editorconfig .gitconfig .npmrc"),
    _data(
        "systemd",
        "text/x-systemd-unit",
        ".service .timer .socket .mount .target .path .slice .network .netdev",
        "stanzas:parse_stanzas",
    ),
    _data("nginx", "text/x-nginx-conf", ".nginx", "stanzas:parse_stanzas", "nginx.conf"),
    _data("conf", "text/x-conf", ".conf .cnf .cf", "stanzas:parse_stanzas"),
    _data("properties", "text/x-java-properties", ".properties .env", "stanzas:parse_stanzas", ".env .env.example"),
    _data("dockerfile", "text/x-dockerfile", ".dockerfile", "stanzas:parse_stanzas", "Dockerfile Containerfile"),
)

CODE: tuple[Format, ...] = (
    _code("python", "text/x-python", ".py .pyi .pyw"),
    _code("javascript", "text/javascript", ".js .mjs .cjs .jsx"),
    _code("typescript", "text/typescript", ".ts .mts .cts"),
    _code("tsx", "text/tsx", ".tsx"),
    _code("go", "text/x-go", ".go"),
    _code("java", "text/x-java", ".java"),
    _code("rust", "text/rust", ".rs"),
    _code("hcl", "text/x-hcl", ".tf .tfvars .hcl"),
    _code("bash", "application/x-sh", ".sh .bash"),
)

BUILT_IN: tuple[Format, ...] = (
    Format(
        name="markdown",
        media_type="text/markdown",
        suffixes=(".md", ".markdown"),
        loader="withgrain.parse.markdown:parse_markdown",
    ),
    Format(name="mdx", media_type="text/mdx", suffixes=(".mdx",), loader="withgrain.parse.markdown:parse_markdown"),
    Format(name="text", media_type="text/plain", suffixes=(".txt", ".text"), loader="withgrain.parse.text:parse_text"),
    Format(
        name="docx",
        media_type="application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        suffixes=(".docx", ".docm"),
        loader="withgrain.parse.office.docx:parse_docx",
        extra="office",
    ),
    Format(
        name="xlsx",
        media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        suffixes=(".xlsx", ".xlsm"),
        loader="withgrain.parse.office.xlsx:parse_xlsx",
        extra="office",
    ),
    Format(
        name="pptx",
        media_type="application/vnd.openxmlformats-officedocument.presentationml.presentation",
        suffixes=(".pptx", ".pptm"),
        loader="withgrain.parse.office.pptx:parse_pptx",
        extra="office",
    ),
    Format(
        name="pdf",
        media_type="application/pdf",
        suffixes=(".pdf",),
        loader="withgrain.parse.pdf:parse_pdf",
        extra="pdf",
    ),
    Format(name="log", media_type="text/x-log", suffixes=(".log",), loader="withgrain.parse.text:parse_text"),
    Format(
        name="html",
        media_type="text/html",
        suffixes=(".html", ".htm", ".xhtml"),
        loader="withgrain.parse.html:parse_html",
        extra="html",
        witness="withgrain.parse.html.witness:page_words",
    ),
    Format(
        name="email",
        media_type="message/rfc822",
        suffixes=(".eml",),
        loader="withgrain.parse.eml:parse_message",
        extra="html",
        witness="withgrain.parse.eml:message_words",
    ),
    Format(
        name="notebook",
        media_type="application/x-ipynb+json",
        suffixes=(".ipynb",),
        loader="withgrain.parse.ipynb:parse_notebook",
        witness="withgrain.parse.ipynb:notebook_words",
    ),
    Format(
        name="rst",
        media_type="text/x-rst",
        suffixes=(".rst", ".rest"),
        loader="withgrain.parse.rst:parse_rst",
        extra="rst",
    ),
    Format(
        name="transcript",
        media_type="text/vtt",
        suffixes=(".vtt", ".srt"),
        loader="withgrain.parse.vtt:parse_transcript",
    ),
    *CODE,
    *DATA,
)


@lru_cache(maxsize=1)
def formats() -> tuple[Format, ...]:
    """Return the formats that `withgrain.parse.parse` reads: the built-in ones, then those of other packages.

    Another package cannot take a suffix or media type from a built-in format.

    Raises:
        ConfigError: An entry point of `GROUP` cannot be loaded, or is not a `Format`.
    """
    found = list(BUILT_IN)
    taken = {f.media_type for f in BUILT_IN} | {s for f in BUILT_IN for s in f.suffixes}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name):
        with another_package(f'The format "{entry.name}" ({entry.value})'):
            given = entry.load()
        if not isinstance(given, Format):
            raise ConfigError(
                f'The entry point "{entry.name}" of {GROUP} is not a withgrain.parse.Format: {entry.value}'
            )
        clash = taken & {given.media_type, *given.suffixes}
        if clash:
            raise ConfigError(
                f'The format "{entry.name}" ({entry.value}) wants {", ".join(sorted(clash))}: already taken.'
            )
        taken |= {given.media_type, *given.suffixes}
        found.append(given)
    return tuple(found)


def format_for(path: str) -> Format | None:
    """Return the format that the name of a file says; None when no format has its name or suffix."""
    name = path.rstrip("/").rpartition("/")[2]
    dot = name.rfind(".")
    suffix = name[dot:].lower() if 0 < dot < len(name) - 1 else ""  # as a path has it, without making one: 5,000 a sync
    by_name, by_suffix, _ = _tables()
    found = by_name.get(name) or by_suffix.get(suffix)
    while found is None and dot > 0:  # a known name with an ending of its own: Dockerfile.dev, nginx.conf.default
        name = name[:dot]
        found, dot = by_name.get(name), name.rfind(".")
    return found


def format_of(media_type: str) -> Format | None:
    """Return the format with this media type."""
    return _tables()[2].get(media_type)


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, Format], dict[str, Format], dict[str, Format]]:
    every = formats()
    return (
        {name: f for f in every for name in f.names},
        {suffix: f for f in every for suffix in f.suffixes},
        {f.media_type: f for f in every},
    )


@cache
def witness_of(format: Format) -> Callable[[bytes], str] | None:
    """Import and return the independent extraction of a format; None for one without."""
    if format.witness is None:
        return None
    module, _, function = format.witness.partition(":")
    found: Callable[[bytes], str] = getattr(import_module(module), function)
    return found


@cache
def parser_of(format: Format) -> ParseFunction:
    """Import and return the parser of a format.

    Raises:
        MissingExtra: A library of the format's extra is not installed.
        ConfigError: The loader names nothing.
    """
    module, _, function = format.loader.partition(":")
    try:
        parser: ParseFunction = getattr(import_module(module), function)
    except AttributeError:
        raise ConfigError(f'The loader "{format.loader}" of the format "{format.name}" names nothing.') from None
    return parser
