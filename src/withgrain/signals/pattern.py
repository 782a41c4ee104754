r"""Patterns that users write: a subset of regular expressions that cannot be slow.

A pattern is read into a non-deterministic automaton (Thompson 1968) and run as a deterministic one that is made while
it runs: every character of a token is looked at once, whatever the pattern. There is nothing to backtrack, so no
pattern is "catastrophic". What needs backtracking (back-references, look-around) or is endless (huge counts) is
refused.

Understood: letters and other signs for themselves, ``.``, ``[A-Z_]``, ``[^…]``, ``\d \w \s`` and their capitals,
``\`` in front of a sign, ``(…)``, ``(?:…)``, ``|``, ``? * + {2} {2,} {2,5}``. A pattern describes a whole token, so
``^`` and ``$`` are not needed.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator

#: Longest pattern, in characters.
LONGEST = 500
#: States of its automaton: what counts in braces multiply.
MOST_STATES = 500
#: Pieces that are put together: repeated empty groups have no states.
_MOST_STEPS = 20_000
#: Groups inside of groups.
DEEPEST = 20
#: Deterministic states that are remembered; then they are made anew.
_REMEMBERED = 2_000

_WORD = frozenset(string.ascii_letters + string.digits + "_")
_DIGIT = frozenset(string.digits)
_SPACE = frozenset(string.whitespace)
_CLASSES: dict[str, tuple[frozenset[str], bool]] = {
    "d": (_DIGIT, True),
    "D": (_DIGIT, False),
    "w": (_WORD, True),
    "W": (_WORD, False),
    "s": (_SPACE, True),
    "S": (_SPACE, False),
}

Test = Callable[[str], bool]


class PatternError(ValueError):
    """The pattern is outside of the subset; the message says where and why."""


class Pattern:
    """A compiled pattern. `matches` takes time proportional to the length of the text."""

    __slots__ = ("_cache", "_edges", "_empty", "_start", "source")

    def __init__(self, source: str) -> None:
        """Compile a pattern.

        Raises:
            PatternError: It cannot be used.
        """
        self.source = source
        builder = _Builder(source)
        self._edges, self._empty = builder.edges, builder.empty
        self._start = self._closed({builder.start})
        self._cache: dict[tuple[frozenset[int], str], frozenset[int]] = {}
        if _END in self._start:
            raise PatternError("it matches an empty text")

    def matches(self, text: str) -> bool:
        """Return whether the pattern describes the whole text."""
        states = self._start
        for character in text:
            known = self._cache.get((states, character))
            states = known if known is not None else self._step(states, character)
            if not states:
                return False
        return _END in states

    def _step(self, states: frozenset[int], character: str) -> frozenset[int]:
        if len(self._cache) >= _REMEMBERED:
            self._cache.clear()
        reached = {to for state in states for test, to in self._edges.get(state, ()) if test(character)}
        found = self._cache[states, character] = self._closed(reached)
        return found

    def _closed(self, states: set[int]) -> frozenset[int]:
        """Return the states with those that are reached from them without a character."""
        stack = list(states)
        while stack:
            for to in self._empty.get(stack.pop(), ()):
                if to not in states:
                    states.add(to)
                    stack.append(to)
        return frozenset(states)


_END = 0


class _Builder:
    """Reads a pattern from the left and builds its automaton backwards: what follows a piece is known first."""

    def __init__(self, source: str) -> None:
        if len(source) > LONGEST:
            raise PatternError(f"it is longer than {LONGEST} characters")
        self._source = source
        self._at = 0
        self._depth = 0
        self._next = 1
        self._steps = 0
        self.edges: dict[int, list[tuple[Test, int]]] = {}
        self.empty: dict[int, list[int]] = {}
        piece = self._choice()
        if self._at < len(source):
            raise self._error("a ) without its (")
        self.start = piece(_END)

    def _choice(self) -> Callable[[int], int]:
        options = [self._sequence()]
        while self._peek() == "|":
            self._at += 1
            options.append(self._sequence())
        if len(options) == 1:
            return options[0]

        def build(then: int) -> int:
            state = self._state()
            self.empty[state] = [option(then) for option in options]
            return state

        return build

    def _sequence(self) -> Callable[[int], int]:
        pieces: list[Callable[[int], int]] = []
        while (character := self._peek()) and character not in "|)":
            pieces.append(self._repeated(self._atom()))

        def build(then: int) -> int:
            self._steps += 1 + len(pieces)
            if self._steps > _MOST_STEPS:
                raise PatternError("its counts multiply; use smaller ones")
            for piece in reversed(pieces):
                then = piece(then)
            return then

        return build

    def _atom(self) -> Callable[[int], int]:
        character = self._take()
        if character == "(":
            return self._group()
        if character == "[":
            return self._single(self._set())
        if character == "\\":
            return self._single(_member(*self._escape()))
        if character == ".":
            return self._single(lambda c: c != "\n")
        if character in "?*+{":
            raise self._error(f"{character} with nothing in front of it")
        if character in "^$":
            raise self._error(f"{character}: a pattern describes the whole token, leave it out")
        return self._single(lambda c: c == character)

    def _group(self) -> Callable[[int], int]:
        if self._peek() == "?":
            if self._source[self._at : self._at + 2] != "?:":
                raise self._error("(? may only be (?: here: look-around, names and flags are not understood")
            self._at += 2
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._error(f"more than {DEEPEST} groups inside of each other")
        inner = self._choice()
        self._depth -= 1
        if self._take() != ")":
            raise self._error("a ( without its )")
        return inner

    def _single(self, test: Test) -> Callable[[int], int]:
        def build(then: int) -> int:
            state = self._state()
            self.edges[state] = [(test, then)]
            return state

        return build

    def _repeated(self, piece: Callable[[int], int]) -> Callable[[int], int]:
        bounds = self._bounds()
        if bounds is None:
            return piece
        least, most = bounds
        if self._peek() and self._peek() in "?*+{":
            raise self._error("two counts behind each other (lazy and possessive ones are not needed: write one)")

        def build(then: int) -> int:
            if most is None:
                state = self._state()
                self.empty[state] = [then]
                self.empty[state].append(piece(state))
                then = state
            else:
                for _ in range(most - least):
                    state = self._state()
                    self.empty[state] = [then, piece(then)]
                    then = state
            for _ in range(least):
                then = piece(then)
            return then

        return build

    def _bounds(self) -> tuple[int, int | None] | None:
        simple: dict[str, tuple[int, int | None]] = {"?": (0, 1), "*": (0, None), "+": (1, None)}
        character = self._peek()
        if character in simple:
            self._at += 1
            return simple[character]
        if character != "{":
            return None
        end = self._source.find("}", self._at)
        low, comma, high = self._source[self._at + 1 : end if end > 0 else self._at + 1].partition(",")
        if not low.isdecimal() or (high and not high.isdecimal()):
            raise self._error("{ must be {2}, {2,} or {2,5}; \\{ is the sign itself")
        self._at = end + 1
        least, most = int(low), (int(high) if high else None) if comma else int(low)
        if max(least, most or 0) > MOST_STATES or (most is not None and most < least):
            raise self._error(f"the count {{{low}{comma}{high}}} is out of range")
        return least, most

    def _set(self) -> Test:
        negated = self._peek() == "^"
        self._at += negated
        members: list[Test] = []
        first = True
        while first or self._peek() != "]":
            first = False
            members.append(self._range())
        self._at += 1
        return lambda c: any(member(c) for member in members) is not negated

    def _range(self) -> Test:
        character = self._take()
        if character == "\\":
            signs, positive = self._escape()
            if len(signs) > 1:
                return _member(signs, positive)
            (character,) = signs
        if self._peek() != "-" or self._source[self._at + 1 : self._at + 2] in ("]", ""):
            return _member(frozenset(character), True)
        self._at += 1
        last = self._take()
        if last == "\\":
            (last, *more) = self._escape()[0]
            if more:
                raise self._error("a range that ends with a class")
        if last < character:
            raise self._error(f"the range {character}-{last} runs backwards")
        return lambda c: character <= c <= last

    def _escape(self) -> tuple[frozenset[str], bool]:
        character = self._take()
        if character in _CLASSES:
            return _CLASSES[character]
        if character.isalnum():
            raise self._error(f"\\{character} is not understood")
        return frozenset(character), True

    def _state(self) -> int:
        self._next += 1
        if self._next > MOST_STATES:
            raise PatternError(f"its counts multiply to more than {MOST_STATES:,} states; use smaller ones")
        return self._next

    def _peek(self) -> str:
        return self._source[self._at : self._at + 1]

    def _take(self) -> str:
        if self._at >= len(self._source):
            raise self._error("it ends too early")
        self._at += 1
        return self._source[self._at - 1]

    def _error(self, why: str) -> PatternError:
        return PatternError(f"at character {self._at}: {why}")


def _member(signs: frozenset[str], positive: bool) -> Test:
    return lambda c: (c in signs) is positive


def characters_of(source: str) -> Iterator[str]:
    """Yield the signs that a pattern names outside of sets: those that must stand in every token it can match."""
    at, inside = 0, ""
    while at < len(source):
        character = source[at]
        if character == "\\":
            follow = source[at + 1 : at + 2]
            if follow and not follow.isalnum() and not inside:
                yield follow
            at += 2
            continue
        if inside:
            inside = "" if character == inside else inside
        elif character in "[{":
            inside = "]" if character == "[" else "}"
        elif character not in "()|?*+.":
            yield character
        at += 1
