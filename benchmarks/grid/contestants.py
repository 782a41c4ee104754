"""Who competes: withgrain's policies as they are and at a common size, variants of the default, and the peers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benchmarks.peers import CHUNKERS, OWN, Sizes, available, load
from withgrain.chunk import POLICIES, Budget, Chunked, Policy, chunk_document
from withgrain.model import Chunk, Document, Span, chunk_id
from withgrain.signals import detect
from withgrain.tokens import wordpiece

#: The size at which plain packing and the peers compete beside their own defaults, in tokens.
COMMON = 400

Cut = Callable[[Document], Chunked]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """One way to cut.

    Attributes:
        name: In the tables.
        key: Changes whenever its chunks can change, as far as it can tell.
        make: Returns the function that cuts; heavy things are loaded then.
    """

    name: str
    key: str
    make: Callable[[], Cut]


def own(policy: Policy, name: str | None = None) -> Contestant:
    """Return a policy of withgrain."""
    return Contestant(
        name=name or policy.name,
        key=policy.fingerprint,
        make=lambda: lambda document: chunk_document(document, policy, wordpiece(), audit=False),
    )


def peer(name: str, limit: int = COMMON) -> Contestant:
    """Return a peer at a limit in tokens."""

    def make() -> Cut:
        from benchmarks.peers.policies import chunked

        cutter = load(name)(Sizes(limit=limit, count=wordpiece().count))
        return lambda document: chunked(document, cutter, wordpiece().count)

    return Contestant(name=f"{name} {limit}", key=f"{name}@{limit}", make=make)


def at_common_size(policy: Policy) -> Contestant:
    """Return a plain policy with chunks of up to `COMMON` tokens and no overlap."""
    sized = replace(policy, unit="tokens", budget=Budget(target=COMMON, maximum=COMMON), overlap_at=())
    return own(sized, f"{policy.name} {COMMON}")


def policies() -> list[Contestant]:
    """Return every policy that needs no embedder, then the plain ones at the common size."""
    names = [n for n in ("token_only", "fixed", "paragraph", "heading", "recursive", "parent_child") if n in POLICIES]
    plain = [at_common_size(POLICIES[n]) for n in ("token_only", "paragraph", "heading", "recursive")]
    return [own(POLICIES["structure_aware"]), *(own(POLICIES[n]) for n in names), *plain]


def peers() -> tuple[list[Contestant], list[str]]:
    """Return the peers that are installed, and the names of the others."""
    there, missing = available([n for n in CHUNKERS if n not in OWN])
    return [peer(n) for n in there], missing


def whole(policy: Policy, most: int, name: str) -> Contestant:
    """Return a policy of which chunks of one section are joined again where all of it is at most ``most`` tokens."""
    count = wordpiece().count

    def cut(document: Document) -> Chunked:
        found = chunk_document(document, policy, wordpiece(), audit=False)
        groups: list[list[Chunk]] = []
        for chunk in found.chunks:
            same = groups and groups[-1][0].parent_id == chunk.parent_id and not chunk.sections
            if same and not groups[-1][0].sections:
                groups[-1].append(chunk)
            else:
                groups.append([chunk])
        chunks: list[Chunk] = []
        for group in groups:
            joined = _joined(document, group, count)
            chunks += [joined] if joined is not None and (joined.tokens or 0) <= most else group
        numbered = (replace(c, ordinal=n, total=len(chunks)) for n, c in enumerate(chunks))
        return replace(found, chunks=tuple(numbered))

    return Contestant(name=name, key=f"{policy.fingerprint}+{most}", make=lambda: cut)


def _joined(document: Document, group: Sequence[Chunk], count: Callable[[str], int]) -> Chunk | None:
    first, last = group[0], group[-1]
    if len(group) < 2 or first.span is None or last.span is None:
        return None
    span = Span(start=first.span.start, end=last.span.end)
    parts = tuple(p for p in first.parts if p.role == "path")
    body = span.of(document.text)
    joined = replace(
        first,
        id=chunk_id(document.id, first.heading_path, body, 0),
        span=span,
        body=body,
        parts=parts,
        lines=document.lines(span),
        facts=detect("\n".join((*first.heading_path[-1:], body))),
    )
    return replace(joined, tokens=count(joined.embed_text))


def variants() -> list[Contestant]:
    """Return what the defaults are chosen among: targets, merging, overlap, and the path in front of the text."""
    base = POLICIES["structure_aware"]
    found = [own(base)]
    for target, maximum in ((128, 256), (200, 350), (280, 420), (350, 480)):
        sized = replace(base, budget=replace(base.budget, target=target, maximum=maximum), classes=())
        found.append(own(sized, f"target {target}"))
        if target == 200:
            found.append(own(replace(sized, merge="siblings"), f"target {target}, merged"))
    found.append(own(replace(base, merge="siblings"), "default, merged"))
    found.append(own(replace(base, overlap_at=()), "default, no overlap"))
    found.append(own(replace(base, prefix=False), "default, no path"))
    small = replace(base, budget=replace(base.budget, target=200, maximum=350), classes=())
    smaller = replace(base, budget=replace(base.budget, target=128, maximum=256), classes=())
    found += [
        whole(base, 400, "default, whole to 400"),
        whole(small, 400, "target 200, whole to 400"),
        whole(smaller, 400, "target 128, whole to 400"),
        whole(smaller, 300, "target 128, whole to 300"),
        own(replace(base, budget=replace(base.budget, target=400, maximum=400), classes=()), "target 400"),
    ]
    return found
