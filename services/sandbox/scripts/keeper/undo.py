# Undoes commands. An undo removes all layers since a command began, or none, or it removes only the layer of one
# command. In a layer, `r` has a file for each run that began while the layer was empty, `e` has one for each run that
# has ended, and `t` holds the reported effects.
import os
from collections.abc import Callable

from keeper.files import step
from keeper.layers import home, is_used, layers, upper
from keeper.made import end_all_in
from keeper.reading import Below, Clock, Late, ancestors, scan, summed
from keeper.records import gone_with, layer_of, record
from keeper.squash import clear, discard, forget_sizes, measured, note, noted, size_of

RUNS_MAX = 50
ALONE_MAX_S = 30
TOUCHED_MAX = 200


# Records the beginning of a run, with the facts that its undo needs (`kept`). Only a run that finds the layer empty is
# recorded, because only then does the layer hold everything since.
def begin(workspace, run, kept):
    there = layers(workspace)
    if len(there) < 2 or is_used(workspace, there[-1]):
        return {'began': False}
    path = record(workspace, there[-1], run)
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    names = sorted(os.listdir(folder), key=lambda name: os.stat(os.path.join(folder, name)).st_mtime_ns)
    for name in names[:max(0, len(names) - RUNS_MAX + 1)]:
        os.unlink(os.path.join(folder, name))
        for kind in (b'e', b't'):
            clear(record(workspace, there[-1], name.decode(), kind))
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w') as f:
        f.write(kept)
    return {'began': True}


# Records the end of a run, once. Anything written to its layer later is not part of the run.
def ended(workspace, run):
    n = layer_of(workspace, run)
    if n is None:
        return
    path = record(workspace, n, run, b'e')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        pass


# Returns the runs that can be undone, newest first.
def runs(workspace):
    found, there = [], layers(workspace)
    for n in there:
        # The top layer may still be written to, so its size is not cached.
        size = measured(workspace, n) if n == there[-1] else size_of(workspace, n)
        folder = os.path.join(home(workspace), b'%d' % n, b'r')
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            path = os.path.join(folder, name)
            with open(path) as f:
                found.append({'run': name.decode(), 'at': os.stat(path).st_mtime, 'bytes': size, 'kept': f.read()})
    return {'runs': sorted(found, key=lambda each: each['at'], reverse=True)}


# Returns the effects that undoing a run would have on the workspace, or null if the run cannot be undone. A command may
# be writing at the same time.
def preview_undo(workspace, run, only=False):
    first, there = layer_of(workspace, run), layers(workspace)
    if first is None:
        return {'effects': None, 'touched': []}
    below, whole = (Below([upper(workspace, n) for n in reversed(there) if n < end]) for end in (first, there[-1] + 1))
    clock, changes, complete = Clock(), [], True
    try:
        changes.extend(backwards([n for n in there if n == first or n > first and not only], workspace, below, whole, clock))
    except Late:
        complete = False
    return {'effects': summed(changes, complete), 'touched': touched(workspace, run, first) if only else []}


# Yields the changes from the `whole` workspace back to the layers `below` as (kind, path, bytes).
def backwards(taken, workspace, below, whole, clock):
    looked = set()

    def look(path):
        looked.add(path)
        now, then = whole.size(path), below.size(path)
        if now is not None and then is None:
            yield 'deleted', path, now
        elif now is None and then is not None:
            yield 'created', path, then
        elif now is not None:
            yield 'changed', path, then

    for n in reversed(taken):
        for path, (kind, _, _) in sorted(scan(upper(workspace, n), clock).items()):
            clock.check()
            if kind in 'wf' and path not in looked:
                yield from look(path)
            if kind not in 'wof':
                continue
            # Nothing lies above a deletion in the newest layer, so the deleted files come back.
            is_gone = n == taken[-1] and kind == 'w'
            for gone, size in below.files(path, clock):
                if gone in looked:
                    continue
                if is_gone:
                    looked.add(gone)
                    yield 'created', gone, size
                else:
                    yield from look(gone)


# Restores the workspace to its state before a run. No container may have it mounted. The caller calls `top` next.
def undo(workspace, run):
    first = layer_of(workspace, run)
    if first is not None:
        note(workspace, b'undo', first)
        roll_back(workspace)
    return {}


# Undoes only one run, with one rename. Nothing changes if anyone else has changed the same paths since.
def undo_alone(workspace, run):
    first = layer_of(workspace, run)
    others = [] if first is None else touched(workspace, run, first)
    if first is not None and not others:
        end_all_in(workspace, first)
        discard(os.path.join(home(workspace), b'%d' % first))
        forget_sizes(workspace)
        step()
    return {'touched': others}


# Returns the paths that both the run and later commands have changed. They prevent an undo of this run alone.
def touched(workspace, run, first):
    clock, there = Clock(ALONE_MAX_S), layers(workspace)
    mine, top = scan(upper(workspace, first), clock, strict=True), upper(workspace, first)
    below = Below([upper(workspace, n) for n in reversed(there) if n < first])
    found = touched_beside(workspace, run, first, mine)
    for n in (n for n in there if n > first):
        if not same_looks(top, below.folders[0]):
            found.add(b'.')
        theirs = scan(upper(workspace, n), clock, strict=True)
        hiding = {path for path, entry in theirs.items() if entry[0] in 'wof'}
        for path, (kind, _, _) in mine.items() if theirs else ():
            clock.check()
            hidden = path in hiding or (hiding and any(a in hiding for a in ancestors(path)))
            if (hidden or path in theirs) and is_news(os.path.join(top, path), kind, below.look(path), hidden):
                found.add(path)
    return [path.decode('utf-8', 'replace') for path in sorted(found)[:TOUCHED_MAX]]


# Returns the paths in the layer of a run that were written after the run or by a parallel run. Returns all paths if
# this is unknown.
def touched_beside(workspace, run, n, mine):
    try:
        end = os.stat(record(workspace, n, run, b'e')).st_ctime_ns
    except FileNotFoundError:
        return set(mine) or {b'.'}
    began = os.stat(record(workspace, n, run)).st_mtime_ns
    for other in os.listdir(os.path.dirname(record(workspace, n, run))):
        if other != run.encode() and overlaps(workspace, n, other.decode(), began, end):
            return set(mine)
    gone = gone_with(workspace, n, run)
    late = {path for path, entry in mine.items() if came_later(upper(workspace, n), path, entry[0], end, gone)}
    return {path for path in late if mine[path][0] in 'wf'} or late


# Returns whether an entry in the layer of a run was written after the run ended. `gone` contains the run's whiteouts,
# if they are known.
def came_later(top, path, kind, end, gone):
    if kind == 'w' and gone is not None:
        return path not in gone
    return os.lstat(os.path.join(top, path)).st_ctime_ns > end


def overlaps(workspace, n, run, began, end):
    try:
        its_end = os.stat(record(workspace, n, run, b'e')).st_ctime_ns
    except FileNotFoundError:
        return True
    return its_end > began and os.stat(record(workspace, n, run)).st_mtime_ns < end


# Returns whether the layer's entry at a path is a change. An entry is not a change if it is only a parent folder of a
# change, or a new folder that still exists.
def is_news(at, kind, found_below, hidden):
    folders, s = found_below
    if kind in 'wf' or s is not None:
        return True
    if not folders:
        return hidden
    return kind == 'o' or not same_looks(at, folders[0])


def same_looks(one, other):
    a, b = os.lstat(one), os.lstat(other)
    notes = lambda f: {n: os.getxattr(f, n) for n in os.listxattr(f) if not n.startswith('user.overlay.')}
    return (a.st_mode, a.st_uid, a.st_gid) == (b.st_mode, b.st_uid, b.st_gid) and notes(one) == notes(other)


# Removes layers, from the top down to the recorded layer.
def roll_back(workspace):
    first = noted(workspace, b'undo')
    for n in reversed(layers(workspace)):
        if n >= first:
            end_all_in(workspace, n)
            discard(os.path.join(home(workspace), b'%d' % n))
            step()
    os.unlink(os.path.join(home(workspace), b'undo'))
    forget_sizes(workspace)
    step()


UNDO: dict[str, Callable] = {'begin': begin, 'runs': runs, 'previewUndo': preview_undo, 'undo': undo, 'undoAlone': undo_alone}
