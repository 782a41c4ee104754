"""Without a collection: read, cut and audit files. Pure but for the reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from withgrain.app.defaults import DEFAULT_EMBEDDER, DEFAULT_POLICY, DEFAULT_TOKENIZER
from withgrain.app.given import embed_of, paths_of, policy_of, texts_of, tokenizer_of
from withgrain.errors import UsageError
from withgrain.ingest import MAX_BYTES, AuditReport, FileRules, audit_files, make_contract
from withgrain.ingest.discover import LeftOut, discover
from withgrain.ingest.records import Placement
from withgrain.ingest.roots import resolve_roots
from withgrain.model import Chunk, Document, sha256_hex

if TYPE_CHECKING:
    from withgrain.chunk import Chunked, Policy
    from withgrain.ingest.auditing import Visit
    from withgrain.ingest.process import Worker
    from withgrain.types import Embedder, Progress, Tokenizer


#: Parts of a path, its name included, that may say what a file is: above them stands where somebody keeps his files.
_FOLDERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A document and how it was cut: what `inspect` returns."""

    document: Document
    chunked: Chunked


def read(text_or_path: str | Path, worker: Worker | None = None) -> Document:
    """Parse a text (``str``, taken as Markdown) or a file (``Path``).

    Args:
        text_or_path: The text or the file.
        worker: Reads files that are not plain text, one after the other; each gets a process of its own when None.

    Raises:
        UsageError: The file is missing, cannot be read or is of no known format.
        DocumentError: It cannot be parsed.
    """
    from withgrain.ingest.preparing import guarded_parse
    from withgrain.ingest.reading import first_bytes, read_file
    from withgrain.parse import media_type_for, parse

    if isinstance(text_or_path, str):
        data = text_or_path.encode("utf-8", "surrogatepass")
        return parse(data, uri=sha256_hex(data), media_type="text/markdown")
    if not isinstance(text_or_path, Path):
        raise UsageError(
            "withgrain takes a text (str) or a path (pathlib.Path), not "
            f"{type(text_or_path).__name__}. Bytes: data.decode(); several files: one call for each."
        )
    if not text_or_path.exists():
        raise UsageError(f'There is no file "{text_or_path}". Check the spelling and the working directory.')
    if not text_or_path.is_file():
        raise UsageError(f'"{text_or_path}" is not a regular file.')
    if media_type_for(text_or_path.name, first_bytes(text_or_path)) is None:
        raise UsageError(f'"{text_or_path}" is of no known format ({text_or_path.suffix or "no suffix"}).')
    content = read_file(text_or_path, MAX_BYTES)
    return guarded_parse(content.data, uri=text_or_path.name, modified=content.modified, worker=worker)


def inspect(
    text_or_path: str | Path,
    *,
    policy: str | Policy = DEFAULT_POLICY,
    max_tokens: int | None = None,
    tokenizer: str | Tokenizer = DEFAULT_TOKENIZER,
    embedder: str | Embedder = DEFAULT_EMBEDDER,
    domains: Sequence[tuple[str, str]] = (),
    classes: Sequence[tuple[str, str]] = (),
    worker: Worker | None = None,
) -> Cut:
    """Cut a text or a file and return everything: the document, chunks, audit, notices and class.

    Args:
        text_or_path: A text (``str``, taken as Markdown) or a file (``Path``).
        policy: A name or a `Policy`.
        max_tokens: No chunk's embedded text is longer; the policy's own budgets when None.
        tokenizer: Whose tokens count: a name, a file, ``module:function``, or an object.
        embedder: Embeds sentences for a policy that cuts at topics; the other policies need none.
        domains: (pattern, domain) rules for a file whose front matter names none; the first match counts.
        classes: (pattern, class) rules; the first match counts.
        worker: Reads files that are not plain text; for many files after one another.

    Raises:
        UsageError: The file cannot be used, or ``max_tokens`` is below 1.
        ConfigError: The policy or tokenizer cannot be used.
        DocumentError: The file cannot be parsed.
    """
    from withgrain.chunk import chunk_document, classify

    if max_tokens is not None and max_tokens < 1:
        raise UsageError(f"max_tokens is {max_tokens}; a chunk needs at least 1 token.")
    document = read(text_or_path, worker)
    chosen = policy_of(policy)
    path = text_or_path.as_posix().lstrip("/") if isinstance(text_or_path, Path) else ""
    placement = Placement.of(domains=domains, classes=classes)
    context = placement.context(path, embed_of(embedder, chosen))
    if path and context.classification is None:
        context = replace(context, classification=classify(document, "/".join(path.split("/")[-_FOLDERS:])))
    chunked = chunk_document(document, chosen, tokenizer_of(tokenizer), limit=max_tokens, context=context)
    return Cut(document=document, chunked=chunked)


def chunk(
    text_or_path: str | Path,
    *,
    policy: str | Policy = DEFAULT_POLICY,
    max_tokens: int | None = None,
    tokenizer: str | Tokenizer = DEFAULT_TOKENIZER,
) -> tuple[Chunk, ...]:
    """Cut a text (``str``, taken as Markdown) or a file (``Path``) into chunks; see `inspect`."""
    return inspect(text_or_path, policy=policy, max_tokens=max_tokens, tokenizer=tokenizer).chunked.chunks


def audit(  # noqa: PLR0913  # a facade: every argument but the paths has its usual value
    *paths: str | Path,
    policy: str | Policy = DEFAULT_POLICY,
    tokenizer: str | Tokenizer = DEFAULT_TOKENIZER,
    name: str | None = None,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    max_bytes: int = MAX_BYTES,
    progress: Progress | None = None,
    embedder: str | Embedder = DEFAULT_EMBEDDER,
    domains: Sequence[tuple[str, str]] = (),
    classes: Sequence[tuple[str, str]] = (),
    visit: Visit | None = None,
) -> AuditReport:
    """Say what a chunker that drops small sections would lose in files and folders, and what became of every word.

    Args:
        paths: Folders and files.
        policy: A name or a `Policy`.
        tokenizer: Whose tokens count.
        name: Name of the root instead of the folder's own; for one path only.
        include: Patterns of files to look at.
        exclude: Patterns of files and folders to leave out.
        max_bytes: Larger files are skipped with a reason.
        progress: Told how it goes on.
        embedder: Embeds sentences for a policy that cuts at topics.
        domains: (pattern, domain) rules; see `inspect`.
        classes: (pattern, class) rules.
        visit: Called with the file, the document and its chunks of each document that was cut.

    Raises:
        UsageError: A path that cannot be used.
        ConfigError: The policy or tokenizer cannot be used.
    """
    chosen = policy_of(policy)
    return audit_files(
        paths_of(paths),
        policy=chosen,
        tokenizer=tokenizer_of(tokenizer),
        rules=FileRules(include=texts_of(include), exclude=texts_of(exclude), max_bytes=max_bytes),
        name=name,
        progress=progress,
        placement=Placement.of(domains=domains, classes=classes),
        embed=embed_of(embedder, chosen),
        visit=visit,
    )


def files_in(
    folder: Path,
    *,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    max_bytes: int = MAX_BYTES,
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Return the files of a folder that would become documents, in order, and what is left out with the reasons.

    Args:
        folder: The folder. Archives in it are not opened: they are left out.
        include: Patterns of files to look at.
        exclude: Patterns of files and folders to leave out.
        max_bytes: Larger files are left out.

    Raises:
        UsageError: The folder cannot be used.
    """
    rules = FileRules(include=texts_of(include), exclude=texts_of(exclude), max_bytes=max_bytes)
    found = discover(resolve_roots([folder], collection=None), rules)
    archives = tuple(
        LeftOut(uri=f.uri, reason="It is an archive; ingest opens archives.") for f in found.files if f.archive
    )
    return tuple(str(f.file) for f in found.files if not f.archive), (*found.left_out, *archives)


def ingestion_version(policy: str | Policy, tokenizer: str | Tokenizer) -> str:
    """Return the version of what shapes chunks and facts: what a collection made with these settings stores."""
    return make_contract(policy_of(policy), tokenizer_of(tokenizer), None).ingestion_version
