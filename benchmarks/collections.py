"""What a collection costs by its size; see ``stores.py``, which does the work (and ``sync.py`` for folders of files).

    python benchmarks/collections.py 10000 100000

A script's folder stands first on the path, where this file hides Python's own ``collections``: so it steps aside before
anything else is imported, and gives the real one to the other benchmarks.
"""

import sys

_folder = sys.path.pop(0)
if __name__ == "__main__":
    sys.path.insert(0, _folder.rpartition("/")[0] or ".")
    from benchmarks.stores import main

    sys.exit(main())
elif __name__ == "collections":
    del sys.modules["collections"]
    import collections  # noqa: F401  # the real one

sys.path.insert(0, _folder)
