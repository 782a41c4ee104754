"""What one document may cost, and how the process that reads it is held to that."""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import dataclass, replace

from withgrain.errors import UsageError

_MEGABYTE = 1024 * 1024

#: CPU seconds and bytes of memory for each byte of a plain text: two to three times what large ones really need.
TEXT_SECONDS = 4 / _MEGABYTE
TEXT_MEMORY = 40
#: Seconds on the clock for each second of CPU time: only what waits for ever meets that limit, not what waits its turn.
WALL = 10
#: Parsers write no files; what a library may leave in a temporary place.
MOST_WRITTEN = 64 * _MEGABYTE

# Events of `sys.audit` that no parser has a reason for: other processes and the network.
_REFUSED = ("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn", "socket.bind")
_REFUSED_BEGINNINGS = ("subprocess.", "socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What reading and cutting one document may cost.

    Attributes:
        memory: Bytes of address space of the process that does it.
        cpu_seconds: CPU time: the limit that counts, the same on a busy machine.
        wall_seconds: Time on the clock, ten times as much: a net for what waits instead of computing.
    """

    memory: int = 1024 * _MEGABYTE
    cpu_seconds: float = 15.0
    wall_seconds: float = 150.0

    def __post_init__(self) -> None:
        """Refuse limits under which nothing could be read."""
        if self.memory < 128 * _MEGABYTE or self.cpu_seconds <= 0 or self.wall_seconds <= 0:
            raise UsageError("A document needs at least 128 MB of memory and more than 0 seconds.")

    def for_text(self, size: int) -> Limits:
        """Return the limits for a plain text: our own parsers are linear, so a large one may cost more."""
        more = size * TEXT_SECONDS
        return replace(
            self,
            memory=self.memory + size * TEXT_MEMORY,
            cpu_seconds=self.cpu_seconds + more,
            wall_seconds=self.wall_seconds + WALL * more,
        )

    @classmethod
    def of_seconds(cls, cpu_seconds: float) -> Limits:
        """Return the limits with another CPU time, and a time on the clock to match."""
        return cls(cpu_seconds=cpu_seconds, wall_seconds=WALL * cpu_seconds)


def confine() -> None:
    """Limit this process for good: no core dumps, no large files, no other processes, no network from Python code."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _set(resource.RLIMIT_FSIZE, MOST_WRITTEN)
    sys.addaudithook(_refuse)


def renew(limits: Limits) -> None:
    """Give this process a fresh budget for the next document.

    Beyond it allocations fail, and the kernel ends a process that computes on.
    """
    _set(resource.RLIMIT_AS, limits.memory)
    _set(resource.RLIMIT_CPU, int(time.process_time() + limits.cpu_seconds) + 1)


def _set(kind: int, value: int) -> None:
    """Set the soft limit, never above the hard one: what an administrator decided stays."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _refuse(event: str, _: tuple[object, ...]) -> None:
    if event in _REFUSED or event.startswith(_REFUSED_BEGINNINGS):
        raise PermissionError(f"a parser may not do this: {event}")
