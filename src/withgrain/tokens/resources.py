"""Package data, checked before it is used."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from withgrain.errors import IntegrityError


def checked(package: str, name: str, digest: str) -> Traversable:
    """Return the file ``data/name`` of a package.

    Raises:
        IntegrityError: It is missing, or its SHA-256 is not ``digest``.
    """
    resource = files(package) / "data" / name
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
