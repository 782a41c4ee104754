"""Never severed, and what is repeated where something had to be cut (invariant 4)."""

from __future__ import annotations

import pytest

from tests.unit.chunk.support import bodies, cut, parts

ROWS = [f"| PX-{i:03d} | pump seal kit size {i} | shelf B{i} |" for i in range(30)]
TABLE = "\n".join(["| Code | Part | Place |", "| --- | --- | --- |", *ROWS])


def test_a_table_that_fits_is_whole() -> None:
    """A table is whole when it fits."""
    assert cut(f"# Parts\n\n{TABLE}", 2000).chunks[0].body == TABLE


def test_a_long_table_is_cut_between_rows_with_its_header() -> None:
    """Row groups with the header repeated; every row is in exactly one body."""
    chunks = cut(f"# Parts\n\n{TABLE}", 100).chunks
    assert len(chunks) > 3
    for chunk in chunks[1:]:
        assert parts(chunk, "table_header") == ["| Code | Part | Place |\n| --- | --- | --- |"]
        assert chunk.display_text.startswith("| Code | Part | Place |")
    for row in ROWS:
        assert sum(row in c.body for c in chunks) == 1


def test_a_padded_delimiter_row_does_not_cost_the_header() -> None:
    """A delimiter row of 180 dashes is repeated short, so that the header still fits beside every piece."""
    rows = "\n".join(f"| k{i} | {'some words of a row ' * 6}|" for i in range(40))
    chunks = cut(f"| Key | Meaning |\n| {'-' * 60} | {'-' * 119}: |\n{rows}", 480).chunks
    assert len(chunks) > 3
    for chunk in chunks[1:]:
        assert parts(chunk, "table_header") == ["| Key | Meaning |\n| --- | ---: |"]


def test_a_row_over_the_limit_is_cut_at_cells_and_keeps_its_key() -> None:
    """A row over the limit is cut by cells; the leading cell and the header stand beside every piece."""
    long = " ".join(f"clause{i} holds." for i in range(60))
    chunked = cut(f"| Id | Text |\n|---|---|\n| A1 | short |\n| A2 | {long} |\n", 90)
    assert "oversize_row" in [n.kind for n in chunked.notices]
    later = [c for c in chunked.chunks if "clause40" in c.body]
    assert len(later) == 1
    assert "A2" in later[0].display_text
    assert "| Id | Text |" in later[0].display_text


def test_code_that_fits_is_whole_and_its_comments_are_no_headings() -> None:
    """A code fence that fits is in one chunk; `#` in code is never a heading."""
    code = "```bash\n# reset\nvault login\n\n# list\nvault list\n```"
    chunked = cut(f"# Keys\n\n{code}\n\nDone.", 120)
    assert any(code in body for body in bodies(chunked))
    assert {c.heading_path for c in chunked.chunks} == {("Keys",)}


def test_long_code_is_cut_at_blank_lines_with_the_fence_opened_again() -> None:
    """Code over the limit is cut at blank lines; each piece shows balanced fences."""
    functions = [f"def f{i}(x):\n    y = x + {i}\n    return y * {i}" for i in range(12)]
    chunked = cut("```python\n" + "\n\n".join(functions) + "\n```", 90)
    assert len(chunked.chunks) > 2
    for chunk in chunked.chunks:
        assert chunk.display_text.startswith("```python")
        assert chunk.display_text.rstrip().endswith("```")
    for function in functions:
        assert sum(function in body for body in bodies(chunked)) == 1


@pytest.mark.parametrize(
    "opening", ["~~~ ``` a", "~~~ ~ ~ ~", "~~~ `code` ~~~. `code` ```", "``` a-long-word-of-info x"]
)
def test_an_opening_line_that_is_too_long_is_repeated_without_its_info(opening: str) -> None:
    """Invariant 7: leaving out what a fence says beside its signs ends, whatever it says."""
    lines = [f"word{i} of the code" for i in range(40)]
    chunks = cut("\n".join([opening, *lines, opening[:3]]), 16).chunks
    assert len(chunks) > 3
    for chunk in chunks[1:]:
        assert parts(chunk, "fence_open") == [opening[:3]]


def test_a_procedure_that_fits_is_never_cut() -> None:
    """A numbered procedure that fits is in one chunk, with its lead-in."""
    steps = "\n".join(f"{i}. Turn valve {i} and wait." for i in range(1, 9))
    text = f"# Start\n\nA paragraph in front of it that is about something else and takes room.\n\nDo this:\n\n{steps}"
    found = [b for b in bodies(cut(text, 90)) if "valve 1 " in b]
    assert len(found) == 1
    assert "Do this:\n\n1. Turn" in found[0]
    assert found[0].endswith("8. Turn valve 8 and wait.")


def test_a_long_procedure_repeats_stem_and_warning() -> None:
    """A procedure over the limit is cut between steps; the warning in front of it stands beside every piece."""
    steps = "\n".join(f"{i}. Turn valve number {i} slowly and then wait for a minute." for i in range(1, 25))
    chunks = cut(f"> [!WARNING]\n> Never skip a step.\n\n{steps}", 120).chunks
    assert len(chunks) > 2
    for chunk in chunks:
        assert "Never skip a step." in chunk.display_text
        assert chunk.body.startswith((">", *"123456789"))


def test_a_long_item_carries_its_parent() -> None:
    """Nested items that had to leave their parent repeat its first line."""
    inner = "\n".join(f"   - check {i}: the needle must rest between 1 and 3" for i in range(20))
    chunks = cut(f"1. Close the inlet.\n2. Watch the gauge while the tank fills.\n{inner}\n3. Open it.", 100).chunks
    for chunk in chunks:
        if "check 1" in chunk.body:
            assert "Watch the gauge while the tank fills" in chunk.display_text


def test_an_exception_stays_with_its_rule() -> None:
    """The exception directly under a rule stays with it while both fit."""
    filler = "This sentence is only here to take room in the section, nothing else. " * 2
    text = f"{filler}\n\nRecords are deleted after 90 days.\n\nException: records under legal hold are kept."
    found = [b for b in bodies(cut(text, 60)) if "legal hold" in b]
    assert "deleted after 90 days" in found[0]


def test_tables_in_a_row_do_not_share_a_chunk() -> None:
    """Two tables without a word in between are two chunks: one table, one header."""
    text = "| A | B |\n|---|---|\n| 1 | 2 |\n\n| C |\n|---|\n| 3 |\n"
    assert len(cut(text, 200).chunks) == 2


def test_comments_are_declared_drops() -> None:
    """Comments are in no chunk and named in the audit."""
    chunked = cut("One.\n\n<!-- secret plan -->\n\nTwo.", 200)
    assert bodies(chunked) == ["One.", "Two."]
    assert [d.reason for d in chunked.audit.dropped] == ["comment"]
    assert chunked.audit.words_lost == 0


def test_a_heading_without_text_is_in_the_path_of_its_children_or_a_body() -> None:
    """No heading is lost: with subsections it is in their path, without it becomes a body of its own."""
    chunked = cut("# A\n\n## B\n\nText.\n\n## Lonely\n", 200)
    assert [(c.heading_path, c.body) for c in chunked.chunks] == [(("A", "B"), "Text."), (("A",), "## Lonely")]
    assert chunked.audit.words_lost == 0


def test_a_header_over_its_share_is_left_out_and_said() -> None:
    """A table whose header is over two thirds of the limit goes without it: notice ``wide_table``."""
    names = " | ".join(f"column{i}" for i in range(20))
    rows = "\n".join("| " + " | ".join(f"r{r}c{i}" for i in range(20)) + " |" for r in range(5))
    chunked = cut(f"# T\n\n| {names} |\n|{'---|' * 20}\n{rows}\n", maximum=60)
    assert "wide_table" in [n.kind for n in chunked.notices]
    assert any("Left out the header" in line for line in chunked.audit.transformations)


def test_a_document_without_chunks_says_so() -> None:
    """Front matter and comments alone make no chunk: notice ``empty_document``."""
    assert [n.kind for n in cut("---\ntitle: A\n---\n\n<!-- x -->\n").notices] == ["empty_document"]


def test_code_behind_a_list_stays_with_the_step_that_leads_to_it() -> None:
    """ "10. Run:" has a wider marker than "9. Run:": code indented by three is behind the list, but belongs to it."""
    steps = "\n".join(
        f"{i}. Run part {i} of the long list of parts:\n\n   ```sh\n   run {i}\n   ```\n" for i in range(8, 12)
    )
    chunked = cut(f"# T\n\n{steps}", maximum=40)
    assert all(any(f"part {i} of" in c.embed_text and f"run {i}\n" in c.body for c in chunked.chunks) for i in (10, 11))


def test_the_last_chunk_is_no_rest_of_a_few_words() -> None:
    """A last block below the minimum takes text from the chunk before it, or joins it."""
    prose = " ".join(f"The keeper of gate {i} lights lamp {i} at dusk." for i in range(30))
    chunked = cut(f"# L\n\n{prose}\n\nThat is all.\n", maximum=100)
    assert len(chunked.chunks[-1].body.split()) > 10


def test_a_header_of_more_than_a_third_is_repeated_while_rows_fit_beside_it() -> None:
    """Rows with the header repeated (invariant 4), in a small limit too; a row is never cut for the header's sake."""
    header = "| Code | Part | Count | Place |\n| --- | --- | --- | --- |"
    long = "| B1 | " + "a word " * 14 + "| 7 | shelf |"
    rows = [f"| A{i} | pump kit | 7 | shelf |" for i in range(9)]
    chunks = cut("\n".join(["# Parts", "", header, *rows[:5], long, *rows[5:]]), 50).chunks
    assert all(parts(c, "table_header") == [header] for c in chunks[1:] if long not in c.body)
    assert sum(long in c.body for c in chunks) == 1


def test_a_procedure_goes_on_behind_code_that_is_not_indented_enough() -> None:
    """Warning + procedure: "10." behind such code is the next step, so it carries the warning and is cut as an item."""
    steps = [f"{i}. Turn valve {i} slowly and wait until the needle rests." for i in range(1, 10)]
    later = [f"{i}. Turn valve {i} slowly and wait until the needle rests." for i in range(10, 19)]
    code = ["```console", "$ valve --rest", "```"]
    text = ["> [!WARNING]", "> Never by night.", "", *steps, "", *code, "", *later]
    chunks = cut("\n".join(text), 190).chunks
    assert len(chunks) > 1
    for chunk in chunks[1:]:
        assert chunk.boundary.start == "item"
        assert any("Never by night" in stem for stem in parts(chunk, "stem"))
    assert sum("9. Turn valve 9" in c.body and "valve --rest" in c.body for c in chunks) == 1


def test_a_new_procedure_is_not_the_old_one_going_on() -> None:
    """A list that begins again with 1 has its own lead-in."""
    first = [f"{i}. Open the red valve number {i} by hand." for i in range(1, 8)]
    second = [f"{i}. Open the blue valve number {i} by hand." for i in range(1, 8)]
    chunks = cut("\n".join(["Red:", "", *first, "", "Blue:", "", *second]), 90).chunks
    assert all("Red:" not in stem for c in chunks if "blue" in c.body for stem in parts(c, "stem"))
