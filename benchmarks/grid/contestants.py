"""Who competes: withgrain's policies as they are and at a common size, variants of the default, and the peers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from benchmarks.peers import CHUNKERS, OWN, Sizes, available, load
from withgrain.chunk import LEAVES, POLICIES, Budget, Chunked, Context, LeafShape, Policy, chunk_document
from withgrain.chunk.semantic import within_window
from withgrain.model import Document
from withgrain.search import Weights
from withgrain.tokens import wordpiece

#: The size at which plain packing and the peers compete beside their own defaults, in tokens.
COMMON = 400

Cut = Callable[[Document], Chunked]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """One way to cut, and to search in what was cut.

    Attributes:
        name: In the tables.
        cut: Changes whenever its chunks can change, as far as it can tell.
        make: Returns the function that cuts; heavy things are loaded then.
        shape: What gets a vector.
        weights: Numbers of the ranking; None for the default's.
    """

    name: str
    cut: str
    make: Callable[[], Cut]
    shape: LeafShape = LEAVES
    weights: Weights | None = None

    @property
    def indexed(self) -> str:
        """Changes whenever its chunks or what gets a vector can change."""
        return self.cut if self.shape == LEAVES else f"{self.cut}/{self.shape}"

    @property
    def key(self) -> str:
        """Changes whenever its answers can change."""
        return self.indexed if self.weights is None else f"{self.indexed}/{self.weights}"


def own(policy: Policy, name: str | None = None) -> Contestant:
    """Return a policy of withgrain."""
    return Contestant(
        name=name or policy.name,
        cut=policy.fingerprint,
        make=lambda: lambda document: chunk_document(document, policy, wordpiece(), audit=False),
    )


def peer(name: str, limit: int = COMMON) -> Contestant:
    """Return a peer at a limit in tokens."""

    def make() -> Cut:
        from benchmarks.peers.policies import chunked

        cutter = load(name)(Sizes(limit=limit, count=wordpiece().count))
        return lambda document: chunked(document, cutter, wordpiece().count)

    return Contestant(name=f"{name} {limit}", cut=f"{name}@{limit}", make=make)


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

    return Contestant(name="semantic (static)", cut=f"{policy.fingerprint}@static", make=make)


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
#: The candidate that the others are compared with: what collections and searches have.
REFERENCE = "structure_aware"


def variants() -> list[Contestant]:
    """Return what the defaults are chosen among by words: sizes, whole sections, merging, overlap, and the path."""
    default, base = POLICIES["structure_aware"], _by_class()
    found = [own(default), own(base, "sizes by class")]
    found += [own(_sized(base, target, maximum), f"target {target}") for target, maximum in SIZES]
    by_class = _whole(base)
    return [
        *found,
        own(by_class, f"by class, whole to {WHOLE}"),
        own(_clauses(by_class), f"by class, whole to {WHOLE}, clauses 128"),
        own(_whole(_sized(base, 128, 256)), f"target 128, whole to {WHOLE}"),
        own(_whole(_sized(base, 200, 350)), f"target 200, whole to {WHOLE}"),
        own(_sized(base, 128, 256, 256), "target 128, whole to 256"),
        own(replace(default, merge="siblings"), "small siblings merged"),
        own(replace(default, overlap_at=()), "no overlap"),
        own(replace(default, overlap_at=("*",)), "overlap at every cut"),
        own(replace(default, prefix=False), "no path"),
    ]


#: Sizes without regard to class: target and maximum.
SIZES = ((128, 256), (200, 350), (280, 420), (350, 480), (400, 400))


def in_vectors() -> list[Contestant]:
    """Return what the defaults are chosen among by vectors alone: what gets one, and how the channels add up."""
    shapes = {
        "leaves with title": replace(LEAVES, title=True),
        "leaves without path": replace(LEAVES, depth=0),
        "leaves of 60 tokens": replace(LEAVES, tokens=60),
        "leaves joined to 200 tokens": replace(LEAVES, tokens=200, small=200, label=200),
    }
    weights = {
        "rank fusion": Weights(fusion="rrf"),
        "vectors .5": Weights(dense=0.5),
        "vectors .75": Weights(dense=0.75),
        "vectors 1.5": Weights(dense=1.5),
        "documents 0": Weights(document=0),
        "documents .5": Weights(document=0.5),
        "vectors .5, documents .5": Weights(dense=0.5, document=0.5),
        "tokens 0": Weights(late=0),
        "tokens .5": Weights(late=0.5),
        "tokens 2": Weights(late=2),
        "tokens of 20": Weights(late_candidates=20),
        "tokens of 100": Weights(late_candidates=100),
        "100 candidates": Weights(candidates=100),
    }
    default = own(POLICIES["structure_aware"])
    return [
        *(replace(default, name=name, weights=some) for name, some in weights.items()),
        *(replace(default, name=name, shape=shape) for name, shape in shapes.items()),
    ]


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
