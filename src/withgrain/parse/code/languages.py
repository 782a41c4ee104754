"""What the syntax trees of each language call their symbols. Data; the walk over the tree is the same for all."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A language.

    Attributes:
        name: As a fenced code block names it.
        module: The package of its grammar.
        function: Its function that returns the grammar.
        symbols: Types of nodes that are symbols; each has a field ``name`` unless `names` says otherwise.
        containers: Those whose members are symbols, too.
        wrappers: Types that stand around a symbol (``export``, decorators) or around symbols (a list of members).
        leading: Types that belong to what follows them: comments, decorators, attributes.
        overloads: Those that belong to the one of the same name right before them (overloads, a property's setter).
        opaque: Types that are never cut while they fit: strings, comments.
        unread: What the grammar does not know although the language has it, and the byte that is read instead of each
            of its bytes: so it becomes an identifier or white space of the same length.
    """

    name: str
    module: str
    function: str = "language"
    symbols: frozenset[str]
    containers: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset({"comment"})
    overloads: frozenset[str] = frozenset()
    opaque: frozenset[str] = frozenset({"comment", "string"})
    unread: tuple[tuple[re.Pattern[bytes], bytes], ...] = ()


def _types(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SCRIPT = (
    "function_declaration generator_function_declaration class_declaration class method_definition field_definition "
    "variable_declarator assignment_expression"
)
_TYPED = (
    "function_signature abstract_class_declaration interface_declaration enum_declaration type_alias_declaration "
    "internal_module module method_signature abstract_method_signature public_field_definition"
)
_SCRIPT_WRAPPERS = "export_statement expression_statement lexical_declaration variable_declaration ambient_declaration"
_OVERLOADS = _types(
    "function_declaration function_signature method_definition method_signature abstract_method_signature"
)
_SCRIPT_OPAQUE = _types("comment string template_string regex jsx_text")
#: In ``import("./user").User<string>``, a type that another file exports; the point behind it stays.
_IMPORTED = re.compile(rb"import\((?:\"[^\"\n\\]{0,300}\"|'[^'\n\\]{0,300}')\)(?=\.)")
#: ``global {`` inside of ``declare module``; behind ``declare`` the grammar knows it.
_GLOBAL = re.compile(rb"(?<=[\s{};])(?<!declare )global(?=[ \t]{0,4}\{)")


def _typescript(name: str, function: str) -> Language:
    return Language(
        name=name,
        module="tree_sitter_typescript",
        function=function,
        symbols=_types(f"{_SCRIPT} {_TYPED}"),
        containers=_types("class_declaration class abstract_class_declaration internal_module module"),
        wrappers=_types(_SCRIPT_WRAPPERS),
        leading=_types("comment decorator"),
        overloads=_OVERLOADS,
        opaque=_SCRIPT_OPAQUE,
        unread=((_IMPORTED, b"_"), (_GLOBAL, b" ")),
    )


LANGUAGES: dict[str, Language] = {
    "text/x-python": Language(
        name="python",
        module="tree_sitter_python",
        symbols=_types("function_definition class_definition"),
        containers=_types("class_definition"),
        wrappers=_types("decorated_definition"),
        overloads=_types("function_definition"),
    ),
    "text/javascript": Language(
        name="javascript",
        module="tree_sitter_javascript",
        symbols=_types(_SCRIPT),
        containers=_types("class_declaration class"),
        wrappers=_types(_SCRIPT_WRAPPERS),
        leading=_types("comment decorator"),
        overloads=_OVERLOADS,
        opaque=_SCRIPT_OPAQUE,
    ),
    "text/typescript": _typescript("typescript", "language_typescript"),
    "text/tsx": _typescript("tsx", "language_tsx"),
    "text/x-go": Language(
        name="go",
        module="tree_sitter_go",
        symbols=_types("function_declaration method_declaration type_spec type_alias"),
        wrappers=_types("type_declaration"),
        opaque=_types("comment raw_string_literal interpreted_string_literal"),
    ),
    "text/x-java": Language(
        name="java",
        module="tree_sitter_java",
        symbols=_types(
            "class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration "
            "method_declaration constructor_declaration compact_constructor_declaration"
        ),
        containers=_types("class_declaration interface_declaration enum_declaration record_declaration"),
        overloads=_types("method_declaration constructor_declaration"),
        leading=_types("line_comment block_comment"),
        opaque=_types("line_comment block_comment string_literal text_block"),
    ),
    "text/rust": Language(
        name="rust",
        module="tree_sitter_rust",
        symbols=_types(
            "function_item function_signature_item struct_item enum_item union_item trait_item impl_item mod_item "
            "macro_definition type_item"
        ),
        containers=_types("trait_item impl_item mod_item"),
        leading=_types("line_comment block_comment attribute_item"),
        opaque=_types("line_comment block_comment string_literal raw_string_literal"),
    ),
    "text/x-hcl": Language(
        name="hcl",
        module="tree_sitter_hcl",
        symbols=_types("block"),
        wrappers=_types("body"),
        opaque=_types("comment heredoc_template quoted_template string_lit"),
    ),
    "application/x-sh": Language(
        name="bash",
        module="tree_sitter_bash",
        symbols=_types("function_definition"),
        opaque=_types("comment string raw_string heredoc_body heredoc_redirect"),
    ),
}
