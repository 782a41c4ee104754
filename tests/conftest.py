"""Fixtures and settings of the whole suite."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

# "suite": the same examples on every run and machine. "search": looks for new ones (HYPOTHESIS_PROFILE=search).
# Hypothesis also tries constants that it finds in the modules that are loaded: then a number changed anywhere, or one
# test more in the run, would change the examples of all. Only the search does that.
if os.environ.get("HYPOTHESIS_PROFILE", "suite") == "suite" and hasattr(providers, "is_local_module_file"):
    providers.is_local_module_file = lambda file: False
settings.register_profile("suite", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("search", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


@pytest.fixture(autouse=True)
def _no_configuration_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test depends on the ``WITHGRAIN_*`` variables of the person who runs it."""
    for name in list(os.environ):
        if name.startswith("WITHGRAIN_"):
            monkeypatch.delenv(name)
