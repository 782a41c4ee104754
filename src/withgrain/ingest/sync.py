"""Bring a collection in line with folders and files."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from withgrain.errors import ConfigError, DocumentError, Unavailable
from withgrain.ingest.contract import check_contract, make_contract
from withgrain.ingest.discover import Discovery, Scan, discover, list_names
from withgrain.ingest.dry_run import rehearse
from withgrain.ingest.patterns import literal, parse_patterns
from withgrain.ingest.places import known_places, note_places, other_place, overlap, renamed
from withgrain.ingest.plan import HashedFile, Missing, Plan, Scope, make_plan
from withgrain.ingest.prepare import Recipe
from withgrain.ingest.reading import hash_file
from withgrain.ingest.records import Placement
from withgrain.ingest.report import IngestReport, Made
from withgrain.ingest.roots import Root, resolve_roots
from withgrain.ingest.run import run
from withgrain.ingest.settings import IngestSettings
from withgrain.ingest.tally import Tally
from withgrain.ingest.unpacking import with_members
from withgrain.model import DocumentRecord
from withgrain.types import Snapshot, Store


def ingest(store: Store, paths: Sequence[Path], settings: IngestSettings, *, scan: Scan = list_names) -> IngestReport:
    """Add, update, rename and delete what changed in ``paths`` since the last time; write nothing when nothing did.

    Args:
        store: The collection.
        paths: Folders and files. Deletions happen only inside folders that are named here.
        settings: How to read, cut, embed and commit.
        scan: Lists the names in a folder.

    Raises:
        UsageError: A path that cannot be used, so many vanished files that it looks like an accident, or a folder that
            has only the name in common with one that was read before (then nothing is written; ``force`` insists).
        ContractMismatch: The collection was written with other settings.
        CollectionLocked: Another process writes.
        Unavailable: The collection cannot be written; what was committed before is intact.
    """
    started = time.monotonic()
    collection = settings.rules.collection
    if settings.policy.topics and settings.embedder is None and settings.topic_embedder is None:
        raise ConfigError(
            f"The policy {settings.policy.name} cuts at changes of topic and needs an embedder to see them. Choose an "
            "embedder (minilm), or a policy that needs none (structure_aware)."
        )
    contract = make_contract(settings.policy, settings.tokenizer, settings.embedder)
    check_contract(store.contract(), contract)
    placement = Placement.of(
        settings.labels,
        settings.label_rules,
        settings.domains,
        settings.classes,
        contract=contract.fingerprint,
        version=contract.ingestion_version,
        front_matter=settings.front_matter_labels,
    )
    recipe = _recipe(settings, placement)
    roots = resolve_roots(paths, name=settings.name, collection=collection)
    planner = _planner(roots, settings, placement, scan)

    snapshot = store.snapshot()
    plan = planner(snapshot)
    tally = Tally(version=snapshot.version if snapshot else None)
    if settings.dry_run:
        rehearsal = rehearse(plan, recipe, settings, tally)
        return tally.report(seconds=time.monotonic() - started, dry_run=rehearsal)
    if not settings.force:
        plan.refuse_accidents()
    if plan.writes:
        with store.writer(contract) as writer:
            now = writer.snapshot()
            if snapshot is None or now.version != snapshot.version:
                plan = planner(now)  # another process committed before the lock was taken
                if not settings.force:
                    plan.refuse_accidents()
            note_places(collection, roots)
            run(plan, writer, recipe, settings, tally)
            if tally.rows.total():
                writer.finish()
    else:
        with suppress(Unavailable):  # a collection that only may be read stays as useful as it was
            note_places(collection, roots)
        for action in plan.of("fail", "skip"):
            tally.left(action)
        for action in plan.of("copy"):
            tally.done(action)
    tally.kept(plan)
    left = store.snapshot() if plan.writes else snapshot
    tally.vectors = _made(left)
    tally.lazy = left is not None and settings.lazy_with(left.count()["chunks"])
    return tally.report(seconds=time.monotonic() - started)


def _made(snapshot: Snapshot | None) -> Made:
    count = snapshot.count() if snapshot is not None else {}
    return Made(made=count.get("vectors", 0), total=count.get("leaves", 0))


def _planner(
    roots: Sequence[Root], settings: IngestSettings, placement: Placement, scan: Scan
) -> Callable[[Snapshot | None], Plan]:
    """Look at the files once; return what makes a plan against any state of the collection."""
    found = discover(roots, settings.rules, scan=scan)
    files, missing = _hash_files(with_members(found, settings.rules), settings)
    include = parse_patterns("\n".join(settings.rules.include))
    single = {root.name for root in roots if root.files is not None}
    scopes = (
        *(Scope(root=root.name, include=include, named=root.files is not None) for root in roots),
        *(Scope(root=f.root, include=(literal(f.path),)) for f in found.files if f.root in single and f.archive),
    )

    def plan(snapshot: Snapshot | None) -> Plan:
        known = snapshot.documents() if snapshot is not None else []
        pending: frozenset[str] = frozenset()
        if (
            snapshot is not None
            and settings.embedder is not None
            and not settings.lazy_with(snapshot.count()["chunks"])
        ):
            pending = frozenset(snapshot.pending())

        def current(file: HashedFile, record: DocumentRecord) -> bool:
            return record.id not in pending and placement.is_current(record, file.sha256)

        planned = make_plan(files, missing, known, scopes=scopes, current=current, twin=placement.twin)
        return replace(planned, refusal=_misplaced(roots, files, known, settings) or planned.refusal)

    return plan


def _misplaced(
    roots: Sequence[Root], files: Sequence[HashedFile], known: Sequence[DocumentRecord], settings: IngestSettings
) -> str:
    """Return why the roots are not what their names or places say; empty when they are."""
    places = known_places(settings.rules.collection)
    held = frozenset(document.root for document in known)
    read_before = {name: place for name, place in places.items() if name in held}
    if refusal := overlap(roots, read_before):
        return refusal
    if settings.name:
        return ""
    new = [root for root in roots if root.name not in held]
    hashes: dict[str, set[str]] = {}
    for root, sha256 in (*((f.root, f.sha256) for f in files), *((d.root, d.sha256) for d in known)) if new else ():
        hashes.setdefault(root, set()).add(sha256)
    return other_place([r for r in roots if r.name in held], places) or renamed(new, read_before, hashes)


def _hash_files(found: Discovery, settings: IngestSettings) -> tuple[list[HashedFile], list[Missing]]:
    """Hash every file; one that cannot be read fails alone."""
    files: list[HashedFile] = []
    missing = [Missing(uri=o.uri, reason=o.reason, failed=o.failed, present=o.present) for o in found.left_out]
    for number, file in enumerate(found.files):
        if settings.progress is not None:
            settings.progress.update("scan", number, len(found.files), file.uri)
        try:
            sha256 = file.sha256 or hash_file(file.file)
        except DocumentError as error:
            missing.append(Missing(uri=file.uri, reason=str(error), failed=True, present=True))
        else:
            files.append(HashedFile(found=file, sha256=sha256))
    if settings.progress is not None:
        settings.progress.update("scan", len(found.files), len(found.files))
    return files, missing


def _recipe(settings: IngestSettings, placement: Placement) -> Recipe:
    from withgrain.chunk import within_window

    embedder = settings.embedder
    reader = embedder or settings.topic_embedder
    return Recipe(
        policy=settings.policy,
        tokenizer=settings.tokenizer,
        placement=placement,
        leaf_tokenizer=embedder.tokenizer if embedder else None,
        window=embedder.window if embedder else 0,
        embed=within_window(reader) if reader is not None and settings.policy.topics else None,
    )
