# What a command did, held until it counts. It goes before keeper.py, whose functions it uses. In the folder of a workspace:
# `held`, of the one layer that does not count yet, and for each goal or chat `own.ID`, the files that its commands made.
# A layer that is empty when its command begins can be dropped as if the command had never run. States of `held`, each by a
# rename: `runs` (the command may be running), `waits` (for a person's verdict), `drop` (verdict given; done again after a crash).
import json, os, shutil, stat

JUDGE_MAX_S = float(os.environ.get('JUDGE_MAX_S', '10'))
READ_MAX = 256 << 20
OWN_MAX = 32 << 20
GONE_MAX, GONE_MAX_S = 10_000, 1


def held(workspace):
    path = os.path.join(home(workspace), b'held')
    try:
        return json.loads(os.readlink(path))
    except FileNotFoundError:
        return None
    except OSError:
        # A file, as it was before: a person may be asked about it still.
        return load(path)


# The text of a link is there with its name, or neither is, and before all that is written later: the journal of a file
# system keeps that order. So nobody has to wait for the disk before a command begins (`later`).
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


# Whose layer it is that does not count yet.
def holder(workspace):
    there = held(workspace)
    return {'run': there and there['run'], 'waits': there is not None and there['state'] != 'runs'}


# From now on what this run does can be dropped; not where its layer has something in it already. A `preview` never counts.
def hold(workspace, run, origin, judged, preview=False):
    there = held(workspace)
    if there is not None and (there['run'] != run or there['state'] in ('aside', 'adopt')):
        return {'began': False}
    n = layers(workspace)
    if len(n) < 2 or is_used(workspace, n[-1]):
        return {'began': False}
    what = {'run': run, 'layer': n[-1], 'origin': origin, 'judged': judged, 'state': 'runs'}
    note_held(workspace, {**what, 'preview': True} if preview else what, later=True)
    return {'began': True}


# All that a run asks before it begins. `how`: what `hold` is asked, where what it does is to be held; otherwise
# how its layer is is remembered. `kept`: what is to be known when it is undone, where its layer is there already.
def start(workspace, run, how, kept):
    there = held(workspace)
    if there is not None and there['run'] != run:
        return {'began': False, 'holder': there['run'], 'waits': there['state'] != 'runs', 'preview': there.get('preview', False)}
    began = how is None or hold(workspace, run, *how)['began']
    untold = []
    if began and how is None:
        untold.append(tried(mark, workspace, run))
    if began and kept is not None:
        untold.append(tried(begin, workspace, run, kept))
    return {'began': began, 'holder': None, 'waits': False, 'untold': next((each['untold'] for each in untold if 'untold' in each), None)}


# Does what is no reason to fail when it cannot be done, and says why.
def tried(do, *args):
    try:
        return do(*args)
    except Exception as error:
        return {'untold': '%s: %s' % (type(error).__name__, error)}


def own_file(workspace, origin):
    assert is_id(origin)
    return os.path.join(home(workspace), b'own.' + os.fsencode(origin))


# By path, how the files were when the commands of this goal or chat left them: any other version is somebody else's.
def own(workspace, origin):
    known = {}
    try:
        with open(own_file(workspace, origin)) as f:
            for line in f:
                try:
                    path, *identity = json.loads(line)
                    known[os.fsencode(path)] = identity
                except ValueError:
                    pass
    except FileNotFoundError:
        pass
    return known


def identity(s):
    return [s.st_ino, s.st_mtime_ns, s.st_size]


def remember_own(workspace, origin, n, paths):
    lines = []
    for path in paths:
        try:
            lines.append(json.dumps([os.fsdecode(path), *identity(os.lstat(os.path.join(upper(workspace, n), path)))]))
        except FileNotFoundError:
            pass
    with open(own_file(workspace, origin), 'a') as f:
        # The end of a line that a crash cut.
        if f.tell() < OWN_MAX:
            f.write('\n' + '\n'.join(lines) + '\n')


# Where a file lies in the layers below, and what it is; None where there is none.
def locate(below, path):
    parts = path.split(b'/')
    for folder in below.folders:
        here, hides = folder, False
        for i, part in enumerate(parts):
            here = os.path.join(here, part)
            try:
                s = os.lstat(here)
            except (FileNotFoundError, NotADirectoryError):
                break
            if not stat.S_ISDIR(s.st_mode):
                return (here, s) if i == len(parts) - 1 and not is_whiteout(s) else None
            if i == len(parts) - 1:
                return None
            hides = hides or is_opaque(here)
        if hides:
            return None
    return None


# Whether all that was in a file is in it still: it is the same, or there is more at its end.
def keeps(old, new, clock, budget):
    a, b = os.lstat(old), os.lstat(new)
    if stat.S_ISLNK(a.st_mode) and stat.S_ISLNK(b.st_mode):
        return os.readlink(old) == os.readlink(new)
    if not stat.S_ISREG(a.st_mode) or not stat.S_ISREG(b.st_mode) or b.st_size < a.st_size:
        return False
    budget[0] -= a.st_size
    if budget[0] < 0:
        return False
    with open(old, 'rb') as f, open(new, 'rb') as g:
        while True:
            clock.check()
            piece = f.read(1 << 20)
            if piece == b'':
                return True
            if g.read(len(piece)) != piece:
                return False


# What a layer did to files that were there, and to those that its goal or chat had made.
class Verdict:
    def __init__(self, workspace, there):
        self.top, self.clock, self.budget = upper(workspace, there['layer']), Clock(JUDGE_MAX_S), [READ_MAX]
        self.changes, self.complete, self.gone = [], True, None
        # By path, the bytes that are lost. What of it is of others, and what is left to the goal or chat.
        self.lost, self.mine, self.left = {}, {}, []
        try:
            found = scan(self.top, self.clock, strict=True)
            self.below = Below([upper(workspace, n) for n in reversed(layers(workspace)) if n < there['layer']])
            self.gone = gone_in(found)
            self.changes.extend(compare({}, found, self.below, self.clock))
            if there['judged']:
                self.weigh(own(workspace, there['origin']) if any(c[0] != 'created' for c in self.changes) else {})
            else:
                self.left = [path for kind, path, _ in self.changes if kind == 'created']
        except Exception:
            # Whatever could not be looked at is for a person to decide.
            self.complete = False

    def weigh(self, known):
        moved = set()
        for kind, path, _ in self.changes:
            if kind == 'created':
                continue
            old, s = locate(self.below, path)
            if known.get(path) == identity(s):
                self.mine[path] = s.st_size
            elif kind == 'deleted':
                target = self.moved_to(old, s)
                moved.add(target)
                if target is None:
                    self.lost[path] = s.st_size
            elif not keeps(old, os.path.join(self.top, path), self.clock, self.budget):
                self.lost[path] = s.st_size
        self.left = [p for kind, p, _ in self.changes if kind != 'deleted' and p not in moved and (kind == 'created' or p in self.mine)]

    # Where all of a file is now that is gone from its place.
    def moved_to(self, old, s):
        if not hasattr(self, 'by_size'):
            self.by_size = {}
            for kind, path, size in self.changes:
                if kind != 'deleted':
                    self.by_size.setdefault(size, []).append(path)
        for path in self.by_size.get(s.st_size, [])[:16]:
            now = os.path.join(self.top, path)
            is_same_time = os.lstat(now).st_mtime_ns == s.st_mtime_ns
            if (is_same_time or s.st_size > 0) and keeps(old, now, self.clock, self.budget):
                return path
        return None

    def share(self, kind):
        sizes = [self.lost[path] for k, path, _ in self.changes if k == kind and path in self.lost]
        return {'files': len(sizes), 'bytes': sum(sizes)}


# The command has ended. What it destroyed of what was there before its goal or chat waits for a person; all else counts.
# `waits`: what it did besides waits, so that nothing of it counts yet.
def judge(workspace, run, files_max, bytes_max, waits=False):
    ended(workspace, run)
    there = held(workspace)
    if there is None or there['run'] != run or there['state'] in ('drop', 'aside'):
        return {'effects': told_before(workspace, run), 'held': None}
    v = Verdict(workspace, there)
    much = len(v.mine) > files_max or sum(v.mine.values()) > bytes_max
    # First what a person is asked about.
    v.changes.sort(key=lambda change: (change[1] not in v.lost, change[1]))
    effects = summed(v.changes, v.complete)
    counts = not there['judged'] or (v.complete and not v.lost and not much)
    is_preview = there.get('preview')
    if not is_preview:
        keep_told(workspace, there['layer'], run, effects, v.gone)
    if counts and not waits and not is_preview:
        commit(workspace, there, v.left)
    elif there['state'] == 'runs':
        note_held(workspace, {**there, 'state': 'waits'})
    if counts:
        return {'effects': effects, 'held': None}
    own_share = {'files': len(v.mine), 'bytes': sum(v.mine.values())} if much else None
    return {
        'effects': effects,
        'held': {'verdict': 'waiting', 'deleted': v.share('deleted'), 'overwritten': v.share('changed'), 'own': own_share},
    }


# All that is asked when a run has ended; nothing yet where it did something to folders of the host, which is looked at first.
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


# Whoever asks may be killed before it is written down what a run did, and nobody can tell it again once it counts.
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


# Where a layer hides what lies below it; None where that is more than is kept. All whiteouts of a mount are one file, so
# that no time tells later when one was made.
def gone_in(found):
    gone = [os.fsdecode(p) for p, entry in found.items() if entry[0] == 'w']
    return gone if len(gone) <= GONE_MAX else None


def whiteouts(workspace, n):
    try:
        return gone_in(scan(upper(workspace, n), Clock(GONE_MAX_S)))
    except Late:
        return None


# The whiteouts that there were when a run had ended; None where nobody knows.
def gone_with(workspace, n, run):
    gone = (load(record(workspace, n, run, b't')) or {}).get('gone')
    return None if gone is None else {os.fsencode(path) for path in gone}


def commit(workspace, there, paths):
    remember_own(workspace, there['origin'], there['layer'], paths)
    step()
    forget_held(workspace)


# A person lets it count: what they have seen is the goal's own from now on.
def keep(workspace, run):
    there = held(workspace)
    if there is not None and there['run'] == run and there['state'] != 'drop' and not there.get('preview'):
        v = Verdict(workspace, there)
        commit(workspace, there, [path for kind, path, _ in v.changes if kind != 'deleted'] if v.complete else [])
    return {}


# Makes what a run did undone. Nothing may have the workspace mounted.
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
    # A layer that was renamed is gone; another one has its number only when this is over.
    if os.path.lexists(layer):
        shutil.rmtree(gone, ignore_errors=True)
        os.rename(layer, gone)
    step()
    shutil.rmtree(gone, ignore_errors=True)
    step()
    forget_held(workspace)


HELD = {'holder': holder, 'start': start, 'end': end, 'judge': judge, 'keep': keep, 'takeBack': take_back}
