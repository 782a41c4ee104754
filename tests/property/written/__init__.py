"""Documents of one small model, written as HTML, DOCX, PPTX, XLSX and PDF by the libraries of others."""
