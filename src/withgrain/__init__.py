"""Cut documents with the grain."""
