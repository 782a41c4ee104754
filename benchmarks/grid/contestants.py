"""Who competes: withgrain's policies as they are and at a common size, variants of the default, and the peers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from benchmarks.peers import CHUNKERS, OWN, Sizes, available, load
from withgrain.chunk import POLICIES, Budget, Chunked, Context, Policy, chunk_document
from withgrain.chunk.semantic import within_window
from withgrain.model import Document
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


def semantic() -> Contestant:
    """Return the policy that cuts where the meaning changes, with vectors from a table for its sentences.

    It needs a vector for every sentence of the corpus: with the bundled model that takes hours.
    """
    policy = POLICIES["semantic"]

    def make() -> Cut:
        from withgrain.embed import load_embedder

        embedder = load_embedder("static")
        assert embedder is not None
        context = Context(embed=within_window(embedder))
        return lambda document: chunk_document(document, policy, wordpiece(), audit=False, context=context)

    return Contestant(name="semantic (static)", key=f"{policy.fingerprint}@static", make=make)


def policies() -> list[Contestant]:
    """Return every policy, then the plain ones at the common size."""
    names = [n for n in ("token_only", "fixed", "paragraph", "heading", "recursive", "parent_child") if n in POLICIES]
    plain = [at_common_size(POLICIES[n]) for n in ("token_only", "paragraph", "heading", "recursive")]
    return [own(POLICIES["structure_aware"]), *(own(POLICIES[n]) for n in names), semantic(), *plain]


def peers() -> tuple[list[Contestant], list[str]]:
    """Return the peers that are installed, and the names of the others."""
    there, missing = available([n for n in CHUNKERS if n not in OWN])
    return [peer(n) for n in there], missing


#: Up to this many tokens a section is one chunk in the variants that keep sections whole.
WHOLE = 400
#: The sizes by class that a default is compared with: target, maximum, minimum, overlap.
BY_CLASS = {
    "api_reference": (180, 360, 40, 10),
    "json": (130, 260, 30, 0),
    "sop": (220, 440, 80, 30),
    "concept": (430, 470, 150, 80),
    "incident": (270, 430, 80, 40),
    "policy": (220, 440, 40, 30),
    "faq": (180, 360, 30, 0),
    "code": (300, 480, 40, 0),
}
#: The candidate that the others are compared with.
REFERENCE = "sizes by class"


def variants() -> list[Contestant]:
    """Return what the defaults are chosen among: targets, whole sections, merging, overlap, and the path."""
    base = _by_class()
    found = [own(POLICIES["structure_aware"]), own(base, REFERENCE)]
    for target, maximum in ((128, 256), (200, 350), (280, 420), (350, 480)):
        sized = _sized(base, target, maximum)
        found.append(own(sized, f"target {target}"))
        if target == 200:
            found.append(own(replace(sized, merge="siblings"), f"target {target}, merged"))
    found.append(own(replace(base, merge="siblings"), "by class, merged"))
    found.append(own(replace(base, overlap_at=()), "by class, no overlap"))
    found.append(own(replace(base, prefix=False), "by class, no path"))
    found.append(own(_sized(base, 400, 400), "target 400"))
    by_class = _whole(base)
    found += [
        own(by_class, f"by class, whole to {WHOLE}"),
        own(_clauses(by_class), f"by class, whole to {WHOLE}, clauses 128"),
        own(_whole(_sized(base, 128, 256)), f"target 128, whole to {WHOLE}"),
        own(_whole(_sized(base, 200, 350)), f"target 200, whole to {WHOLE}"),
        own(_clauses(base), "by class, clauses 128"),
        own(_sized(base, 128, 256, 256), "target 128, whole to 256"),
        own(_short_clauses(_whole(_sized(base, 128, 256))), f"target 128, whole to {WHOLE}, clauses to 256"),
    ]
    return found


def clauses() -> list[Contestant]:
    """Return the default with other sizes for policies and contracts: target, maximum, whole."""
    default = POLICIES["structure_aware"]

    def sized(target: int, maximum: int, whole: int) -> Policy:
        classes = dict(default.classes)
        classes["policy"] = replace(classes["policy"], target=target, maximum=maximum, whole=whole)
        return replace(default, classes=tuple(classes.items()))

    sizes = ((128, 256, 256), (128, 340, 280), (160, 320, 320), (180, 360, 360), (220, 440, 440), (280, 480, 480))
    return [own(sized(*some), CLAUSES.format(*some)) for some in sizes]


#: Names of the contestants of `clauses`; the first is the default.
CLAUSES = "clauses {}/{}, whole to {}"


def _by_class() -> Policy:
    """Return the default with the sizes of `BY_CLASS`."""

    def budget(target: int, maximum: int, minimum: int, overlap: int) -> Budget:
        return Budget(target=target, maximum=maximum, minimum=minimum, overlap=overlap)

    classes = tuple((name, budget(*sizes)) for name, sizes in BY_CLASS.items())
    return replace(POLICIES["structure_aware"], budget=budget(350, 480, 100, 50), classes=classes)


def _sized(policy: Policy, target: int, maximum: int, whole: int = 0) -> Policy:
    """Return a policy with one size for all classes."""
    budget = replace(policy.budget, target=target, maximum=maximum, whole=whole)
    return replace(policy, budget=budget, classes=())


def _whole(policy: Policy) -> Policy:
    """Return a policy that keeps sections of up to `WHOLE` tokens whole, with room for their path."""

    def widened(budget: Budget) -> Budget:
        return replace(budget, maximum=max(budget.maximum, WHOLE + 80), whole=WHOLE)

    classes = tuple((name, widened(b)) for name, b in policy.classes)
    return replace(policy, budget=widened(policy.budget), classes=classes)


def _clauses(policy: Policy) -> Policy:
    """Return a policy that cuts policies and contracts at 128 tokens."""
    classes = tuple((name, replace(b, target=128) if name == "policy" else b) for name, b in policy.classes)
    return replace(policy, classes=classes)


def _short_clauses(policy: Policy) -> Policy:
    """Return a policy that has no policy or contract in chunks of more than 256 tokens."""
    return replace(policy, classes=(("policy", replace(policy.budget, target=128, maximum=256, whole=256)),))
