"""The words of withgrain as frozen data: stdlib only, no behaviour beyond derived values."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from withgrain.model.audit import Audit, Fate, SectionAudit
    from withgrain.model.candidates import Candidates
    from withgrain.model.chunk import Boundary, Chunk, Leaf, Part, SectionRef, render
    from withgrain.model.contract import SCHEMA_VERSION, Contract
    from withgrain.model.document import Block, BlockKind, Document, Drop, Link, Notice, Source
    from withgrain.model.facts import Facts
    from withgrain.model.filter import FIELDS, And, Compare, Filter, Not, Or, all_of
    from withgrain.model.identity import (
        ChunkIds,
        chunk_id,
        content_key,
        document_id,
        leaf_id,
        section_id,
        sha256_hex,
        stored_path,
    )
    from withgrain.model.problems import Problem, Verification
    from withgrain.model.records import (
        Bundle,
        Candidate,
        Change,
        ChunkRecord,
        CommitResult,
        DocumentRecord,
        Embedded,
        LeafRecord,
        RetiredReason,
        RetiredRecord,
        State,
    )
    from withgrain.model.results import Citation, Hit, Results
    from withgrain.model.section import Section, label, sections
    from withgrain.model.span import Span
else:
    from withgrain.lazy import named

    __getattr__ = named(
        __name__,
        audit="Audit Fate SectionAudit",
        candidates="Candidates",
        chunk="Boundary Chunk Leaf Part SectionRef render",
        contract="SCHEMA_VERSION Contract",
        document="Block BlockKind Document Drop Link Notice Source",
        facts="Facts",
        filter="FIELDS And Compare Filter Not Or all_of",
        identity="ChunkIds chunk_id content_key document_id leaf_id section_id sha256_hex stored_path",
        problems="Problem Verification",
        records="Bundle Candidate Change ChunkRecord CommitResult DocumentRecord Embedded LeafRecord RetiredReason "
        "RetiredRecord State",
        results="Citation Hit Results",
        section="Section label sections",
        span="Span",
    )

__all__ = [
    "FIELDS",
    "SCHEMA_VERSION",
    "And",
    "Audit",
    "Block",
    "BlockKind",
    "Boundary",
    "Bundle",
    "Candidate",
    "Candidates",
    "Change",
    "Chunk",
    "ChunkIds",
    "ChunkRecord",
    "Citation",
    "CommitResult",
    "Compare",
    "Contract",
    "Document",
    "DocumentRecord",
    "Drop",
    "Embedded",
    "Facts",
    "Fate",
    "Filter",
    "Hit",
    "Leaf",
    "LeafRecord",
    "Link",
    "Not",
    "Notice",
    "Or",
    "Part",
    "Problem",
    "Results",
    "RetiredReason",
    "RetiredRecord",
    "Section",
    "SectionAudit",
    "SectionRef",
    "Source",
    "Span",
    "State",
    "Verification",
    "all_of",
    "chunk_id",
    "content_key",
    "document_id",
    "label",
    "leaf_id",
    "render",
    "section_id",
    "sections",
    "sha256_hex",
    "stored_path",
]
