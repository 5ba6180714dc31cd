# Stores facts about runs whose layers still exist.
import json
import os

from keeper.files import load, step
from keeper.layers import home, layers, upper
from keeper.reading import Clock, Late, is_id, scan


def record(workspace, n, run, kind=b'r'):
    assert is_id(run)
    return os.path.join(home(workspace), b'%d' % n, kind, run.encode())


def layer_of(workspace, run):
    return next((n for n in reversed(layers(workspace)) if os.path.exists(record(workspace, n, run))), None)


GONE_MAX, GONE_MAX_S = 10_000, 1


# Stores the effects of a run. The client may be killed before it does so, and once the run counts, nobody can determine
# them again.
def keep_told(workspace, n, run, effects, gone):
    path = record(workspace, n, run, b't')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + b'.new', 'w') as f:
        f.write(json.dumps({'effects': effects, 'gone': gone}))
    step()
    os.rename(path + b'.new', path)
    step()


def told_before(workspace, run):
    found = (load(record(workspace, n, run, b't')) for n in layers(workspace))
    return next((there.get('effects') for there in found if there), None)


# Returns the paths at which a layer hides lower layers, or None if there are too many to keep. All whiteouts of a mount
# share one inode, so their times are useless.
def gone_in(found):
    gone = [os.fsdecode(p) for p, entry in found.items() if entry[0] == 'w']
    return gone if len(gone) <= GONE_MAX else None


def whiteouts(workspace, n):
    try:
        return gone_in(scan(upper(workspace, n), Clock(GONE_MAX_S)))
    except Late:
        return None


# Returns the whiteouts that existed when a run ended, or None if they are unknown.
def gone_with(workspace, n, run):
    gone = (load(record(workspace, n, run, b't')) or {}).get('gone')
    return None if gone is None else {os.fsencode(path) for path in gone}
