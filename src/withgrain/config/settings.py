"""The settings, and where each comes from. Data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from withgrain.chunk import LoadedPolicy
    from withgrain.signals import Rules

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the command line can be told once instead of every time.

    Attributes:
        collection: Directory of the collection.
        policy: Name of the chunking policy.
        max_tokens: Largest chunk; None for the sizes of the policy.
        tokenizer: ``words``, ``wordpiece``, ``cl100k_base``, ``o200k_base``, a tokenizer.json or ``module:function``.
        embedder: ``minilm``, ``static``, ``none`` for a collection with words only, ``openai:MODEL``, or one of another
            package.
        vectors: ``eager``: ingest makes them; ``lazy``: ingest stores words, a search makes those it needs; ``auto``:
            lazy for ``minilm`` in a large collection, else eager.
        lazy_candidates: Chunks for which a search makes lazy vectors.
        openai_base_url: Server of an ``openai:`` embedder, up to ``/v1``; in a file only one on this machine.
        openai_window: Tokens that its model reads.
        openai_tokenizer: Whose tokens these are; as ``tokenizer``.
        openai_dimensions: Length of the vectors to ask for; None for the model's own.
        openai_document_prefix: Stands in front of each text.
        openai_query_prefix: Stands in front of a question.
        openai_revision: The user's name for the weights.
        openai_batch: Texts a request at most.
        openai_timeout: Seconds that one request may take.
        include: Only files that match one of these patterns; empty for all.
        exclude: No file that matches one of these patterns.
        max_bytes: Larger files are skipped with a reason.
        labels: ``key = value`` labels of every document of the run.
        path_labels: Path pattern and ``key=value`` label of the documents it matches; all matches count.
        front_matter_labels: Whether values of front matter become labels, too.
        domains: Path pattern and domain; the first match counts.
        classes: Path pattern and document class; the first match counts.
        search: Numbers of the ranking that are to be other than usual, by name.
        policies: Policies of the file by name, each with the origins of its values.
        signals: Detectors and words of the file; None for none.
    """

    collection: str = ".withgrain"
    policy: str = "structure_aware"
    max_tokens: int | None = None
    tokenizer: str = "wordpiece"
    embedder: str = "minilm"
    vectors: str = "auto"
    lazy_candidates: int = 50
    openai_base_url: str = ""
    openai_window: int = 254
    openai_tokenizer: str = "wordpiece"
    openai_dimensions: int | None = None
    openai_document_prefix: str = ""
    openai_query_prefix: str = ""
    openai_revision: str = ""
    openai_batch: int = 32
    openai_timeout: int = 60
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_bytes: int = 64 * 1024 * 1024
    labels: Pairs = ()
    path_labels: Pairs = ()
    front_matter_labels: bool = True
    domains: Pairs = ()
    classes: Pairs = ()
    search: Mapping[str, Any] = field(default_factory=dict)
    policies: Mapping[str, LoadedPolicy] = field(default_factory=dict)
    signals: Rules | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """Settings and, for each, where its value comes from (``default``, ``flag``, a variable, a file with line)."""

    settings: Settings
    origins: Mapping[str, str]
