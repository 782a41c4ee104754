"""What is used when nobody says otherwise."""

DEFAULT_COLLECTION = ".withgrain"
DEFAULT_POLICY = "structure_aware"
DEFAULT_EMBEDDER = "minilm"
DEFAULT_TOKENIZER = "wordpiece"

#: The cache of vectors inside a collection's directory: safe to delete, it only saves work.
CACHE_FILE = "embeddings.sqlite"
