"""Every error that withgrain raises on purpose.

::

    WithgrainError                     what happened, where, what to do
    ├── UsageError              exit 2  a path, flag, question or budget that cannot be used
    ├── ConfigError             exit 3  a configuration file, key or value
    ├── ContractMismatch        exit 3  the collection was written under another contract
    ├── SchemaTooNew            exit 3  the collection was written by a newer withgrain
    ├── MissingExtra            exit 3  an optional part is not installed; names the line to type
    ├── DocumentError           exit 4  one document cannot be read or parsed; the others go on
    ├── Unavailable             exit 5  locked, unreachable, no space
    │   └── CollectionLocked
    └── IntegrityError          exit 6  stored data is not what was written

The command line turns each into its exit code; a traceback is shown with ``-v`` only.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class WithgrainError(Exception):
    """Base of all errors. ``str(error)`` is complete: what happened, where, and what to do.

    Attributes:
        exit_code: Exit code of the command line.
        kind: Machine-readable name, for ``--json``.
    """

    exit_code: int = 1
    kind: str = "error"

    def __init__(self, message: str, *, kind: str | None = None) -> None:
        super().__init__(message)
        if kind is not None:
            self.kind = kind


class UsageError(WithgrainError):
    """A path, flag, question or budget that cannot be used."""

    exit_code = 2
    kind = "usage"


class ConfigError(WithgrainError):
    """A configuration file, key, value or policy that cannot be used (`kind` is ``bad_config``)."""

    exit_code = 3
    kind = "bad_config"


class ContractMismatch(WithgrainError):
    """The collection was written under another contract; the message lists the fields that differ."""

    exit_code = 3
    kind = "contract_mismatch"


class SchemaTooNew(WithgrainError):
    """The collection was written by a newer version of withgrain."""

    exit_code = 3
    kind = "schema_too_new"


class MissingExtra(WithgrainError):
    """An optional part is not installed."""

    exit_code = 3
    kind = "missing_extra"

    def __init__(self, extra: str, *, need: str) -> None:
        super().__init__(f'{need} needs the extra "{extra}". Type: pip install "withgrain[{extra}]"')
        self.extra = extra


class DocumentError(WithgrainError):
    """One document cannot be read or parsed; the batch goes on without it."""

    exit_code = 4
    kind = "parse_failed"


class Unavailable(WithgrainError):
    """Something outside is locked, unreachable or full."""

    exit_code = 5
    kind = "unavailable"


class CollectionLocked(Unavailable):
    """Another process is writing to the collection."""

    kind = "locked"


class IntegrityError(WithgrainError):
    """Stored data is not what was written."""

    exit_code = 6
    kind = "integrity"


@contextmanager
def another_package(what: str) -> Iterator[None]:
    """Blame another package for whatever its code raises.

    Args:
        what: What is loaded: names the entry point and the package.

    Raises:
        ConfigError: Something else than an error of ours was raised.
    """
    try:
        yield
    except WithgrainError:
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise ConfigError(
            f"{what} cannot be loaded: {reason}. Mend or remove the package that it comes from."
        ) from error
