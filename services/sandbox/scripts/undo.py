# What commands did, undone: the layers since a command began are taken away, all of them or none. In a layer, r holds a file for
# each run that began when it was empty. It goes before keeper.py, whose functions it uses.
import os

RUNS_MAX = 50


def record(workspace, n, run):
    assert run and all(c in '0123456789abcdef-' for c in run)
    return os.path.join(home(workspace), b'%d' % n, b'r', run.encode())


# Notes that a run begins, with what is to be known of it (`kept`) when it is undone: only where its layer is empty, and so will
# hold what came since.
def begin(workspace, run, kept):
    there = layers(workspace)
    if len(there) < 2 or os.listdir(upper(workspace, there[-1])):
        return {'began': False}
    path = record(workspace, there[-1], run)
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    names = sorted(os.listdir(folder), key=lambda name: os.stat(os.path.join(folder, name)).st_mtime_ns)
    for name in names[:max(0, len(names) - RUNS_MAX + 1)]:
        os.unlink(os.path.join(folder, name))
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w') as f:
        f.write(kept)
    return {'began': True}


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


def layer_of(workspace, run):
    return next((n for n in layers(workspace) if os.path.exists(record(workspace, n, run))), None)


# What undoing a run would do to the workspace, as effects; null where it cannot be undone. Somebody may be writing.
def foretell(workspace, run):
    first, there = layer_of(workspace, run), layers(workspace)
    if first is None:
        return {'effects': None}
    below, whole = (Below([upper(workspace, n) for n in reversed(there) if n < end]) for end in (first, there[-1] + 1))
    clock, changes, complete = Clock(), [], True
    try:
        changes.extend(backwards([n for n in there if n >= first], workspace, below, whole, clock))
    except Late:
        complete = False
    return {'effects': summed(changes, complete)}


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


# Takes layers away, from the top down to the one that is noted.
def roll_back(workspace):
    first = noted(workspace, b'undo')
    for n in reversed(layers(workspace)):
        if n >= first:
            discard(os.path.join(home(workspace), b'%d' % n))
            step()
    os.unlink(os.path.join(home(workspace), b'undo'))
    forget_sizes(workspace)
    step()


UNDO = {'begin': begin, 'runs': runs, 'foretell': foretell, 'undo': undo}
