"""Document -> chunks: policies as data, one packer, and the proof that nothing was lost."""

from withgrain.chunk.classify import Classification, classify
from withgrain.chunk.compile import CHUNKER_VERSION, Chunked, chunk_document
from withgrain.chunk.leaf import leaves
from withgrain.chunk.policy import POLICIES, STRUCTURE_AWARE, Budget, Policy, policy

__all__ = [
    "CHUNKER_VERSION",
    "POLICIES",
    "STRUCTURE_AWARE",
    "Budget",
    "Chunked",
    "Classification",
    "Policy",
    "chunk_document",
    "classify",
    "leaves",
    "policy",
]
