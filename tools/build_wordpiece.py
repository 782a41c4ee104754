"""Make the package data of `withgrain.tokens.wordpiece` from a BERT vocabulary.

Usage: ``python tools/build_wordpiece.py vocab.txt``. Needs the dev dependency ``tokenizers``.

``wordpiece.json``: the tokenizer of all-MiniLM-L6-v2 in Hugging Face's format, without truncation and padding.
``code_points.json``: the code points that ``tokie`` sorts into another class than Hugging Face ``tokenizers`` does (its
tables are of another version of Unicode), by what the model's tokenizer makes of them: a part of a ``word``, a token
``apart``, or nothing (``gone``). Every one of them becomes the unknown token, so a stand-in of its class is exact.
"""

from __future__ import annotations

import json
import sys
import tempfile
import unicodedata
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import tokenizers
import tokie

#: The published file of bert-base-uncased.
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
DATA = Path(__file__).resolve().parent.parent / "src" / "withgrain" / "tokens" / "data"


def definition(vocabulary: dict[str, int]) -> str:
    """Return the tokenizer.json of an uncased BERT WordPiece tokenizer."""
    added = [
        {"id": vocabulary[token], "content": token, "single_word": False, "lstrip": False, "rstrip": False}
        | {"normalized": False, "special": True}
        for token in SPECIAL
    ]

    def template(*names: tuple[str, int]) -> list[dict[str, dict[str, str | int]]]:
        return [{("SpecialToken" if n.startswith("[") else "Sequence"): {"id": n, "type_id": t}} for n, t in names]

    whole = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True}
        | {"strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": template(("[CLS]", 0), ("A", 0), ("[SEP]", 0)),
            "pair": template(("[CLS]", 0), ("A", 0), ("[SEP]", 0), ("B", 1), ("[SEP]", 1)),
            "special_tokens": {t: {"id": t, "ids": [vocabulary[t]], "tokens": [t]} for t in ("[CLS]", "[SEP]")},
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##"}
        | {"max_input_chars_per_word": 100, "vocab": vocabulary},
    }
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")) + "\n"


def ranges(points: Iterable[int], bridge: frozenset[int] = frozenset()) -> list[list[int]]:
    """Return sorted inclusive ranges of ``points``; gaps that lie wholly in ``bridge`` are closed."""
    result: list[list[int]] = []
    for point in sorted(points):
        if result and all(between in bridge for between in range(result[-1][1] + 1, point)):
            result[-1][1] = point
        else:
            result.append([point, point])
    return result


def differences(path: Path) -> dict[str, list[list[int]]]:
    """Compare both engines on every code point between two letters."""
    fast = tokie.Tokenizer.from_json(str(path))
    exact = tokenizers.Tokenizer.from_file(str(path))
    classes: dict[str, list[int]] = {"word": [], "apart": [], "gone": []}
    names = {("[UNK]",): "word", ("a", "[UNK]", "b"): "apart", ("ab",): "gone"}
    harmless = set()
    for point in (*range(0xD800), *range(0xE000, 0x110000)):
        text = f"a{chr(point)}b"
        found = tuple(exact.encode(text, add_special_tokens=False).tokens)
        if list(found) != list(fast.encode(text, add_special_tokens=False).tokens):
            classes[names[found]].append(point)
        elif found == ("[UNK]",) and unicodedata.normalize("NFD", chr(point)) == chr(point):
            harmless.add(point)
    return {name: ranges(points, frozenset(harmless if name == "word" else ())) for name, points in classes.items()}


def main(arguments: list[str]) -> int:
    """Write both files and print their hashes."""
    data = Path(arguments[0]).read_bytes()
    if sha256(data).hexdigest() != VOCABULARY_SHA256:
        print("not the vocabulary of bert-base-uncased", file=sys.stderr)
        return 1
    vocabulary = {token: number for number, token in enumerate(data.decode("utf-8").removesuffix("\n").split("\n"))}
    text = definition(vocabulary)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "tokenizer.json"
        path.write_text(text, encoding="utf-8")
        found = differences(path)
    for name, content in (
        ("wordpiece.json", text),
        ("code_points.json", json.dumps(found, separators=(",", ":")) + "\n"),
    ):
        (DATA / name).write_text(content, encoding="utf-8", newline="\n")
        print(name, len(content.encode()), sha256(content.encode()).hexdigest())
    print({name: len(value) for name, value in found.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
