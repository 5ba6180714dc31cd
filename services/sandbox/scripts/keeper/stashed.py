# What a preview did, set aside until its action is let run. A layer that was
# set aside is named for the action that it is a preview of, and holds p: when that was, and the stack that it lay on. Two more
# states of `held`, each brought to its end after a crash, while nothing has the workspace mounted: `aside` and `adopt`.
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


# The layers below one, each with what tells it from any other that had its number, or more in it.
def stack_below(workspace, n):
    seen = [(m, os.stat(upper(workspace, m))) for m in layers(workspace) if m < n]
    return [[m, s.st_ino, s.st_ctime_ns] for m, s in seen]


# What a preview did, to where nobody sees it. Nothing may have the workspace mounted. The newest `most` are kept.
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
    # A layer that was renamed is aside; another one has its number only when this is over.
    if os.path.lexists(layer):
        save(os.path.join(layer, b'p'), {key: there[key] for key in ('run', 'action', 'below', 'at')})
        discard(aside)
        step()
        os.rename(layer, aside)
    step()
    forget_held(workspace)


# Why what was set aside cannot count any more; None where it can.
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


# Puts what was set aside for an action on top, as if the action had just done it: what it did is to be judged. Nothing may
# have the workspace mounted. Asked again it says the same.
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
    # What is no more aside has become the layer.
    if os.path.lexists(aside):
        take_records(layer, aside, load(os.path.join(aside, b'p'))['run'], there['run'])
        step()
        discard(layer)
        step()
        os.rename(aside, layer)
        step()
    forget_sizes(workspace)
    note_held(workspace, {**there, 'state': 'runs'})


# Runs that wrote nothing to the layer on top can be undone still, and so can the action, as that began when its preview did.
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


# The newest first.
def stashed_of(workspace):
    there = home(workspace)
    names = [name for name in os.listdir(there) if name.startswith(b'.preview.')] if os.path.isdir(there) else []
    kept = [load(os.path.join(home(workspace), name, b'p')) for name in names]
    return sorted(({'action': k['action'], 'at': k['at']} for k in kept if k), key=lambda k: k['at'], reverse=True)


# Not what is being adopted: that is brought to its end.
def drop_stashed(workspace, action):
    there = held(workspace)
    if there is None or there['state'] != 'adopt' or there['run'] != action:
        discard(stash_folder(workspace, action))
    return {}


# All that was set aside, and the previews whose layers are not.
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
