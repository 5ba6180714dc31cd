# Reports the effects of runs whose changes are not held.
from keeper.layers import layers, upper
from keeper.reading import Below, Clock, Late, compare, scan, summed
from keeper.undo import ended

marks: dict[str, tuple[str, int, dict]] = {}


# Records the state of the top layer before a command begins.
def mark(workspace, run):
    there = layers(workspace)
    while len(marks) > 256:
        marks.pop(next(iter(marks)))
    try:
        marks[run] = (workspace, there[-1], scan(upper(workspace, there[-1]), Clock())) if there else (workspace, 0, {})
    except Late:
        pass
    return {}


# Returns the changes in the top layer since the run's mark, or null if there is no mark.
def effects(workspace, run):
    ended(workspace, run)
    there, known = layers(workspace), marks.pop(run, None)
    if known is None or not there or known[0] != workspace:
        return {'effects': None}
    before = known[2] if known[1] == there[-1] else {}
    below = Below([upper(workspace, n) for n in reversed(there[:-1])])
    clock, changes, complete = Clock(), [], True
    try:
        changes.extend(compare(before, scan(upper(workspace, there[-1]), clock), below, clock))
    except Late:
        complete = False
    return {'effects': summed(changes, complete)}
