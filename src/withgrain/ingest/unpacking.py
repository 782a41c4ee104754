"""From archives among the files to the files in them."""

from __future__ import annotations

from dataclasses import replace

from withgrain.errors import DocumentError
from withgrain.ingest.discover import Discovery, FoundFile, LeftOut
from withgrain.ingest.isolated import isolated_listing
from withgrain.ingest.patterns import decide, parse_patterns, selects
from withgrain.ingest.process import Worker
from withgrain.ingest.settings import FileRules


def with_members(found: Discovery, rules: FileRules) -> Discovery:
    """Put the members of archives in the place of the archives; one that cannot be read fails alone.

    What was made earlier from an archive that cannot be read now stays: it counts as a folder that cannot be read.

    Raises:
        Unavailable: No process can be started.
    """
    archives = [file for file in found.files if file.archive]
    if not archives:
        return found
    files = {file.uri: file for file in found.files if not file.archive}
    left_out = list(found.left_out)
    with Worker() as worker:
        for archive in archives:
            try:
                listing = isolated_listing(str(archive.file), limit=rules.max_bytes, worker=worker)
            except DocumentError as error:
                left_out.append(LeftOut(uri=archive.uri + "/", reason=str(error), failed=True))
                continue
            for member in listing.members:
                path = f"{archive.path}/{member.path}"
                if _belongs(path, rules):
                    uri = f"{archive.root}/{path}"
                    files[uri] = replace(
                        archive,
                        uri=uri,
                        inside=member.inside,
                        sha256=member.sha256,
                        size=member.size,
                    )
            for refused in listing.refused:
                if _belongs(f"{archive.path}/{refused.path}", rules):
                    left_out.append(_refused(archive, refused.path, refused.reason))
    return Discovery(
        files=tuple(sorted(files.values(), key=lambda f: f.uri)),
        left_out=tuple(sorted(left_out, key=lambda o: (o.uri, o.reason))),
    )


def _refused(archive: FoundFile, path: str, reason: str) -> LeftOut:
    return LeftOut(uri=f"{archive.uri}/{path}", reason=reason, present=True)


def _belongs(path: str, rules: FileRules) -> bool:
    """Return whether the patterns of the run take a member, as they would take a file in a folder."""
    include, exclude = parse_patterns("\n".join(rules.include)), parse_patterns("\n".join(rules.exclude))
    if include and not selects(include, path):
        return False
    parts = path.split("/")
    return not any(decide(exclude, parts[:end], end < len(parts)) for end in range(1, len(parts) + 1))
