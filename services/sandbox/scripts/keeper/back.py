# Undoes changes that were written to host folders, and reports on the runs that made them.
import os
from collections.abc import Callable

from keeper.carry import differing, folder_carry, is_tidy
from keeper.files import load, save
from keeper.folders import LOOK_MAX_S, journal, kind_of, look, run_folder, tree
from keeper.layers import ROOT
from keeper.plan import folder_begin, folder_judge
from keeper.reading import Clock, summed
from keeper.squash import discard


# Returns the journal that undoes a write to a host folder. The journal begins with the newest change, and lists the
# contents of a folder before the folder.
def backwards_of(plan):
    ops: list[dict] = []
    for op in reversed(plan['ops']):
        old = os.fsdecode(b'%d/old/%d' % (op['i'], op['n']))
        back = {'n': len(ops), 'i': op['i'], 'path': op['path'], 'from': old, 'base': None, 'ours': op.get('put')}
        if op['do'] == 'attr':
            ops.append({**back, 'do': 'attr', 'attr': op['base'][2:], 'ours': None})
            ops[-1].pop('ours')
            ops[-1]['base'] = op['base'][:2] + op['attr']
        elif op['base'] is not None:
            ops.append({**back, 'do': 'put'})
        else:
            ops.append({**back, 'do': 'rmdir' if op['do'] == 'mkdir' else 'gone'})
    return {'state': 'waits', 'ops': ops}


# Shows how undoing a run would change its host folders after the `newer` runs are undone. Returns the effects and the
# paths that anyone else has changed since.
def preview_folder_undo(run, newer=()):
    plan, meta = load(journal(run, b'plan')), load(journal(run, b'meta'))
    if plan is None or plan['state'] != 'done':
        return {'effects': None, 'touched': [], 'undoable': False}
    back, changes = backwards_of(plan), []
    for op in back['ops']:
        path = os.fsencode(meta['folders'][op['i']]['path'] + '/' + op['path'])
        if op['do'] == 'gone':
            changes.append(('deleted', path, op['ours'][2] if op['ours'] else 0))
        elif op['do'] == 'put':
            kind = 'created' if op['ours'] is None else 'changed'
            files = list(old_files(run, op))
            changes += [(kind, path + each, size) for each, size in files]
    covered = {path for each in newer for path in paths_of(each)}
    told = [path for path in differing(back, meta) if path not in covered]
    return {'effects': summed(changes, True), 'touched': told, 'undoable': plan['said']['undoable']}


# Yields the paths in host folders that a run changed, as people see them.
def paths_of(run):
    plan, meta = load(journal(run, b'plan')), load(journal(run, b'meta'))
    for op in plan['ops'] if plan else ():
        path = os.fsencode(meta['folders'][op['i']]['path'] + '/' + op['path'])
        yield path.decode('utf-8', 'replace')


def old_files(run, op):
    root, path = run_folder(run), os.fsencode(op['from'])
    s = look(root, path)
    if s is not None and kind_of(s) == 'd':
        for each, t in tree(root, path, Clock(LOOK_MAX_S)):
            yield each[len(path):], t.st_size
    elif s is not None:
        yield b'', s.st_size


# Undoes everything that a run did to its host folders, or nothing. Nothing changes if anyone else has changed the same
# paths since.
def folder_undo(run):
    plan = load(journal(run, b'plan'))
    if plan is None or plan['state'] != 'done':
        return {'conflicts': []}
    assert plan['said']['undoable']
    if load(journal(run, b'back')) is None:
        save(journal(run, b'back'), backwards_of(plan))
    return folder_carry(run, 'back')


def folder_runs():
    top, found = os.path.join(ROOT, b'.folders'), []
    for name in os.listdir(top) if os.path.isdir(top) else ():
        run = name.decode()
        meta, plan, back = (load(journal(run, each)) for each in (b'meta', b'plan', b'back'))
        if meta is None:
            continue
        state = 'back' if back and back['state'] != 'waits' else plan['state'] if plan else 'runs'
        state = 'go' if state == 'done' and not is_tidy(run) else state
        found.append({'run': run, 'workspace': meta['workspace'], 'state': state, 'at': meta['at'],
                      'bytes': plan['said']['bytes'] if plan else 0, 'folders': [each['name'] for each in meta['folders']]})
    return {'runs': sorted(found, key=lambda each: -each['at'])}


def folder_state(run):
    meta, plan = load(journal(run, b'meta')), load(journal(run, b'plan'))
    names = [each['name'] for each in meta['folders']] if meta else []
    return {'state': plan['state'] if plan else 'runs' if meta else None, 'folders': names, 'judged': bool(meta and meta['judged'])}


# Deletes the record of a run. Runs that are being written to the host stay and, unless `old` is set, so do runs that
# have been written.
def folder_drop(run, old=False):
    plan, back = load(journal(run, b'plan')), load(journal(run, b'back'))
    if (plan and plan['state'] in ('go',) + ('done',) * (not old)) or (back and back['state'] == 'go'):
        return {'dropped': False}
    discard(run_folder(run))
    return {'dropped': True}


FOLDERS: dict[str, Callable] = {
    'folderBegin': folder_begin, 'folderJudge': folder_judge, 'folderCarry': folder_carry, 'folderUndo': folder_undo,
    'previewFolderUndo': preview_folder_undo, 'folderRuns': folder_runs, 'folderState': folder_state, 'folderDrop': folder_drop,
}
