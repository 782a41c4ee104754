"""The compiler's prediction is what the packer does, for every policy."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from withgrain.chunk import POLICIES, Chunked, Context, Policy, chunk_document
from withgrain.parse import parse
from withgrain.testing.embedders import HashEmbedder
from withgrain.testing.markdown import documents
from withgrain.tokens import words

CONTEXT = Context(embed=HashEmbedder(window=10_000).embed_documents)
ALL = {**POLICIES, "siblings": replace(POLICIES["structure_aware"], name="siblings", merge="siblings")}


def _cut(text: str, policy: Policy, maximum: int) -> Chunked:
    scaled = replace(policy, classes=()).with_maximum(maximum)
    return chunk_document(parse(text.encode(), uri="generated.md"), scaled, words(), context=CONTEXT)


@pytest.mark.parametrize("name", sorted(ALL))
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(text=documents(), maximum=st.sampled_from([30, 120, 480]))
def test_prediction_is_outcome(name: str, text: str, maximum: int) -> None:
    """Predicts each section's fate as the packer will treat it; rescues every section with words."""
    chunked = _cut(text, ALL[name], maximum)
    for section in chunked.audit.sections:
        assert section.predicted == section.after, section
        if name == "strict":
            continue
        assert section.after != "dropped_tiny", "every section with words is rescued"
        if section.after == "dropped_header_only":
            assert section.chunks == 0


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(text=documents(), maximum=st.sampled_from([60, 480]))
def test_strict_does_what_before_says(text: str, maximum: int) -> None:
    """A `strict` policy reproduces the drop-below-minimum behaviour: what was dropped before is dropped after."""
    chunked = _cut(text, POLICIES["strict"], maximum)
    for section in chunked.audit.sections:
        assert section.before.startswith("dropped") == section.after.startswith("dropped"), section
