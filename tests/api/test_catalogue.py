"""The public catalogue: few names, sorted, all there, documented."""

from __future__ import annotations

import inspect

import withgrain


def test_catalogue_is_small_and_sorted() -> None:
    """At most 25 names, sorted."""
    assert len(withgrain.__all__) <= 25
    assert list(withgrain.__all__) == sorted(withgrain.__all__)


def test_every_name_resolves_and_is_documented() -> None:
    """Every name of the catalogue exists, and every class and function of it has a docstring."""
    for name in withgrain.__all__:
        value = getattr(withgrain, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), name


def test_public_signatures_have_no_catch_all() -> None:
    """No public function or method takes ``**kwargs``."""
    found = []
    for name in withgrain.__all__:
        value = getattr(withgrain, name)
        members = [value] if inspect.isfunction(value) else []
        if inspect.isclass(value):
            members = [m for n, m in inspect.getmembers(value, inspect.isfunction) if not n.startswith("_")]
        for member in members:
            kinds = {p.kind for p in inspect.signature(member).parameters.values()}
            if inspect.Parameter.VAR_KEYWORD in kinds and not (member.__doc__ or "").startswith("Initialize self"):
                found.append(f"{name}.{member.__name__}")
    assert not found


def test_unknown_name_is_an_attribute_error() -> None:
    """A name that is not there is an AttributeError that says so."""
    try:
        withgrain.chunks  # type: ignore[attr-defined]  # noqa: B018
    except AttributeError as error:
        assert "chunks" in str(error)
    else:
        raise AssertionError("no error")
