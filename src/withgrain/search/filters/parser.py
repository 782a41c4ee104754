r"""The grammar of filters.

::

    filter   = either
    either   = both { "or" both }
    both     = one { "and" one }
    one      = "not" one | "(" either ")" | compare
    compare  = field ( "=" | "!=" | "^=" | "*=" | "<" | "<=" | ">" | ">=" | "contains" ) value
             | field [ "not" ] "in" "(" value { "," value } ")"
    value    = characters without white space, quotes, brackets and commas | "…" | '…'  (\\ escapes a character)

``^=`` is "starts with", ``*=`` is "contains"; ``:`` and ``==`` are other spellings of ``=``. Words are read in any
case. ``and`` binds closer than ``or``. Several filter texts hold together: all of them must be true.
"""

from __future__ import annotations

from collections.abc import Sequence

from withgrain.errors import UsageError
from withgrain.model import And, Filter, Not, Or, all_of
from withgrain.search.filters.compare import compare
from withgrain.search.filters.scanner import Scanner

#: Bounds that no honest filter reaches; they keep hostile ones cheap, here and in every store.
MAX_CHARACTERS = 20_000
MAX_COMPARISONS = 500
MAX_DEPTH = 50

OPERATORS = "= != ^= (starts with) *= or contains, < <= > >=, in (…), not in (…)"
_STRENGTH = {"or": 1, "and": 2, "not": 3}


def parse_filter(texts: Sequence[str]) -> Filter | None:
    """Return one filter that asks for all of the ``texts``; None when there are none.

    Raises:
        UsageError: A filter is empty, too long or too deep, cannot be read (with the character), or names an unknown
            field (with the nearest name).
    """
    return all_of(*(_Parser(text).parse() for text in texts))


class _Parser:
    """Operator precedence with two explicit stacks (Dijkstra's shunting yard): no recursion on the input."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_CHARACTERS:
            raise UsageError(f"The filter has {len(text)} characters; at most {MAX_CHARACTERS} are read.")
        self.scanner = Scanner(text)
        self.operands: list[Filter] = []
        self.operators: list[tuple[str, int]] = []
        self.comparisons = 0

    def parse(self) -> Filter:
        """Return the tree of the whole text."""
        if self.scanner.at_end():
            raise UsageError("The filter is empty. Write for example: domain=okta.")
        self._operand()
        while not self.scanner.at_end():
            self._connector()
        while self.operators:
            word, position = self.operators[-1]
            if word == "(":
                raise self.scanner.error("this bracket is never closed", position)
            self._apply()
        return self.operands[0]

    def _push(self, word: str) -> None:
        if len(self.operators) >= 2 * MAX_DEPTH or sum(o == "(" for o, _ in self.operators) >= MAX_DEPTH:
            raise self.scanner.error(f"filters may be nested at most {MAX_DEPTH} deep")
        self.operators.append((word, self.scanner.position))

    def _operand(self) -> None:
        """Read prefixes (``not``, opening brackets) and one comparison."""
        while True:
            place = self.scanner.position
            if self.scanner.keyword("not"):
                self._push("not")
            elif self.scanner.sign("("):
                self._push("(")
                self.operators[-1] = ("(", place)
            else:
                break
        self.operands.append(self._compare())

    def _compare(self) -> Filter:
        self.comparisons += 1
        if self.comparisons > MAX_COMPARISONS:
            raise self.scanner.error(f"a filter may hold at most {MAX_COMPARISONS} comparisons")
        name = self.scanner.name()
        sign = self.scanner.operator()
        if sign:
            return compare(name, sign, (self.scanner.value(),))
        word = self.scanner.keyword("in", "contains", "not")
        if word == "contains":
            return compare(name, "contains", (self.scanner.value(),))
        if word == "not" and self.scanner.keyword("in"):
            return Not(part=compare(name, "in", self._values()))
        if word == "in":
            return compare(name, "in", self._values())
        raise self.scanner.error(f'an operator must follow the field "{name}": {OPERATORS}')

    def _values(self) -> tuple[str, ...]:
        if not self.scanner.sign("("):
            raise self.scanner.error('behind "in" values stand in brackets')
        values = [self.scanner.value()]
        while self.scanner.sign(","):
            values.append(self.scanner.value())
        if not self.scanner.sign(")"):
            raise self.scanner.error("a comma or a closing bracket must stand here")
        return tuple(values)

    def _connector(self) -> None:
        """Read ``)``, or ``and``/``or`` with the operand behind it."""
        place = self.scanner.position
        if self.scanner.sign(")"):
            while self.operators and self.operators[-1][0] != "(":
                self._apply()
            if not self.operators:
                raise self.scanner.error("this bracket was never opened", place)
            self.operators.pop()
            return
        word = self.scanner.keyword("and", "or")
        if word is None:
            raise self.scanner.error('"and", "or" or the end must stand here')
        while self.operators and _STRENGTH.get(self.operators[-1][0], 0) >= _STRENGTH[word]:
            self._apply()
        self._push(word)
        self._operand()

    def _apply(self) -> None:
        """Combine the topmost operands with the topmost operator; chains of the same word become one flat node."""
        word, _ = self.operators.pop()
        right = self.operands.pop()
        if word == "not":
            self.operands.append(Not(part=right))
            return
        left = self.operands.pop()
        if word == "and":
            parts = left.parts if isinstance(left, And) else (left,)
            self.operands.append(And(parts=(*parts, right)))
        else:
            parts = left.parts if isinstance(left, Or) else (left,)
            self.operands.append(Or(parts=(*parts, right)))
