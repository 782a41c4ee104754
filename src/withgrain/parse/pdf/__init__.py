"""PDF: from glyphs on pages to headings, paragraphs, lists, tables and code in reading order."""

from withgrain.parse.pdf.parser import parse_pdf

__all__ = ["parse_pdf"]
