# Keeps the changes of a preview until its action is approved. A stashed layer is named after its action. Its file `p`
# records when the preview ran and which layers were below it. `held` has two more states, `aside` and `adopt`. After a
# crash both operations are completed while no container has the workspace mounted.
import os
import time
from collections.abc import Callable

from keeper.files import load, save, step
from keeper.holds import finish_drop, forget_held, held, note_held
from keeper.layers import ROOT, home, is_used, layers, upper
from keeper.reading import is_id
from keeper.squash import discard, forget_sizes


def stash_folder(workspace, action):
    assert is_id(action)
    return os.path.join(home(workspace), b'.preview.' + action.encode())


# Returns the layers below layer `n`. Each has a value that differs if the layer was replaced or has more content.
def stack_below(workspace, n):
    seen = [(m, os.stat(upper(workspace, m))) for m in layers(workspace) if m < n]
    return [[m, s.st_ino, s.st_ctime_ns] for m, s in seen]


# Stashes the changes of a preview, so that later commands do not see them. No container may have the workspace mounted.
# The newest `most` previews are kept.
def stash(workspace, run, action, most):
    finish_held(workspace)
    there = held(workspace)
    if there is not None and there['run'] == run and there.get('preview'):
        below = stack_below(workspace, there['layer'])
        note_held(workspace, {**there, 'state': 'aside', 'action': action, 'below': below, 'at': time.time()})
        finish_stash(workspace)
        for each in stashed_of(workspace)[most:]:
            drop_stashed(workspace, each['action'])
    kept = load(os.path.join(stash_folder(workspace, action), b'p'))
    return {'stashed': kept is not None and kept['run'] == run}


def finish_stash(workspace):
    there = held(workspace)
    if there is None or there['state'] != 'aside':
        return
    layer, aside = os.path.join(home(workspace), b'%d' % there['layer']), stash_folder(workspace, there['action'])
    # A layer that has been renamed is already stashed. No other layer gets its number before this step.
    if os.path.lexists(layer):
        save(os.path.join(layer, b'p'), {key: there[key] for key in ('run', 'action', 'below', 'at')})
        discard(aside)
        step()
        os.rename(layer, aside)
    step()
    forget_held(workspace)


# Returns the reason why a stashed preview can no longer be used, or None if it can.
def why_stale(workspace, run, action, max_age):
    kept, there = load(os.path.join(stash_folder(workspace, action), b'p')), layers(workspace)
    if kept is None or kept['run'] != run:
        return 'gone'
    if not 0 <= time.time() - kept['at'] <= max_age:
        return 'too old'
    if held(workspace) is not None:
        return 'in use'
    if not there or is_used(workspace, there[-1]) or stack_below(workspace, there[-1]) != kept['below']:
        return 'files changed'
    return None


# Puts a stashed preview on top, as if its action had just run. Its changes must still be judged. No container may have
# the workspace mounted. A repeated call returns the same answer.
def adopt(workspace, run, action, origin, judged, max_age):
    finish_held(workspace)
    if is_adopted(workspace, action):
        return {'why': None}
    why = why_stale(workspace, run, action, max_age)
    if why is None:
        n = layers(workspace)[-1]
        note_held(workspace, {'run': action, 'layer': n, 'origin': origin, 'judged': judged, 'state': 'adopt'})
        finish_adopt(workspace)
    return {'why': why}


def is_adopted(workspace, action):
    at = (load(os.path.join(home(workspace), b'%d' % n, b'p')) for n in reversed(layers(workspace)))
    return any(kept is not None and kept['action'] == action for kept in at)


def finish_adopt(workspace):
    there = held(workspace)
    if there is None or there['state'] != 'adopt':
        return
    layer, aside = os.path.join(home(workspace), b'%d' % there['layer']), stash_folder(workspace, there['run'])
    # A missing stash has already become the layer.
    if os.path.lexists(aside):
        take_records(layer, aside, load(os.path.join(aside, b'p'))['run'], there['run'])
        step()
        discard(layer)
        step()
        os.rename(aside, layer)
        step()
    forget_sizes(workspace)
    note_held(workspace, {**there, 'state': 'runs'})


# Moves the records of earlier runs to the new layer. They wrote nothing to the top layer and can still be undone. The
# action can be undone too, and counts as begun when its preview began.
def take_records(layer, aside, run, action):
    for kind in (b'r', b'e', b't'):
        folder = os.path.join(layer, kind)
        os.makedirs(os.path.join(aside, kind), exist_ok=True)
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            os.rename(os.path.join(folder, name), os.path.join(aside, kind, name))
            step()
    for kind in (b'r', b'e', b't'):
        if os.path.exists(os.path.join(aside, kind, run.encode())):
            os.rename(os.path.join(aside, kind, run.encode()), os.path.join(aside, kind, action.encode()))
            step()


def finish_held(workspace):
    finish_drop(workspace)
    finish_stash(workspace)
    finish_adopt(workspace)


# Returns the stashed previews of a workspace, newest first.
def stashed_of(workspace):
    there = home(workspace)
    names = [name for name in os.listdir(there) if name.startswith(b'.preview.')] if os.path.isdir(there) else []
    kept = [load(os.path.join(home(workspace), name, b'p')) for name in names]
    return sorted(({'action': k['action'], 'at': k['at']} for k in kept if k), key=lambda k: k['at'], reverse=True)


# Drops a stashed preview. A preview that is being adopted stays, because that operation must finish.
def drop_stashed(workspace, action):
    there = held(workspace)
    if there is None or there['state'] != 'adopt' or there['run'] != action:
        discard(stash_folder(workspace, action))
    return {}


# Returns all stashed previews, and the previews whose layers are not stashed.
def previews():
    found, left = [], []
    for name in os.listdir(ROOT):
        if b'.' not in name and os.path.isdir(os.path.join(ROOT, name)):
            workspace = os.fsdecode(name)
            found += [{'workspace': workspace, **each} for each in stashed_of(workspace)]
            there = held(workspace)
            if there is not None and there.get('preview'):
                left.append({'workspace': workspace, 'run': there['run']})
    return {'stashed': found, 'left': left}


def stale(workspace, run, action, max_age):
    return {'why': why_stale(workspace, run, action, max_age)}


STASHED: dict[str, Callable] = {'stash': stash, 'adopt': adopt, 'stale': stale, 'dropStashed': drop_stashed, 'previews': previews}
