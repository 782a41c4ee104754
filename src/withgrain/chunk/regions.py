"""Regions: the stretches of a document that are packed on their own, as units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from withgrain.chunk.paged import by_page
from withgrain.chunk.policy import Policy
from withgrain.chunk.region import DROPPED_KINDS, Region, runs
from withgrain.chunk.split_text import grapheme_starts, paragraph_starts
from withgrain.chunk.symbols import Nest, groups, is_symbol, symbol_units
from withgrain.chunk.unit import Unit, tile
from withgrain.model import Block, Document, Drop, Section

_HEADING_LEVELS = 3  # the `heading` policy cuts under H1-H3


def drops(document: Document) -> tuple[Drop, ...]:
    """Return the declared drops of a document: the parser's and the kinds that are not content."""
    own = tuple(
        Drop(span=b.span, reason=b.kind, text=b.span.of(document.text))
        for b in document.content
        if b.kind in DROPPED_KINDS
    )
    return (*document.dropped, *own)


def settled(policy: Policy, document: Document) -> Policy:
    """Return a policy that cuts by page as one that cuts by section for a document without pages."""
    if policy.regions == "page" and not any(block.page is not None for block in document.content):
        return replace(policy, regions="section")
    return policy


def regions(document: Document, parts: tuple[Section, ...], policy: Policy) -> list[Region]:
    """Return the regions of a document under a policy, in order."""
    if policy.regions == "section":
        return list(_by_section(document, parts, policy))
    if policy.regions == "page":
        return list(by_page(document, parts, policy))
    if policy.regions == "heading":
        return list(_by_heading(document, parts, policy))
    blocks = [b for s in parts for b in ((s.heading,) if s.heading else ()) + s.blocks]
    members = tuple(range(len(parts)))
    return [
        Region(units=_text_units(run, document, policy), path=(), section=0, members=members, start="document")
        for run in runs(blocks)
    ]


def _by_section(document: Document, parts: tuple[Section, ...], policy: Policy) -> Iterator[Region]:
    has_child = {s.parent for s in parts}
    starts = [s.span.start for s in parts]
    for members in groups(parts):
        index = members[0]
        section = parts[index]
        if is_symbol(section):
            units = symbol_units(document, parts, members)
            nest = Nest(parts=parts, starts=starts, members=members)
            if units:
                yield Region(
                    units=units,
                    path=section.path,
                    section=index,
                    members=members if len(members) > 1 else (),
                    nest=nest,
                )
            continue
        found = False
        content = (section.heading, *section.blocks) if section.heading and section.long_heading else section.blocks
        for run in runs(content, part_tables=True):
            yield Region(
                run=run,
                text=document.text,
                bonds=policy.bonds,
                path=section.path,
                section=index,
                start="block" if found else "section",
            )
            found = True
        if not found and section.heading is not None and index not in has_child:
            # A heading without text and without children is in nobody's path: it is kept as a body of its own.
            span = section.heading.span
            path = section.path[:-1] if section.heading.attrs.get("text") else section.path
            if span.of(document.text).strip(" \t\n#"):
                yield Region(units=[Unit(start=span.start, end=span.end)], path=path, section=index)


def _by_heading(document: Document, parts: tuple[Section, ...], policy: Policy) -> Iterator[Region]:
    groups: list[list[int]] = []
    for index, section in enumerate(parts):
        if not groups or section.level <= _HEADING_LEVELS:
            groups.append([index])
        else:
            groups[-1].append(index)
    for members in groups:
        blocks = [b for i in members for b in ((parts[i].heading,) if parts[i].heading else ()) + parts[i].blocks if b]
        for run in runs(blocks):
            yield Region(
                units=_text_units(run, document, policy),
                path=parts[members[0]].path,
                section=members[0],
                members=tuple(members),
            )


def _text_units(run: list[Block], document: Document, policy: Policy) -> list[Unit]:
    """Return plain-text units for the baselines: they see no blocks."""
    text, budget = document.text, policy.budget
    whole = Unit(start=run[0].span.start, end=run[-1].span.end, kind="paragraph")
    if policy.joint == "word":
        whole.kind = "sentence"  # nothing above words counts
        return [whole]
    if policy.joint == "window":
        return _windows(whole, text, budget.target - budget.overlap)
    paragraphs = tile(whole, paragraph_starts(text, whole.start, whole.end), "paragraph")
    if "window" not in policy.overlap_at:
        return paragraphs
    return [
        piece
        for unit in paragraphs
        for piece in (
            _windows(unit, text, budget.maximum - budget.overlap) if unit.end - unit.start > budget.maximum else [unit]
        )
    ]


def _windows(unit: Unit, text: str, width: int) -> list[Unit]:
    return tile(unit, grapheme_starts(text, unit.start, unit.end, max(1, width)), "window")
