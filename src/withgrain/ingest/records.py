"""From a cut document to the rows that a collection stores. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from withgrain.ingest.patterns import Pattern, parse_patterns, selects
from withgrain.ingest.plan import ending
from withgrain.model import Chunk, ChunkRecord, Document, DocumentRecord

if TYPE_CHECKING:
    from withgrain.chunk import Chunked, Context, Embed

#: Labels of one document, at most; longer front-matter values make no label.
MAX_LABELS = 64
MAX_LABEL_LENGTH = 120

#: (patterns, value): what belongs to the documents whose path the patterns select.
PathRules = tuple[tuple[tuple[Pattern, ...], str], ...]

# Front matter that says where a document is published.
_URL_KEYS = ("url", "canonical_url", "canonical", "permalink")

#: (pattern, patterns, class): the pattern as the user wrote it, to say why.
ClassRules = tuple[tuple[str, tuple[Pattern, ...], str], ...]

# Front matter that has a field of its own, or is text to read and not to filter by.
_NOT_LABELS = frozenset({"title", "description", "summary", "domain", "labels", "url", "message_id"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """What a run says about its documents beside their content.

    Attributes:
        labels: ``key=value`` labels for all of them.
        label_rules: Labels by path; every rule that matches counts.
        front_matter: Whether front matter may give labels: those whose key is in no label and no rule of the run.
        domains: Domains by path; the first rule that matches counts.
        classes: Classes by path; the first rule that matches counts.
        contract: Fingerprint of the contract that writes.
        version: Its `ingestion_version`.
    """

    labels: tuple[str, ...] = ()
    label_rules: PathRules = ()
    front_matter: bool = True
    domains: PathRules = ()
    classes: ClassRules = ()
    contract: str = ""
    version: str = ""

    @classmethod
    def of(
        cls,
        labels: Sequence[str] = (),
        label_rules: Sequence[tuple[str, str]] = (),
        domains: Sequence[tuple[str, str]] = (),
        classes: Sequence[tuple[str, str]] = (),
        contract: str = "",
        version: str = "",
        front_matter: bool = True,
    ) -> Placement:
        """Read rules: (pattern, value) with patterns in the syntax of ``.gitignore``."""
        return cls(
            labels=tuple(labels),
            label_rules=_rules(label_rules),
            front_matter=front_matter,
            domains=_rules(domains),
            classes=tuple((pattern, parse_patterns(pattern), value) for pattern, value in classes),
            contract=contract,
            version=version,
        )

    @property
    def has_rules(self) -> bool:
        """Whether something is said about documents by their path."""
        return bool(self.label_rules or self.domains or self.classes)

    def context(self, path: str, embed: Embed | None = None) -> Context:
        """Return what the rules say about the document at a path, for the chunker."""
        from withgrain.chunk import Classification, Context

        ruled = self.class_of(path)
        given = None
        if ruled is not None:
            reason = f'The settings say that "{ruled[0]}" is {ruled[1]}.'
            given = Classification(doc_class=ruled[1], reasons=(reason,))
        return Context(classification=given, domain=self.domain_of(path, {}) or "", embed=embed)

    def class_of(self, path: str) -> tuple[str, str] | None:
        """Return the pattern that gives a class to a path, and the class; None when no rule does."""
        for pattern, patterns, doc_class in self.classes:
            if selects(patterns, path):
                return pattern, doc_class
        return None

    def labels_of(self, path: str, meta: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the labels of a document: the run's, those of its path, then one for each short front-matter value.

        A key that the run or one of its rules gives, to whichever path, is theirs alone: documents are untrusted, and
        a scope must not show what says of itself that it belongs there. The last ones are sorted, because a store need
        not keep the order of the keys.
        """
        if not meta and not self.label_rules:
            return tuple(dict.fromkeys(self.labels))[:MAX_LABELS]
        ruled = (label for patterns, label in self.label_rules if selects(patterns, path))
        said: list[str] = []
        if self.front_matter and meta:
            taken = {_key(label) for label in (*self.labels, *(label for _, label in self.label_rules))}
            said = sorted(label for label in _front_matter_labels(meta) if _key(label) not in taken)
        return tuple(dict.fromkeys((*self.labels, *ruled, *said)))[:MAX_LABELS]

    def domain_of(self, path: str, meta: Mapping[str, Any]) -> str | None:
        """Return the domain that front matter or a rule gives; None when neither does."""
        named = meta.get("domain")
        if isinstance(named, str) and named.strip():
            return named.strip()
        for patterns, domain in self.domains:
            if selects(patterns, path):
                return domain
        return None

    def twin(self, root: str, uri: str, sha256: str) -> Hashable:
        """Return what files have in common that are one document: root, bytes, format, and what rules say of the path.

        Of two copies in two scopes, each scope must find its own.
        """
        if not self.has_rules:
            return root, sha256, ending(uri)
        path = uri.removeprefix(root + "/")
        labels = tuple(label for patterns, label in self.label_rules if selects(patterns, path))
        return root, sha256, ending(uri), labels, self.domain_of(path, {}), self.class_of(path)

    def is_current(self, record: DocumentRecord, sha256: str) -> bool:
        """Return whether a stored document is what bytes with this hash would give now."""
        if record.sha256 != sha256 or record.contract != self.contract or record.stale:
            return False
        if not record.meta and not self.has_rules:  # nearly always: then only the labels of the run are said of it
            return record.labels == self.labels_of(record.path, record.meta) and not record.ruled
        domain = self.domain_of(record.path, record.meta)
        ruled = self.class_of(record.path)
        doc_class = ruled[1] if ruled else None
        return (
            record.labels == self.labels_of(record.path, record.meta)
            and _same(domain, record.domain, ruled="domain" in record.ruled)
            and _same(doc_class, record.doc_class, ruled="class" in record.ruled)
        )

    def ruled(self, path: str, meta: Mapping[str, Any]) -> tuple[str, ...]:
        """Return what rules decide about a document: ``class``, ``domain``, both or nothing."""
        decided = {"class": self.class_of(path), "domain": self.domain_of(path, meta)}
        return tuple(name for name, value in decided.items() if value is not None)


def _same(now: str | None, stored: str, *, ruled: bool) -> bool:
    """Return whether a value is what the rules say now; a value that a rule gave needs the rule."""
    return not ruled if now is None else now == stored


def _rules(rules: Sequence[tuple[str, str]]) -> PathRules:
    return tuple((parse_patterns(pattern), value) for pattern, value in rules)


def make_records(
    document: Document, chunked: Chunked, placement: Placement
) -> tuple[DocumentRecord, tuple[ChunkRecord, ...]]:
    """Return the row of a document and the rows of its chunks."""
    source = document.source
    labels = placement.labels_of(source.path, document.meta)
    domain = placement.domain_of(source.path, document.meta) or _usual_domain(chunked.chunks)
    record = DocumentRecord(
        id=document.id,
        root=source.root,
        uri=source.uri,
        path=source.path,
        title=document.title,
        sha256=source.sha256,
        modified=source.modified,
        media_type=source.media_type,
        doc_class=chunked.doc_class,
        domain=domain,
        labels=labels,
        contract=placement.contract,
        chunks=len(chunked.chunks),
        words_lost=chunked.audit.words_lost,
        text=document.text,
        removed=document.removed,
        rendered=document.rendered,
        meta=document.meta,
        language=language_of(document),
        ruled=placement.ruled(source.path, document.meta),
    )
    return record, tuple(_chunk_record(document, chunk, record, placement.version) for chunk in chunked.chunks)


def language_of(document: Document) -> str:
    """Return the language that the metadata names, else the one that the text seems to be in; empty when unclear."""
    from withgrain.tokens.language import guess_language, known_language

    named = (known_language(document.meta.get(key)) for key in ("language", "lang"))
    return next((code for code in named if code), "") or guess_language(document.text)


def searchable_terms(chunk: Chunk, description: str = "", language: str = "") -> str:
    """Return the lexical terms of a chunk, in order, separated by spaces: title, path, context, body.

    The heading path is taken whole, not as it was shortened for the embedder; text repeated from the chunk before is
    left out, so that its words do not count twice.
    """
    from withgrain.tokens.terms import terms

    path = chunk.heading_path[1:] if chunk.heading_path[:1] == (chunk.title,) else chunk.heading_path
    context = (p.text for p in chunk.parts if p.role not in ("path", "overlap"))
    return " ".join(terms("\n".join((chunk.title, description, *path, *context, chunk.body)), language))


def _chunk_record(document: Document, chunk: Chunk, record: DocumentRecord, version: str) -> ChunkRecord:
    description = document.meta.get("description") if chunk.ordinal == 0 else None
    return ChunkRecord(
        chunk=chunk,
        path=record.path,
        root=record.root,
        doc_class=record.doc_class,
        domain=chunk.facts.domain[0] if chunk.facts.domain else record.domain,
        labels=record.labels,
        modified=record.modified,
        terms=searchable_terms(chunk, description if isinstance(description, str) else "", record.language),
        source_span=document.to_source(chunk.span) if chunk.span is not None else None,
        url=url_of(document),
        ingestion_version=version,
    )


def url_of(document: Document) -> str:
    """Return the address that a document says it has."""
    found = (document.meta.get(key) for key in _URL_KEYS)
    return next((url for url in found if isinstance(url, str)), "")


def _usual_domain(chunks: Sequence[Chunk]) -> str:
    """Return the domain that most chunks state; the first one stated wins a tie."""
    counts = Counter(domain for chunk in chunks for domain in chunk.facts.domain[:1])
    return counts.most_common(1)[0][0] if counts else ""


def _front_matter_labels(meta: Mapping[str, Any]) -> Iterable[str]:
    given = meta.get("labels")
    entries = list(given.items()) if isinstance(given, Mapping) else []
    if isinstance(given, list | tuple):
        yield from (v for v in given if isinstance(v, str) and "=" in v and len(v) <= MAX_LABEL_LENGTH)
    entries += [(key, value) for key, value in meta.items() if key not in _NOT_LABELS]
    for key, value in entries:
        for one in value if isinstance(value, list | tuple) else (value,):
            text = _label_text(one)
            if text and len(str(key)) + len(text) < MAX_LABEL_LENGTH:
                yield f"{key}={text}"


def _key(label: str) -> str:
    """Return what stands in front of the first ``=``, however its parts were given; case and form do not tell apart."""
    return normalize("NFKC", label.partition("=")[0]).strip().casefold()


def _label_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip() if isinstance(value, str | int | float) else ""
