# Holds the changes of a command until they are approved. The file `held` in the folder of a workspace describes the one
# layer that does not count yet (made.py tracks what its goal or chat created; weigh.py finds what it changed). If a
# layer is empty when its command begins, the layer can be dropped as if the command had never run. Each state of `held`
# is set by a rename: `runs` (the command may be running), `waits` (for a person's verdict), `drop` (refused; the drop
# is repeated after a crash).
import json
import os
import shutil
from collections.abc import Callable

from keeper.back import folder_state
from keeper.effects import effects, mark
from keeper.files import load, step, sync_folder
from keeper.layers import home, is_used, layers
from keeper.made import keep_terms, mark_counted, note_made, unmark_counted
from keeper.reading import summed
from keeper.records import keep_told, layer_of, told_before, whiteouts
from keeper.squash import full, spend, undo_marker
from keeper.undo import begin, ended
from keeper.weigh import Verdict


def held(workspace):
    path = os.path.join(home(workspace), b'held')
    try:
        return json.loads(os.readlink(path))
    except FileNotFoundError:
        return None
    except OSError:
        # Earlier versions wrote a file. A decision about such held changes may still be open.
        return load(path)


# The state is stored in a link, because a journaling file system writes a link's target and name together, before
# anything written later. So with `later` a command need not wait for the disk before it begins.
def note_held(workspace, what, later=False):
    path = os.path.join(home(workspace), b'held')
    if os.path.lexists(path + b'.new'):
        os.unlink(path + b'.new')
    os.symlink(json.dumps(what), path + b'.new')
    step()
    os.rename(path + b'.new', path)
    if not later:
        sync_folder(home(workspace))
    step()


def forget_held(workspace):
    os.unlink(os.path.join(home(workspace), b'held'))
    step()


# Returns the run whose layer does not count yet, and whether that layer waits for a verdict.
def holder(workspace):
    there = held(workspace)
    return {'run': there and there['run'], 'waits': there is not None and there['state'] != 'runs'}


# Makes all later changes of this run droppable, unless its layer already contains something. The changes of a `preview`
# never count. `named` contains the paths in the words that a person approved, and `refusals` what a person refused
# before (table.py).
def hold(workspace, run, origin, judged, preview=False, named=None, refusals=()):
    there = held(workspace)
    if there is not None and (there['run'] != run or there['state'] in ('aside', 'adopt')):
        return {'began': False}
    n = layers(workspace)
    if len(n) < 2 or is_used(workspace, n[-1]):
        return {'began': False}
    if os.path.exists(full(workspace)):
        if preview or judged and named is None:
            return {'began': False, 'full': True}
        spend(workspace)
    what = {'run': run, 'layer': n[-1], 'origin': origin, 'judged': judged, 'state': 'runs'}
    keep_terms(workspace, n[-1], {'named': named, 'refusals': refusals} if named is not None or refusals else None)
    note_held(workspace, {**what, 'preview': True} if preview else what, later=True)
    return {'began': True}


# Prepares a run. `how` contains the arguments for `hold`. If it is None, the changes are not held and the current state
# of the layer is recorded instead. `kept` is what an undo needs to know.
def start(workspace, run, how, kept):
    there = held(workspace)
    if there is not None and there['run'] != run:
        return {'began': False, 'holder': there['run'], 'waits': there['state'] != 'runs', 'preview': there.get('preview', False)}
    holding = {'began': True} if how is None else hold(workspace, run, *how)
    began = holding['began']
    steps = []
    if began and how is None:
        # Nobody examines the files that this run writes, so they belong to no goal or chat.
        unmark_counted(workspace)
        steps.append(tried(mark, workspace, run))
    if began and kept is not None:
        steps.append(tried(begin, workspace, run, kept))
    return {**holding, 'holder': None, 'waits': False, 'unreported': next((each['unreported'] for each in steps if 'unreported' in each), None)}


# Runs an optional step. If it fails, returns the reason.
def tried(do, *args):
    try:
        return do(*args)
    except Exception as error:
        return {'unreported': '%s: %s' % (type(error).__name__, error)}


# Judges a run that has ended. Changes that destroyed files older than its goal or chat wait for a person, and all
# others count. With `waits`, other changes of the run wait for a person, so nothing counts yet.
def judge(workspace, run, files_max, bytes_max, waits=False):
    ended(workspace, run)
    there = held(workspace)
    if there is None or there['run'] != run or there['state'] in ('drop', 'aside'):
        return {'effects': told_before(workspace, run), 'held': None}
    v = Verdict(workspace, there)
    much = not v.approved and (len(v.mine) > files_max or sum(v.mine.values()) > bytes_max)
    # Changes that need a decision come first.
    v.changes.sort(key=lambda change: (change[1] not in v.held, change[1]))
    effects = summed(v.changes, v.complete)
    counts = not there['judged'] or (v.complete and not v.held and not much)
    is_preview = there.get('preview')
    if not is_preview:
        keep_told(workspace, there['layer'], run, effects, v.gone)
    if counts and not waits and not is_preview:
        commit(workspace, there, v)
    elif there['state'] == 'runs':
        note_held(workspace, {**there, 'state': 'waits'})
    if counts:
        return {'effects': effects, 'held': None}
    own_share = {'files': len(v.mine), 'bytes': sum(v.mine.values())} if much else None
    return {'effects': effects, 'held': {**v.told(), 'verdict': 'waiting', 'own': own_share}}


# Handles the end of a run. If the run changed host folders, those changes are examined first, and nothing else happens
# yet.
def end(workspace, run, files_max, bytes_max):
    if folder_state(run)['state'] is not None:
        return {'effects': None, 'held': None, 'inFolders': True}
    judged = judge(workspace, run, files_max, bytes_max)
    if judged['effects'] is not None:
        return {**judged, 'inFolders': False}
    told, n = tried(effects, workspace, run), layer_of(workspace, run)
    if n is not None and told.get('effects') is not None:
        keep_told(workspace, n, run, told['effects'], whiteouts(workspace, n))
    return {**judged, **told, 'inFolders': False}


def commit(workspace, there, v):
    note_made(workspace, there, v)
    mark_counted(workspace, there['layer'])
    if v.is_needed_for_undo:
        open(undo_marker(workspace, there['layer']), 'w').close()
    step()
    forget_held(workspace)


# Accepts the held changes. The goal owns what it created. The files of others still belong to them, with their new
# content.
def keep(workspace, run):
    there = held(workspace)
    if there is not None and there['run'] == run and there['state'] != 'drop' and not there.get('preview'):
        v = Verdict(workspace, there)
        v.accept()
        commit(workspace, there, v)
    return {}


# Drops the changes of a run. No container may have the workspace mounted.
def take_back(workspace, run):
    there = held(workspace)
    if there is not None and there['run'] == run:
        note_held(workspace, {**there, 'state': 'drop'})
        finish_drop(workspace)
    return {}


def finish_drop(workspace):
    there = held(workspace)
    if there is None or there['state'] != 'drop':
        return
    gone, layer = (os.path.join(home(workspace), name) for name in (b'.dropped', b'%d' % there['layer']))
    # A layer that has been renamed is already dropped. No other layer gets its number before this step.
    if os.path.lexists(layer):
        shutil.rmtree(gone, ignore_errors=True)
        os.rename(layer, gone)
    step()
    shutil.rmtree(gone, ignore_errors=True)
    step()
    forget_held(workspace)


HELD: dict[str, Callable] = {'holder': holder, 'start': start, 'end': end, 'judge': judge, 'keep': keep, 'takeBack': take_back}
