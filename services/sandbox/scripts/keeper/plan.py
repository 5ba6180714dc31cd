# Turns the changes of a command in host folders into the journal of a write to the host.
import os
import stat
import time

from keeper.archive import FOLDER
from keeper.diffs import DIFF_FILES_MAX, bytes_of, diff_text, text_of
from keeper.files import load, save
from keeper.folders import LOOK_MAX_S, OPS_MAX, UNFIT, Elsewhere, host, journal, kind_of, look, looks, opened, run_folder, state_of, tree, version
from keeper.made import TEXT_MAX, TEXTS_MAX, Made, keep_text, text_folder, texts_size
from keeper.reading import Clock, Late, ancestors, scan, summed
from keeper.records import layer_of
from keeper.squash import discard
from keeper.table import Paths, Refusals, how_text, is_at_start, is_unnamed, why_held
from keeper.undo import TOUCHED_MAX
from keeper.weigh import TOLD_MAX, folder_of, looks_of, refused_of, told_path


# Returns the reason why the file system of a folder does not allow holding changes, or None if it does.
def why_unfit(i):
    with open('/proc/self/mountinfo') as f:
        lines = [line.split() for line in f]
    kinds = [fields[fields.index('-') + 1] for fields in lines if fields[4] == os.fsdecode(host(i))]
    kind = kinds[-1] if kinds else 'unknown'
    return 'no overlay can be mounted over ' + kind if kind.startswith(UNFIT) else None


# Creates empty layers over the host folders of a run. `meta['folders']` lists each folder's name and its path in the
# container.
def folder_begin(run, meta):
    unfit = {each['name']: why_unfit(i) for i, each in enumerate(meta['folders'])}
    if any(unfit.values()):
        return {'unfit': {name: why for name, why in unfit.items() if why}}
    top = run_folder(run)
    if not os.path.exists(journal(run, b'meta')):
        discard(top)
        for i in range(len(meta['folders'])):
            os.makedirs(os.path.join(top, b'%d' % i, b'old'))
            for name in (b'u', b'w'):
                os.mkdir(os.path.join(top, b'%d' % i, name))
            fd = os.open(host(i), FOLDER)
            s = os.fstat(fd)
            os.close(fd)
            os.chown(os.path.join(top, b'%d' % i, b'u'), s.st_uid, s.st_gid)
            os.chmod(os.path.join(top, b'%d' % i, b'u'), stat.S_IMODE(s.st_mode))
        save(journal(run, b'meta'), {**meta, 'run': run, 'at': time.time()})
    return {'unfit': {}}


# Lists all changes that a layer asks for, in the order of execution: folders come before their contents.
class Plan:
    def __init__(self, run, meta, clock):
        self.run, self.meta, self.clock = run, meta, clock
        # Files get their timestamps from the kernel's clock, so the start of the run is also read from a file.
        self.since = os.stat(journal(run, b'meta')).st_ctime_ns
        self.ops, self.conflicts, self.skipped, self.changes = [], [], [], []
        # `moved` caches whether a folder was moved since the start. `was` holds the original sizes of the changed
        # files.
        self.moved, self.was = {}, {}
        for i, folder in enumerate(meta['folders']):
            self.root, self.i, self.prefix = host(i), i, os.fsencode(folder['path']) + b'/'
            self.found = scan(os.path.join(run_folder(run), b'%d' % i, b'u'), clock, strict=True)
            for path in sorted(self.found):
                clock.check()
                self.look_at(path)

    def add(self, do, path, base, **more):
        if len(self.ops) >= OPS_MAX:
            raise Late()
        n = len(self.ops)
        source = os.path.join(b'%d' % self.i, b'u', path)
        op = {'n': n, 'i': self.i, 'do': do, 'path': os.fsdecode(path), 'base': base, 'from': os.fsdecode(source), **more}
        self.ops.append(op)
        self.check_age(path, base)

    def told(self, kind, path, size):
        self.changes.append((kind, self.prefix + path, size))

    # If a file on the host changed after the command began, nobody knows which version the command saw.
    def check_age(self, path, base):
        late = base is not None and base[0] in 'fls' and base[4] >= self.since
        if late or any(self.was_moved(a) for a in ancestors(path)):
            self.conflicts.append(self.prefix + path)

    def was_moved(self, folder):
        if folder not in self.moved:
            s = look(self.root, folder)
            self.moved[folder] = s is not None and s.st_ctime_ns >= self.since > s.st_mtime_ns
        return self.moved[folder]

    def look_at(self, path):
        kind, s = self.found[path][0], look(self.root, path)
        upper = os.path.join(run_folder(self.run), b'%d' % self.i, b'u', path)
        try:
            if kind == 'w':
                if s is not None:
                    self.gone(path, s)
            elif kind in 'do':
                self.folder(path, s, kind, os.lstat(upper))
            elif kind_of(os.lstat(upper)) == 's':
                self.skipped.append(self.prefix + path)
            else:
                self.file(path, s, os.lstat(upper))
        except Elsewhere:
            self.conflicts.append(self.prefix + path)

    def gone(self, path, s):
        base = state_of(self.root, path, 'v', self.clock)
        self.add('gone', path, base)
        if kind_of(s) != 'd':
            return self.told('deleted', path, s.st_size)
        for each, t in tree(self.root, path, self.clock):
            self.told('deleted', each, t.st_size)
            if t.st_ctime_ns >= self.since:
                self.conflicts.append(self.prefix + each)

    def folder(self, path, s, kind, now):
        if s is None or kind_of(s) != 'd':
            self.add('mkdir', path, None if s is None else version(s))
            if s is not None:
                self.told('deleted', path, s.st_size)
            return
        if looks(s)[2:] != looks(now)[2:]:
            self.add('attr', path, looks(s), attr=looks(now)[2:])
            self.told('changed', path + b'/', 0)
        if kind == 'o':
            fd = opened(self.root, path)
            names = [os.fsencode(name) for name in os.listdir(fd)]
            os.close(fd)
            for name in sorted(names):
                if path + b'/' + name not in self.found:
                    self.gone(path + b'/' + name, look(self.root, path + b'/' + name))

    def file(self, path, s, now):
        if stat.S_ISREG(now.st_mode) and now.st_mode & 0o6000:
            self.skipped.append(self.prefix + path + b' (setuid bit)')
        if s is not None and kind_of(s) == 'd':
            for each, t in tree(self.root, path, self.clock):
                self.told('deleted', each, t.st_size)
        self.add('put', path, None if s is None else state_of(self.root, path, 'v', self.clock))
        if s is not None:
            self.was[self.prefix + path] = s.st_size
        self.told('created' if s is None or kind_of(s) == 'd' else 'changed', path, now.st_size)


def own_key(meta, op):
    return os.fsencode('/' + meta['folders'][op['i']]['name'] + '/' + op['path'])


# Returns whether the goal or chat created the path, and nobody on the host has changed it since.
def is_own(made, meta, op):
    base = op['base']
    return base is not None and base[0] == 'f' and made.is_made(own_key(meta, op)) and made.left.get(own_key(meta, op)) == [base[1], base[3], base[2]]


def in_layer(run, op):
    return os.path.join(run_folder(run), b'%d' % op['i'], b'u')


# Returns how a file on the host was changed, in the words of table.py. Edits are compared with the text that the file
# had when the goal first touched it.
def how_changed(run, meta, op, made):
    path, key = os.fsencode(op['path']), own_key(meta, op)
    was, now = look(host(op['i']), path), look(in_layer(run, op), path)
    if was is None or now is None or kind_of(was) != 'f' or kind_of(now) != 'f':
        return 'linked' if now is not None and kind_of(now) == 'l' else 'replaced'
    old, new = bytes_of(host(op['i']), path, TEXT_MAX), bytes_of(in_layer(run, op), path, TEXT_MAX)
    if old is None or new is None:
        return 'replaced'
    first = made.text(key)
    start = old
    if first is not None and first[0] is not None:
        start = bytes_of(text_folder(meta['workspace'], meta['origin']), first[0].encode(), TEXT_MAX) or b''
    how = 'times' if old == new else how_text(start if first is None else start[:first[1]], old, new)
    if looks_of(was) != looks_of(now):
        return 'permissions'
    if how == 'edited' and texts_size(meta['workspace'], meta['origin']) + len(start) > TEXTS_MAX:
        return 'replaced'
    if how == 'edited' and (first is None or first[0] is None) or how == 'appended' and first is None:
        text = start if how == 'edited' else None
        keep_text(meta['workspace'], meta['origin'], key, text, len(start))
    return how


# Shows the first changed lines of small text files.
def diff_of(run, ops, meta):
    pairs = []
    for op in [op for op in ops if op['do'] == 'put' and op['base'] is not None][:DIFF_FILES_MAX]:
        path = os.fsencode(op['path'])
        old = text_of(host(op['i']), path)
        new = text_of(in_layer(run, op), path)
        pairs.append((meta['folders'][op['i']]['path'] + '/' + path.decode('utf-8', 'replace'), old, new))
    return diff_text(pairs)


# Counts the files of one kind of loss, and adds up their original sizes.
def share_of(changes, wanted, was):
    sizes = [was.get(path, size) for kind, path, size in changes if kind == wanted]
    return {'files': len(sizes), 'bytes': sum(sizes)}


# Turns the changes of a run that has ended into the journal of a write to the host. The journal then waits for a
# verdict. A repeated call returns the same answer.
def folder_judge(run, keep_max):
    known = load(journal(run, b'plan'))
    if known is not None:
        return {**known['said'], 'state': known['state']}
    meta = load(journal(run, b'meta'))
    if meta is None:
        return {'effects': None}
    try:
        plan = Plan(run, meta, Clock(LOOK_MAX_S))
        ops = plan.ops
    except Late:
        return {'effects': summed([], False), 'lost': {'deleted': {'files': 0, 'bytes': 0}, 'changed': {'files': 0, 'bytes': 0}},
                'conflicts': [], 'skipped': [], 'diff': '', 'undoable': False, 'changed': True,
                'bytes': 0, 'state': 'waits'}
    mine = Made(meta['workspace'], meta['origin'])
    named, refused = named_in(run, meta), Refusals(meta.get('refusals', ()))
    not_own = {os.fsencode(meta['folders'][op['i']]['path'] + '/' + op['path']) for op in ops if not is_own(mine, meta, op)}
    is_others = lambda path: path in not_own or any(a in not_own for a in ancestors(path))
    by_path = {os.fsencode(meta['folders'][op['i']]['path'] + '/' + op['path']): op for op in ops if op['do'] == 'put'}
    how, against, why = {}, {}, {}
    for kind, path, _ in plan.changes:
        bare, op = path.rstrip(b'/'), by_path.get(path)
        own = kind != 'created' and not is_others(bare)
        how[path] = kind if kind != 'changed' else 'permissions' if op is None else 'replaced' if own else how_changed(run, meta, op, mine)
        against[path] = refused.against(bare, how[path])
        runs = kind == 'changed' and op is not None and bool(look(host(op['i']), os.fsencode(op['path'])).st_mode & 0o111)
        why[path] = why_held(how[path], own, is_at_start(bare, runs), is_unnamed(bare), bool(against[path]), named.cover(bare))
    lost = [c for c in plan.changes if why[c[1]] is not None]
    # Changes that need a decision come first.
    asked = {c[1] for c in lost}
    plan.changes.sort(key=lambda c: (c[1] not in asked, c[1]))
    before = sum(old_size(op, plan.clock) for op in ops)
    said = {
        'effects': summed(plan.changes, True),
        'lost': {kind: share_of(lost, kind, plan.was) for kind in ('deleted', 'changed')},
        'conflicts': told_paths(plan.conflicts), 'skipped': told_paths(plan.skipped),
        'diff': diff_of(run, ops, meta), 'undoable': before <= keep_max, 'bytes': before,
        'changed': bool(ops) or bool(plan.skipped),
        'items': [{'path': told_path(path), 'how': how[path], 'why': why[path]} for _, path, _ in lost[:TOLD_MAX]],
        'refused': refused_of(meta.get('refusals', ()), [(path, against[path]) for _, path, _ in lost]),
    }
    save(journal(run, b'plan'), {'state': 'waits', 'ops': ops, 'said': said})
    return {**said, 'state': 'waits'}


# Returns the paths that an approved command names.
def named_in(run, meta):
    n, named = layer_of(meta['workspace'], run), meta.get('named')
    return Paths(named or (), folder_of(meta['workspace'], {'layer': n, 'run': run}) if named and n is not None else None)


def told_paths(paths):
    return [path.decode('utf-8', 'replace') for path in sorted(set(paths))[:TOUCHED_MAX]]


def old_size(op, clock):
    if op['do'] == 'attr' or op['base'] is None:
        return 0
    if op['base'][0] != 'd':
        return op['base'][2] if op['base'][0] == 'f' else 0
    return sum(s.st_size for _, s in tree(host(op['i']), os.fsencode(op['path']), clock))
