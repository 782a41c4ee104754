"""Document -> chunks: policies as data, one packer, and the proof that nothing was lost."""

from withgrain.chunk.catalogue import POLICIES, STRUCTURE_AWARE, policy
from withgrain.chunk.classify import CLASSES, CLASSIFIER_VERSION, Classification, classify
from withgrain.chunk.compile import CHUNKER_VERSION, Chunked, chunk_document
from withgrain.chunk.context import Context
from withgrain.chunk.leaf import LEAVES, LeafShape, leaves
from withgrain.chunk.policy import Budget, Policy
from withgrain.chunk.semantic import Embed, within_window
from withgrain.chunk.toml_policy import LoadedPolicy, load_policies, load_policy, to_toml

__all__ = [
    "CHUNKER_VERSION",
    "CLASSES",
    "CLASSIFIER_VERSION",
    "LEAVES",
    "POLICIES",
    "STRUCTURE_AWARE",
    "Budget",
    "Chunked",
    "Classification",
    "Context",
    "Embed",
    "LeafShape",
    "LoadedPolicy",
    "Policy",
    "chunk_document",
    "classify",
    "leaves",
    "load_policies",
    "load_policy",
    "policy",
    "to_toml",
    "within_window",
]
