# Lists the layers of a workspace, and adds an empty one for the next command.
import os
from collections.abc import Callable

from keeper.files import step
from keeper.holds import held
from keeper.layers import ROOT, home, is_used, layers, upper
from keeper.made import counted, end_all_in, mark_counted
from keeper.squash import discard, empty, forget_sizes, last_to_merge, look_like, note, squash, what_may_go
from keeper.stashed import finish_held
from keeper.undo import roll_back


def make(workspace, n, like):
    temporary, final = (os.path.join(home(workspace), name) for name in (b'.new', b'%d' % n))
    discard(temporary)
    step()
    os.makedirs(os.path.join(temporary, b'r'))
    for name in (b'u', b'w'):
        os.makedirs(os.path.join(temporary, name))
        os.chown(os.path.join(temporary, name), 1000, 1000)
    if like is not None:
        look_like(like, os.path.join(temporary, b'u'), os.lstat(like).st_mtime_ns)
    step()
    os.rename(temporary, final)
    step()


# Makes sure that the top layer is empty, and returns the layers. No container may have the workspace mounted. The
# oldest layers are merged if there are more than `depth`, if they exceed `max_bytes` in total, or if they are older
# than `max_age` seconds. While someone `reads` them, the call only sets `due`.
def top(workspace, depth, max_bytes=float('inf'), max_age=float('inf'), reads=False):
    if os.path.exists(os.path.join(home(workspace), b'undo')):
        roll_back(workspace)
    finish_held(workspace)
    # A layer that may be dropped alone must stay separate and on top.
    if held(workspace) is not None:
        return {'layers': layers(workspace), 'due': False}
    if os.path.exists(os.path.join(home(workspace), b'squash')):
        squash(workspace)
    there = layers(workspace)
    if not there:
        os.makedirs(home(workspace), exist_ok=True)
        make(workspace, 0, None)
        there = [0]
    # Commands never write to the base, so that their changes can be told apart from it.
    if there[-1] == 0 or is_used(workspace, there[-1]):
        if there[-1] > 0 and not os.path.exists(counted(workspace, there[-1])):
            end_all_in(workspace, there[-1])
            mark_counted(workspace, there[-1])
        make(workspace, there[-1] + 1, upper(workspace, there[-1]))
    last = what_may_go(workspace, last_to_merge(workspace, layers(workspace), depth, max_bytes, max_age), depth, max_age)
    if last and not reads:
        note(workspace, b'squash', last)
        squash(workspace)
    # The layers now contain everything, and the original volume is gone.
    if os.path.exists(os.path.join(home(workspace), b'adopted')):
        os.unlink(os.path.join(home(workspace), b'adopted'))
    return {'layers': layers(workspace), 'due': bool(last) and reads}


# Returns the layers that form the current workspace, for a reader, or None while an operation is unfinished. An empty
# top layer adds nothing, but an overlay without an upper folder needs two layers.
def readable(workspace):
    there, waiting = layers(workspace), held(workspace)
    is_begun = any(os.path.exists(os.path.join(home(workspace), name)) for name in (b'undo', b'squash'))
    if len(there) < 2 or is_begun or (waiting is not None and waiting['state'] not in ('runs', 'waits')):
        return {'layers': []}
    return {'layers': there if len(there) == 2 or is_used(workspace, there[-1]) else there[:-1]}


# Creates test layers to check whether the engine supports layers.
def plant(workspace, name):
    os.makedirs(home(workspace))
    make(workspace, 0, None)
    with open(os.path.join(upper(workspace, 0), os.fsencode(name)), 'w') as f:
        f.write(name)
    return {}


def drop(workspace):
    discard(home(workspace))
    forget_sizes(workspace)
    return {}


# Lists all workspaces. `adopted` contains those copied from a volume that may still exist.
def all_of():
    empty()
    names = [os.fsdecode(name) for name in os.listdir(ROOT) if b'.' not in name]
    adopted = [name for name in names if os.path.exists(os.path.join(home(name), b'adopted'))]
    return {'workspaces': names, 'adopted': adopted}


STACK: dict[str, Callable] = {'top': top, 'readable': readable, 'drop': drop, 'list': all_of, 'plant': plant}
