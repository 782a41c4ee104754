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
from withgrain.model.filter import MAX_DEPTH
from withgrain.search.filters.compare import compare
from withgrain.search.filters.scanner import Scanner

#: Bounds that no honest filter reaches; they keep hostile ones cheap, here and in every store.
MAX_CHARACTERS = 20_000
MAX_COMPARISONS = 500
#: What a level may have open at once: brackets, more brackets that nobody needs, "not", and a word.
_OPEN = 4 * MAX_DEPTH
_TOO_DEEP = f"filters may be nested at most {MAX_DEPTH} levels deep; write it flatter"

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
        self.operands: list[tuple[Filter, int]] = []  # each with the number of its levels
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
        return self.operands[0][0]

    def _operand(self) -> None:
        """Read prefixes (``not``, opening brackets) and one comparison."""
        while True:
            place = self.scanner.position
            if self.scanner.keyword("not"):
                self.operators.append(("not", place))
            elif self.scanner.sign("("):
                self.operators.append(("(", place))
            else:
                break
            if len(self.operators) > _OPEN:
                raise self.scanner.error(_TOO_DEEP, place)
        self.operands.append((self._compare(), 1))

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
        self.operators.append((word, place))
        self._operand()

    def _apply(self) -> None:
        """Combine the topmost operands with the topmost operator; chains of the same word become one flat node."""
        word, place = self.operators.pop()
        right, below = self.operands.pop()
        if word == "not":
            self._add(Not(part=right), below + 1, place)
            return
        left, levels = self.operands.pop()
        node = And if word == "and" else Or
        chain = isinstance(left, node)
        parts = left.parts if isinstance(left, And | Or) and chain else (left,)
        self._add(node(parts=(*parts, right)), max(levels if chain else levels + 1, below + 1), place)

    def _add(self, tree: Filter, levels: int, place: int) -> None:
        if levels > MAX_DEPTH:
            raise self.scanner.error(_TOO_DEEP, place)
        self.operands.append((tree, levels))
