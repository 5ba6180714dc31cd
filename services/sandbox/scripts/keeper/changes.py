# Lists in pages all changes that a run made to single files, read from its layer.
import json
import os
from collections.abc import Callable

from keeper.layers import layers, upper
from keeper.reading import Below, Clock, Late, ancestors, compare, folder_changes, scan
from keeper.records import gone_with, layer_of, record
from keeper.undo import came_later

LIST_MAX_S = 10
PAGE_MAX_CHARS = 500_000
KINDS = ('deleted', 'changed', 'created')
# Keeps the last list, because its next page is usually requested soon.
listed: dict[tuple, tuple[list, bool]] = {}


# Returns at most `limit` changes, from index `start`. Returns null if the layer does not exist or its run has not
# ended.
def changes(workspace, run, start, limit):
    n = layer_of(workspace, run)
    if n is None or not os.path.exists(record(workspace, n, run, b'e')):
        return {'changes': None}
    key = (workspace, run, tuple(layers(workspace)))
    known = listed.get(key)
    if known is None or start == 0:
        known = list_changes(workspace, run, n)
        listed.clear()
        listed[key] = known
    found, complete = known
    items: list[dict] = []
    size = 0
    for kind, path, length in found[start:start + limit]:
        text = path.decode('utf-8', 'replace')
        size += len(json.dumps(text))
        if items and size > PAGE_MAX_CHARS:
            break
        items.append({'kind': kind, 'path': text, 'bytes': length})
    after = start + len(items)
    return {'changes': {'items': items, 'next': after if after < len(found) else None, 'total': len(found), 'complete': complete}}


def list_changes(workspace, run, n):
    clock, complete = Clock(LIST_MAX_S), True
    found: list[tuple] = []
    top, below = upper(workspace, n), Below([upper(workspace, m) for m in reversed(layers(workspace)) if m < n])
    try:
        lies, gone = scan(top, clock), gone_with(workspace, n, run)
        end = os.stat(record(workspace, n, run, b'e')).st_ctime_ns
        found.extend(c for c in compare({}, lies, below, clock) if is_its_own(top, lies, c[1], end, gone))
        found.extend(c for c in folder_changes(top, lies, below) if is_its_own(top, lies, c[1].rstrip(b'/'), end, gone))
    except Late:
        complete = False
    return sorted(found, key=lambda c: (KINDS.index(c[0]), c[1])), complete


# Returns whether the run itself wrote a path, and nothing wrote to it later. This cannot be known for the contents of
# hidden folders, or for unknown whiteouts.
def is_its_own(top, lies, path, end, gone):
    at = next((p for p in (path, *ancestors(path)) if lies.get(p, 'd')[0] in 'wof'), None)
    if at is None or lies[at][0] == 'o' or lies[at][0] == 'w' and gone is None:
        return True
    try:
        return not came_later(top, at, lies[at][0], end, gone)
    except FileNotFoundError:
        return False


CHANGES: dict[str, Callable] = {'changes': changes}
