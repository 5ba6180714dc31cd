# What commands did, undone: the layers since a command began are taken away, all of them or none, or that of one command alone.
# In a layer, r holds a file for each run that began when it was empty, e one for each that has ended, t what was told of it.
#
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


# Notes that a run begins, with what is to be known of it (`kept`) when it is undone: only where its layer is empty, and so will
# hold what came since.
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


# Notes when a run ended, once: what is written to its layer after that is somebody else's.
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


# The runs that can be undone, the newest first.
def runs(workspace):
    found, there = [], layers(workspace)
    for n in there:
        # What is still written to is not remembered.
        size = measured(workspace, n) if n == there[-1] else size_of(workspace, n)
        folder = os.path.join(home(workspace), b'%d' % n, b'r')
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            path = os.path.join(folder, name)
            with open(path) as f:
                found.append({'run': name.decode(), 'at': os.stat(path).st_mtime, 'bytes': size, 'kept': f.read()})
    return {'runs': sorted(found, key=lambda each: each['at'], reverse=True)}


# What undoing a run would do to the workspace, as effects; null where it cannot be undone. Somebody may be writing.
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


# What going back to the layers `below` changes in the `whole`: (kind, path, bytes).
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
            # Nothing lies on what the newest layer removed: that of it which was there comes back.
            is_gone = n == taken[-1] and kind == 'w'
            for gone, size in below.files(path, clock):
                if gone in looked:
                    continue
                if is_gone:
                    looked.add(gone)
                    yield 'created', gone, size
                else:
                    yield from look(gone)


# Makes the workspace what it was before a run. Nothing may have it mounted; `top` is to be asked next.
def undo(workspace, run):
    first = layer_of(workspace, run)
    if first is not None:
        note(workspace, b'undo', first)
        roll_back(workspace)
    return {}


# Takes away what one run did and nothing else, by one rename; nothing is done where others have touched the same since.
def undo_alone(workspace, run):
    first = layer_of(workspace, run)
    others = [] if first is None else touched(workspace, run, first)
    if first is not None and not others:
        end_all_in(workspace, first)
        discard(os.path.join(home(workspace), b'%d' % first))
        forget_sizes(workspace)
        step()
    return {'touched': others}


# The paths that a run touched and others since, so that it cannot be undone alone.
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


# What lies in the layer of a run and was put there after it, or by one that ran beside it: all of it where nobody knows.
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


# Whether something in the layer of a run was put there after its end. `gone`: its whiteouts, where they are known.
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


# Whether something was done at a path, of which a layer holds a version: not where that is only a folder above what was done,
# nor a new folder that is still to be seen.
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


# Takes layers away, from the top down to the one that is noted.
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
