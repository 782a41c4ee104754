"""Office documents: zipped XML (DOCX, PPTX) and spreadsheets, read by walks of our own under tight bounds."""
