"""Writes canonical Markdown and its blocks together: every rendered format builds its document with this.

The parser of a format says what it meets, in reading order: a heading, a paragraph, the begin and end of a list. The
writer puts it down as Markdown that reads back as the same blocks, and notes where each stands: spans are exact because
they are made with the text. A container that stays empty leaves no trace.
"""

from __future__ import annotations

from collections.abc import Sequence

from withgrain.model import Block, Document, Notice, Source, document_id, label
from withgrain.parse.build import make_span
from withgrain.parse.links import resolve_links
from withgrain.parse.rendered.escape import escape_line
from withgrain.parse.rendered.frame import Frame
from withgrain.parse.rendered.inline import Inline, clean
from withgrain.parse.rendered.leaves import Leaves, as_inline
from withgrain.parse.tile import tile
from withgrain.parse.title import title_of

#: Containers deeper than this keep their content, which then belongs to the innermost one that was written.
MAX_DEPTH = 12
_ALERTS = {
    "note": "NOTE", "info": "NOTE", "tip": "TIP", "hint": "TIP", "important": "IMPORTANT", "warning": "WARNING",
    "attention": "WARNING", "caution": "CAUTION", "danger": "CAUTION", "error": "CAUTION",
}  # fmt: skip


class Writer(Leaves):
    """A document in the making: its containers, and its end."""

    def begin_list(self, *, ordered: bool = False, start: int = 1) -> None:
        """Begin a list; `end` ends it. Between the two stand items only."""
        frame = Frame("list", attrs={"ordered": "1"} if ordered else None)
        before = self._frames[-1]
        first, second = (".", ")") if ordered else ("-", "*")
        adjacent = bool(before.children) and before.children[-1].kind == "list" and before.last_list == first
        frame.sign = second if adjacent else first
        frame.next_number = start
        self._push(frame)

    def begin_item(self, *, number: str | None = None, task: bool | None = None, anchor: str | None = None) -> None:
        """Begin an item of the open list; `end` ends it.

        ``number`` is what is printed in front of it ("3", "4.2", "(a)"); in an ordered list None counts on.
        """
        outer = self._list_for(number)
        ordered = "ordered" in outer.attrs
        if number is None and ordered:
            number = str(outer.next_number)
        bare = (number or "").strip("().")
        if ordered:
            outer.next_number = int(bare) + 1
            marker, lead = f"{bare}{outer.sign} ", ""
        else:
            marker, lead = f"{outer.sign or '-'} ", number or ""
        attrs = {"marker": marker.strip()}
        indent = " " * len(marker)
        if task is not None:
            attrs["task"] = "x" if task else " "
            marker += f"[{attrs['task']}] "
        frame = Frame("list_item", marker=marker, indent=indent, attrs=attrs, number=bare or None)
        frame.lead = lead
        frame.anchor = anchor
        self._push(frame)

    def begin_quote(self) -> None:
        """Begin a quotation; `end` ends it."""
        self._push(Frame("quote", marker="> ", indent="> "))

    def begin_admonition(self, kind: str, title: str = "") -> None:
        """Begin a note, warning or the like with its type (one lower-case word) and title; `end` ends it."""
        title = label(" ".join(clean(title).split())).strip(" []{}\"'")
        attrs = {"type": kind, "title": title}
        inside = [frame.kind for frame in self._frames[1:]]
        if all(outer == "admonition" for outer in inside) and len(inside) < 3:
            frame = Frame("admonition", opening=(f":::{kind} {title}".rstrip(),), attrs=attrs)
            frame.closing = ":::"
            self._push(frame)
            return
        alert = f"[!{_ALERTS.get(kind, 'NOTE')}]"
        frame = Frame("admonition", marker="> ", indent="> ", opening=(alert,), attrs=attrs)
        frame.marked_opening = True
        self._push(frame)
        if title:
            self.paragraph(title)

    def begin_definition(self, terms: Sequence[Inline | str], *, anchor: str | None = None) -> None:
        """Begin the description of one or several terms; `end` ends it."""
        names = [as_inline(term) for term in terms]
        shown = [escape_line(" ".join(name.markdown.split("\n"))) for name in names if name]
        if not shown or len(self._frames) > MAX_DEPTH:
            for name in names:
                self.paragraph(name)
            self._skipped.append(len(self._frames))
            return
        attrs = {"term": " / ".join(name.plain for name in names if name)}
        frame = Frame(
            "definition", marker=": ", indent="  ", opening=[escape_line(term) for term in shown], attrs=attrs
        )
        frame.anchor = anchor
        self._push(frame)

    def next_description(self) -> None:
        """Begin another description of the same terms."""
        frame = self._frames[-1]
        if frame.kind == "definition":
            frame.pending = True

    def begin_footnote(self, name: str, *, anchor: str | None = None) -> None:
        """Begin the text of a footnote, to which `Inline.note` with the same name refers; `end` ends it."""
        name = "".join(clean(name).split()).replace("]", "").replace("[", "") or "note"
        frame = Frame("footnote", marker=f"[^{name}]: ", indent="    ", attrs={"label": name})
        frame.anchor = anchor
        self._push(frame)

    def end(self) -> None:
        """End the innermost open container."""
        if self._skipped and self._skipped[-1] == len(self._frames):
            self._skipped.pop()
            return
        frame = self._frames[-1]
        if frame.start < 0 and (frame.lead or frame.attrs.get("title")):
            if frame.lead:
                self._write_lead()
            else:
                self._enter("paragraph")
        self._frames.pop()
        if frame.start < 0 or frame.kind is None:
            return
        stop = self._at
        if frame.closing:
            self._write(f"{self._indent()}{frame.closing}\n")
        block = Block(
            kind=frame.kind,
            span=make_span(frame.start, self._at),
            content=None if frame.kind == "list" else make_span(min(frame.body, stop), stop),
            number=frame.number,
            children=tuple(frame.children),
            page=frame.page,
            anchor=frame.anchor,
            origin=frame.origin,
            attrs=frame.attrs,
        )
        outer = self._frames[-1]
        outer.children.append(block)
        if frame.kind == "list":
            outer.last_list = frame.sign

    def document(self, source: Source, *, title: str = "") -> Document:
        """End everything that is open and return the document.

        Args:
            source: Identity of the bytes.
            title: The format's own title: counts where no metadata and no only H1 name one.
        """
        while len(self._frames) > 1 or self._skipped:
            self.end()
        text = "".join(self._parts)
        blocks = tile(text, self._frames[0].children, 0, len(text), lambda start, end: [])
        notices = list(self.notices)
        if not text:
            notices.append(Notice(kind="empty_document", message="The document holds no text."))
        return Document(
            id=document_id(source.uri),
            source=source,
            title=title_of(self.meta, blocks, source, own=title),
            text=text,
            blocks=tuple(blocks),
            dropped=tuple(self._drops),
            links=resolve_links(text, blocks, self._links, self._places),
            meta=self.meta,
            notices=tuple(notices),
            rendered=True,
            page_starts=tuple(self._page_starts),
        )

    def _push(self, frame: Frame) -> None:
        if len(self._frames) > MAX_DEPTH and frame.kind != "list_item":
            self._skipped.append(len(self._frames))
            return
        if frame.kind == "list_item" and self._frames[-1].kind != "list":
            self._skipped.append(len(self._frames))
            return
        self._write_lead()
        frame.page, frame.origin = self.page, self.origin
        self._frames.append(frame)

    def _list_for(self, number: str | None) -> Frame:
        """Return the open list; a new list of bullets where an ordered one cannot hold an item with this number."""
        outer = self._frames[-1]
        bare = (number or "1").strip("().")
        if "ordered" in outer.attrs and not (bare.isascii() and bare.isdecimal() and len(bare) < 9):
            self.end()
            self.begin_list()
        return self._frames[-1]
