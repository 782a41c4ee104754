"""Read names, operators and values of a filter text, one at a time, as the parser asks for them."""

from __future__ import annotations

import re

from withgrain.errors import UsageError

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPERATOR = re.compile(r"\^=|\*=|>=|<=|!=|==|=|>|<|:")
_BARE = re.compile(r"""[^\s(),"']+""")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class Scanner:
    """A place in a filter text. Every step moves forward, so reading is linear.

    Attributes:
        text: The whole filter.
        position: 0-based place of the next character that is not white space.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self._skip_space()

    def _skip_space(self) -> None:
        found = _SPACE.match(self.text, self.position)
        self.position = found.end() if found else self.position

    def _take(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self.text, self.position)
        if not found or not found.group():
            return None
        self.position = found.end()
        self._skip_space()
        return found.group()

    def at_end(self) -> bool:
        """Return whether nothing is left."""
        return self.position >= len(self.text)

    def sign(self, character: str) -> bool:
        """Step over ``character`` when it is next, and say whether it was."""
        if not self.text.startswith(character, self.position):
            return False
        self.position += len(character)
        self._skip_space()
        return True

    def keyword(self, *words: str) -> str | None:
        """Step over one of the ``words`` (any case) when it is next and no operator follows; return it in lower case.

        ``not=1`` is a comparison with a field called "not" (which is then unknown), not the word.
        """
        found = _NAME.match(self.text, self.position)
        if not found or found.group().lower() not in words:
            return None
        behind = _SPACE.match(self.text, found.end())
        if _OPERATOR.match(self.text, behind.end() if behind else found.end()):
            return None
        self.position = found.end()
        self._skip_space()
        return found.group().lower()

    def name(self) -> str:
        """Read the name of a field.

        Raises:
            UsageError: Something else stands here.
        """
        found = self._take(_NAME)
        if found is None:
            raise self.error("the name of a field must stand here")
        return found

    def operator(self) -> str | None:
        """Read an operator sign; None when none is next."""
        return self._take(_OPERATOR)

    def value(self) -> str:
        """Read a bare or quoted value; quotes and escapes are removed.

        Raises:
            UsageError: A quote is not closed, or no value stands here.
        """
        if self.text.startswith(('"', "'"), self.position):
            quoted = self._take(_QUOTED)
            if quoted is None:
                raise self.error("this quote is never closed")
            return _ESCAPE.sub(r"\1", quoted[1:-1])
        found = self._take(_BARE)
        if found is None:
            raise self.error("a value must stand here")
        return found

    def error(self, what: str, position: int | None = None) -> UsageError:
        """Return the error for a filter that cannot be read: what, at which character, and a mark below the place."""
        place = self.position if position is None else position
        start = max(0, place - 40)
        window = re.sub(r"\s", " ", self.text[start : place + 40])
        return UsageError(
            f"The filter cannot be read at character {place + 1}: {what}.\n"
            f"  {window}\n  {' ' * (place - start)}^\n"
            'Write for example: domain=okta, quality>=60, class in (sop, incident), path^="runbooks/".'
        )
