"""The package data of `withgrain.tokens`, checked before it is used."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from withgrain.errors import IntegrityError


def checked(name: str, digest: str) -> Traversable:
    """Return the file ``name`` of ``tokens/data``.

    Raises:
        IntegrityError: It is missing, or its SHA-256 is not ``digest``.
    """
    resource = files("withgrain.tokens") / "data" / name
    try:
        found = sha256(resource.read_bytes()).hexdigest()
    except OSError as error:
        raise IntegrityError(f"the file {name} of withgrain is missing ({error}). Install withgrain again") from error
    if found != digest:
        raise IntegrityError(
            f"the file {name} of withgrain was changed (sha256 {found[:16]}…, expected {digest[:16]}…). "
            "Install withgrain again"
        )
    return resource
