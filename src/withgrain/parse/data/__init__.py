"""Data files: keys, records and stanzas as sections, with exact offsets into the file as it is."""
