"""What is read of Word, PowerPoint and Excel files, against a plain extraction of all their text.

    python benchmarks/office.py FOLDER...

The judge takes every text element of every part out of the zip and knows no structure: words that are in it and neither
in the canonical text nor in a named drop are lost. Deleted text (tracked changes) is not counted.
"""

from __future__ import annotations

import re
import sys
import time
import zipfile
from collections import Counter
from pathlib import Path

from withgrain.errors import DocumentError
from withgrain.parse import parse

_WORD = re.compile(r"\w+", re.UNICODE)
_PARTS = re.compile(
    r"(?:word/(?:document|footnotes|endnotes|header\d*|footer\d*|comments)|ppt/(?:slides|notesSlides)/\w+\d+|xl/sharedStrings)"
    r"\.xml"
)
_TEXT = re.compile(r"<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)</(?:\w+:)?t>|</(?:\w+:)?(p|si|tr|tc)>|<(?:\w+:)?(tab|br|cr)\b")
_FALLBACK = re.compile(r"<mc:Fallback>.*?</mc:Fallback>", re.DOTALL)


def plain_words(path: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    with zipfile.ZipFile(path) as package:
        for name in package.namelist():
            if _PARTS.fullmatch(name):
                xml = _FALLBACK.sub("", package.read(name).decode("utf-8", "replace"))
                text = "".join(m[1] if m[1] is not None else " " for m in _TEXT.finditer(xml))
                for code, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&")):
                    text = text.replace(code, sign)
                found.update(_WORD.findall(text))
    return found


def main() -> None:
    total = Counter[str]()
    for folder in sys.argv[1:]:
        for path in sorted(p for p in Path(folder).rglob("*") if p.suffix in (".docx", ".pptx", ".xlsx")):
            start = time.process_time()
            try:
                document = parse(path.read_bytes(), uri=path.name)
            except DocumentError as error:
                print(f"{path.name:44} refused: {error}")
                total["refused"] += 1
                continue
            seconds = time.process_time() - start
            kept = Counter(_WORD.findall(document.text))
            for drop in document.dropped:
                kept.update(_WORD.findall(drop.text))
            words = plain_words(path)
            lost = words - kept
            kinds = Counter(b.kind for b in document.blocks if b.kind != "blank")
            total.update(files=1, words=sum(words.values()), lost=sum(lost.values()))
            counts = f"{sum(words.values()):6} words {sum(lost.values()):4} lost {seconds:6.2f} s"
            print(f"{path.name:44} {counts}  {dict(kinds)}")
            if lost:
                print("    lost:", " ".join(list(lost)[:20]))
    print(dict(total))


if __name__ == "__main__":
    main()
