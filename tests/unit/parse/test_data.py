"""Data files: what their outlines promise beyond the golden inputs."""

from __future__ import annotations

import json

import pytest

from withgrain.chunk import chunk_document
from withgrain.errors import DocumentError
from withgrain.model import Document
from withgrain.parse import parse


def paths(document: Document) -> list[tuple[str, ...]]:
    return [chunk.heading_path for chunk in chunk_document(document).chunks]


def test_one_operation_is_one_unit_in_json_and_yaml_alike() -> None:
    """OpenAPI in JSON and YAML: method + path as heading, class api_reference; small and large ones alike."""
    text = {"openapi": "3.0.0", "info": {"title": "Pets"}, "paths": {"/p": {"get": {"summary": "a"}, "put": {"x": 1}}}}
    as_yaml = "openapi: 3.0.0\ninfo:\n  title: Pets\npaths:\n  /p:\n    get:\n      summary: a\n    put: {x: 1}\n"
    for data, name in ((json.dumps(text), "a.json"), (json.dumps(text, indent=2), "b.json"), (as_yaml, "c.yaml")):
        document = parse(data.encode(), uri=name)
        assert document.title == "Pets"
        assert paths(document)[1:] == [("GET /p",), ("PUT /p",)]
        chunked = chunk_document(document)
        assert chunked.doc_class == "api_reference"
        assert chunked.class_reasons == (
            "Its format makes it api_reference: each operation of an interface is a section.",
        )


def test_methods_of_openapi_3_2_are_operations() -> None:
    """One operation = one unit: ``query``, and methods without a key of their own."""
    item = "    query: {summary: a}\n    additionalOperations:\n      COPY: {summary: b}\n      LINK: {summary: c}\n"
    document = parse(f"openapi: 3.2.0\ninfo: {{title: Files}}\npaths:\n  /f:\n{item}".encode(), uri="a.yaml")
    assert paths(document)[1:] == [("QUERY /f",), ("COPY /f",), ("LINK /f",)]


def test_a_template_of_a_resource_is_called_by_the_whole_expression() -> None:
    """Multi-document manifests by resource, also before a template engine has filled them in."""
    text = '{{- if .Values.on }}\nkind: Service\nmetadata:\n  name: {{ include "lamp" . }}-tcp\n{{- end }}\n'
    assert paths(parse(text.encode(), uri="service.yaml")) == [('Service/{{ include "lamp" . }}-tcp',)]


def test_a_long_element_of_a_list_is_called_by_its_identity() -> None:
    note = " ".join(f"word{n}" for n in range(400))
    data = json.dumps({"users": [{"id": "u-1", "note": note}, {"level": 3, "note": note}]}, indent=1)
    found = paths(parse(data.encode(), uri="a.json"))
    assert ("users", "u-1") in found
    assert ("users", "[1]") in found


@pytest.mark.parametrize("text", ['{"a": 1', '{"a" 1}', "[1, 2", '{"a": 1} {"b": 2}', "{'a': 1}", '{"a": tru}', "}{"])
def test_what_is_no_json_is_kept_and_said(text: str) -> None:
    document = parse(text.encode(), uri="a.json")
    assert [notice.kind for notice in document.notices] == ["parse_failed"]
    assert "".join(block.span.of(document.text) for block in document.blocks) == text


def test_an_alias_is_not_expanded() -> None:
    text = "base: &base\n  timeout: 30\nweb:\n  <<: *base\n  port: 80\n"
    (chunk,) = chunk_document(parse(text.encode(), uri="a.yaml")).chunks
    assert chunk.body == text.rstrip()


def test_a_quoted_line_break_does_not_end_a_row() -> None:
    text = 'id,note\n1,"two\nlines, ""quoted"""\n2,plain\n'
    document = parse(text.encode(), uri="a.csv")
    rows = [row.span.of(text) for row in document.blocks[0].children]
    assert rows == ["id,note\n", '1,"two\nlines, ""quoted"""\n', "2,plain\n"]


def test_a_quote_that_never_ends_takes_one_row_only() -> None:
    text = 'id,note\n1,"never\n' + "2,plain\n" * 3000
    document = parse(text.encode(), uri="a.csv")
    assert len(document.blocks[0].children) == 3002


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("site.conf", "server {\n  listen 80;\n}\n", "nginx"),
        ("my.cnf", "[mysqld]\nport = 3306\n", "ini"),
        ("sysctl.conf", "# memory\nvm.swappiness = 10\n", "properties"),
    ],
)
def test_content_decides_where_the_suffix_does_not(name: str, text: str, language: str) -> None:
    document = parse(text.encode(), uri=name)
    assert {block.attrs["language"] for block in document.blocks if block.kind == "code"} == {language}


def test_a_name_without_suffix_is_known() -> None:
    document = parse(b"FROM debian AS build\nRUN make\nFROM scratch\nCOPY a b\n", uri="app/Dockerfile")
    assert paths(document) == [("build",), ("scratch",)]


def test_windows_line_ends_keep_exact_offsets_in_the_source() -> None:
    text = "a: 1\r\nb:\r\n  c: 2\r\n"
    document = parse(text.encode(), uri="a.yaml")
    (chunk,) = chunk_document(document).chunks
    assert chunk.span is not None
    source = document.to_source(chunk.span)
    assert source is not None
    assert source.of(text) == text.rstrip()


def test_a_table_of_too_many_rows_is_refused_before_it_fills_the_memory() -> None:
    """Bounded memory: the error says how many lines there are and how many are read."""
    with pytest.raises(DocumentError, match=r"1,000,002 lines; a table of at most 1,000,000") as caught:
        parse(b"a,b\n" + b"1,2\n" * 1_000_001, uri="a.csv")
    assert caught.value.kind == "too_large"
