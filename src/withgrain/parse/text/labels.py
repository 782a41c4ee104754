"""Words that name the parts of laws and contracts, with their numbers: "ARTICLE IV", "§ 3", "Глава 2", "第一章"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

Rank = Literal["part", "chapter", "section", "article", "beside"]

_ENGLISH = re.compile(
    r"(?:(?P<part>PART|Part|TITLE)|(?P<chapter>CHAPTER|Chapter|MODULE|Module)|(?P<section>SECTION|Section|CLAUSE|Clause)"
    r"|(?P<article>ARTICLE|Article|RULE|Rule|REGULATION|Regulation|LESSON|Lesson)|(?P<beside>APPENDIX|Appendix|ANNEX|Annex|SCHEDULE|Schedule|EXHIBIT|Exhibit"
    r"|ATTACHMENT|Attachment))[ \t]+"
    r"(?:\d{1,3}(?:\.\d{1,3})*|[IVXLC]{1,7}|[A-Z](?:-?\d{1,3})?)(?=[\s.:)—–-]|$)"
)
_OTHER = re.compile(
    r"(?:(?P<part>teil|partie|parte|часть|частина|deel|część|část|k[ıi]s[ıi]m|phần|bagian|μ[έε]ρος)"
    r"|(?P<chapter>kapitel|chapitre|capítulo|capitolo|capo|глава|rozdział|hoofdstuk|titre|título|titolo"
    r"|розділ|hlava|bölüm|chương|bab|κεφ[άα]λαιο|capitolul)"
    r"|(?P<section>abschnitt|sección|sezione|secção|раздел|afdeling|oddział|mục|εν[όο]τητα|secțiunea)"
    r"|(?P<article>artikel|artículo|articolo|artigo|статья|стаття|член|artykuł|cláusula"
    r"|art\.|článek|článok|čl\.|madde|điều|pasal|[άα]ρθρο|articolul)"
    r"|(?P<beside>anhang|anlage|annexe|anexo|allegato|приложение|додаток|załącznik|bijlage"
    r"|příloha|príloha|ek|phụ lục|lampiran|παρ[άα]ρτημα|anexa))[ \t\u00a0]+"
    r"(?:\d{1,4}[a-z]?|[IVXLC]{1,7}|[A-Z]|[Α-Ω]['΄ʹ]?)(?=[\s.:)—–-]|$)"
    r"|(?P<sign>§{1,2})[ \t\u00a0]?\d{1,4}[a-z]?(?=[\s.:)—–-]|$)",
    re.IGNORECASE,
)
_COUNT = "[0-9０-９一二三四五六七八九十百零〇两]{1,6}"
_EAST_ASIAN = re.compile(
    rf"第{_COUNT}(?:(?P<part>[编編部篇])|(?P<chapter>章)|(?P<section>[节節款])|(?P<article>[条條]))"
    rf"|제[ ]?{_COUNT}[ ]?(?:(?P<volume>편)|(?P<unit>장)|(?P<division>절)|(?P<rule>조))"
)
#: Scripts without capitals: Arabic, Hebrew, Devanagari. A number in words or letters stands alone or before a sign.
_CASELESS = re.compile(
    r"(?:(?P<part>الجزء|الباب|חלק|भाग)|(?P<chapter>الفصل|פרק|अध्याय)|(?P<section>القسم)"
    r"|(?P<article>المادة|סעיף|धारा)|(?P<beside>الملحق|ملحق|נספח|अनुसूची))[ \t\u00a0]+"
    r"(?:\(?\d{1,4}\)?(?=[\s.:)—–-]|$)|ال\w{3,12}(?=[ \t]*(?:[:—–-]|$))|[א-ת]['׳](?!\w))"
)
_RANKS: dict[str, Rank] = {"sign": "article", "volume": "part", "unit": "chapter", "division": "section"}
_ORDER: tuple[Rank, ...] = ("part", "chapter", "section", "article")


def find_label(line: str) -> re.Match[str] | None:
    """Return the label that a line begins with."""
    if line[:1] in "第제":
        return _EAST_ASIAN.match(line)
    if "\u0590" <= line[:1] < "\u0980":
        return _CASELESS.match(line)
    return _ENGLISH.match(line) or (_OTHER.match(line) if line[:1].isupper() or line[:1] == "§" else None)


def is_english(label: re.Match[str]) -> bool:
    """Return whether a label is one of English contracts and laws, whose titles are written in capitals."""
    return label.re is _ENGLISH


def rank_of(label: re.Match[str]) -> Rank:
    """Return what a label names; ``beside`` for an appendix, which is below nothing."""
    name = label.lastgroup or "article"
    return "article" if name == "rule" else _RANKS.get(name, name)  # type: ignore[arg-type]


def ladder(ranks: Iterable[Rank]) -> dict[Rank, int]:
    """Return the level of each rank that a text uses, from 1, given the ranks of its labels in their order.

    Parts hold chapters, chapters sections, sections articles; in contracts articles hold sections: there an article
    comes first, and there are no chapters.
    """
    first = list(dict.fromkeys(rank for rank in ranks if rank != "beside"))
    order = list(_ORDER)
    if "chapter" not in first and "article" in first and "section" in first[first.index("article") :]:
        order[2:] = ["article", "section"]
    used = [rank for rank in order if rank in first]
    return {rank: level for level, rank in enumerate(used, 1)} | {"beside": 1}
