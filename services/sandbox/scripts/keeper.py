# Keeps the layers of all workspaces:  python3 -c "$(< keeper.py)" ROOT
# A line of JSON is a question, a line of JSON its answer. Below ROOT a workspace has a folder, and in it one for each layer:
# 0 is the base, the highest the one that is written to; u is what lies in it, w the engine's own. A layer is there by a
# rename, or not at all; a squash is written down (`squash`) before it begins, and any step of it may be done twice.
import json, os, shutil, stat, sys, time

ROOT = os.fsencode(sys.argv[1])
CREATED_MAX, DELETED_MAX = 20, 200
COUNT_MAX_S = float(os.environ.get('COUNT_MAX_S', '1.5'))
# For tests: the step at which this process is killed, as by the power going.
steps_left = int(os.environ.get('DIE_AT', '0'))
marks = {}


def step():
    global steps_left
    if steps_left:
        steps_left -= 1
        if not steps_left:
            os.kill(os.getpid(), 9)


class Late(Exception):
    pass


class Clock:
    def __init__(self, seconds=COUNT_MAX_S):
        self.end = time.monotonic() + seconds

    def check(self):
        if time.monotonic() > self.end:
            raise Late()


def home(workspace):
    assert workspace and all(c in '0123456789abcdef-' for c in workspace)
    return os.path.join(ROOT, os.fsencode(workspace))


def layers(workspace):
    try:
        return sorted(int(n) for n in os.listdir(home(workspace)) if n.isdigit())
    except FileNotFoundError:
        return []


def upper(workspace, n):
    return os.path.join(home(workspace), b'%d' % n, b'u')


def is_whiteout(s):
    return stat.S_ISCHR(s.st_mode) and s.st_rdev == 0


def is_opaque(path):
    try:
        return os.getxattr(path, 'user.overlay.opaque', follow_symlinks=False) == b'y'
    except OSError:
        return False


def make(workspace, n, like):
    temporary, final = (os.path.join(home(workspace), name) for name in (b'.new', b'%d' % n))
    shutil.rmtree(temporary, ignore_errors=True)
    step()
    for name in (b'u', b'w'):
        os.makedirs(os.path.join(temporary, name))
        os.chown(os.path.join(temporary, name), 1000, 1000)
    if like is not None:
        look_like(like, os.path.join(temporary, b'u'), os.lstat(like).st_mtime_ns)
    step()
    os.rename(temporary, final)
    step()


# Makes sure that there is an empty layer on top, and says which layers there are. Nothing may have the workspace mounted.
def top(workspace, depth):
    finish_drop(workspace)
    # What may have to be dropped alone stays on top, alone.
    if held(workspace) is not None:
        return {'layers': layers(workspace)}
    if os.path.exists(os.path.join(home(workspace), b'squash')):
        squash(workspace)
    there = layers(workspace)
    if not there:
        os.makedirs(home(workspace), exist_ok=True)
        make(workspace, 0, None)
        there = [0]
    # A base is never written to, so that what a command did can be told from it.
    if there[-1] == 0 or os.listdir(upper(workspace, there[-1])):
        make(workspace, there[-1] + 1, upper(workspace, there[-1]))
    if len(layers(workspace)) > depth:
        squash(workspace)
    return {'layers': layers(workspace)}


# Merges all layers but the one on top into the base. A step that was done is found done when it is taken again.
def squash(workspace):
    journal = os.path.join(home(workspace), b'squash')
    if not os.path.exists(journal):
        with open(journal + b'.new', 'w') as f:
            f.write(str(layers(workspace)[-2]))
            f.flush()
            os.fsync(f.fileno())
        step()
        os.rename(journal + b'.new', journal)
    step()
    with open(journal) as f:
        last = int(f.read())
    for n in layers(workspace):
        if 0 < n <= last:
            merge(upper(workspace, n), upper(workspace, 0))
            step()
            shutil.rmtree(os.path.join(home(workspace), b'%d' % n))
            step()
    os.unlink(journal)
    step()


def clear(path):
    try:
        s = os.lstat(path)
    except FileNotFoundError:
        return
    if stat.S_ISDIR(s.st_mode):
        shutil.rmtree(path)
    else:
        os.unlink(path)


# Moves what lies in `source` to `target`, a folder. Both are mounted nowhere.
def merge(source, target):
    # Written down, as taking things out of a folder changes its time.
    try:
        changed_at = int(os.getxattr(source, 'user.overlay.aish.at'))
    except OSError:
        changed_at = os.lstat(source).st_mtime_ns
        os.setxattr(source, 'user.overlay.aish.at', b'%d' % changed_at)
    step()
    for name in os.listdir(source):
        a, b = os.path.join(source, name), os.path.join(target, name)
        s = os.lstat(a)
        if is_whiteout(s):
            clear(b)
            step()
            os.unlink(a)
        elif not stat.S_ISDIR(s.st_mode):
            if os.path.isdir(b) and not os.path.islink(b):
                shutil.rmtree(b)
                step()
            if os.path.lexists(b) and os.path.samestat(os.lstat(b), s):
                # Two names of one file: a rename would leave both.
                os.unlink(a)
            else:
                os.rename(a, b)
        else:
            if is_opaque(a):
                clear(b)
                step()
                os.removexattr(a, 'user.overlay.opaque')
            elif os.path.lexists(b) and (os.path.islink(b) or not os.path.isdir(b)):
                os.unlink(b)
            step()
            if not os.path.lexists(b):
                os.mkdir(b, 0o700)
            merge(a, b)
            os.rmdir(a)
        step()
    look_like(source, target, changed_at)


# Owner, mode, times and attributes of a folder, but the marks of the overlay itself.
def look_like(source, target, changed_at):
    s = os.lstat(source)
    os.chown(target, s.st_uid, s.st_gid)
    os.chmod(target, stat.S_IMODE(s.st_mode))
    mine, others = ({n for n in os.listxattr(f) if not n.startswith('user.overlay.')} for f in (source, target))
    for name in mine:
        os.setxattr(target, name, os.getxattr(source, name))
    for name in others - mine:
        os.removexattr(target, name)
    os.utime(target, ns=(s.st_atime_ns, changed_at))


# What lies in a layer, by path: kind, what tells two versions apart, size. By descriptors, as somebody may be writing.
def scan(folder, clock, strict=False):
    found = {}

    def unread(error):
        if strict:
            raise error

    for base, dirs, files, fd in os.fwalk(folder, onerror=unread, follow_symlinks=False):
        clock.check()
        prefix = base[len(folder) + 1:]
        for name in dirs + files:
            try:
                s = os.lstat(name, dir_fd=fd)
            except OSError:
                continue
            path = os.path.join(prefix, name)
            if is_whiteout(s):
                found[path] = ('w', s.st_ino, 0)
            elif stat.S_ISDIR(s.st_mode):
                found[path] = ('o' if is_opaque(os.path.join(base, name)) else 'd', 0, 0)
            else:
                found[path] = ('f', (s.st_ino, s.st_ctime_ns, s.st_size), s.st_size)
    return found


# The layers below, as one. Nobody writes to them.
class Below:
    def __init__(self, folders):
        self.folders = folders

    # The size of a file; None where there is none, or a folder.
    def size(self, path):
        parts = path.split(b'/')
        for folder in self.folders:
            here, hides = folder, False
            for i, part in enumerate(parts):
                here = os.path.join(here, part)
                try:
                    s = os.lstat(here)
                except FileNotFoundError:
                    break
                if not stat.S_ISDIR(s.st_mode):
                    return s.st_size if i == len(parts) - 1 and not is_whiteout(s) else None
                if i == len(parts) - 1:
                    return None
                hides = hides or is_opaque(here)
            if hides:
                return None
        return None

    # All files below a path, and there.
    def files(self, path, clock):
        folders = []
        for folder in self.folders:
            here, hides = folder, False
            for i, part in enumerate(path.split(b'/')):
                here = os.path.join(here, part)
                try:
                    s = os.lstat(here)
                except FileNotFoundError:
                    here = None
                    break
                if not stat.S_ISDIR(s.st_mode):
                    if i == path.count(b'/') and not folders and not is_whiteout(s):
                        yield path, s.st_size
                    here, hides = None, True
                    break
                hides = hides or is_opaque(here)
            if here is not None:
                folders.append(here)
            if hides:
                break
        yield from self.walk(path, folders, clock)

    def walk(self, path, folders, clock):
        clock.check()
        seen, deeper = set(), {}
        for folder in folders:
            here = set()
            with os.scandir(folder) as entries:
                for entry in entries:
                    here.add(entry.name)
                    if entry.name in seen:
                        continue
                    name = os.path.join(path, entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        below = deeper.setdefault(entry.name, [])
                        below.append(entry.path)
                        if not is_opaque(entry.path):
                            here.discard(entry.name)
                    elif entry.name not in deeper:
                        s = entry.stat(follow_symlinks=False)
                        if not is_whiteout(s):
                            yield name, s.st_size
            seen |= here
        for name, below in deeper.items():
            yield from self.walk(os.path.join(path, name), below, clock)


def ancestors(path):
    while b'/' in path:
        path = path.rsplit(b'/', 1)[0]
        yield path


# The size that a file has in what a scan and the layers below make together; None where there is none.
def resolve(path, found, below):
    entry = found.get(path)
    if entry is not None:
        return entry[2] if entry[0] == 'f' else None
    if any(found.get(a, 'd')[0] in 'wof' for a in ancestors(path)):
        return None
    return below.size(path)


# Remembers how the layer on top is, before a command begins.
def mark(workspace, run):
    there = layers(workspace)
    while len(marks) > 256:
        marks.pop(next(iter(marks)))
    try:
        marks[run] = (workspace, there[-1], scan(upper(workspace, there[-1]), Clock())) if there else (workspace, 0, {})
    except Late:
        pass
    return {}


# What has changed in the layer on top since the mark of a run. Null where nobody knows how it was.
def effects(workspace, run):
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


# What differs between two scans of a layer: (kind, path, bytes).
def compare(before, now, below, clock):
    differ = sorted(p for p in before.keys() | now.keys() if before.get(p) != now.get(p))
    looked = set(differ)
    for path in differ:
        clock.check()
        old, new = resolve(path, before, below), resolve(path, now, below)
        if old is None and new is not None:
            yield 'created', path, new
        elif new is None and old is not None:
            yield 'deleted', path, old
        elif old is not None:
            yield 'changed', path, new
        # What hides the layers below since the mark: all that lies there is gone, unless it was made anew.
        if now.get(path, 'd')[0] in 'wof':
            for gone, size in below.files(path, clock):
                if gone not in looked and resolve(gone, before, below) is not None and resolve(gone, now, below) is None:
                    looked.add(gone)
                    yield 'deleted', gone, size


def summed(changes, complete):
    shares = {kind: {'files': 0, 'bytes': 0, 'paths': []} for kind in ('created', 'changed', 'deleted')}
    for kind, path, size in changes:
        share = shares[kind]
        share['files'] += 1
        share['bytes'] += size
        if len(share['paths']) < (DELETED_MAX if kind == 'deleted' else CREATED_MAX):
            share['paths'].append(path.decode('utf-8', 'replace'))
    return {**shares, 'complete': complete}


def drop(workspace):
    there = home(workspace)
    if os.path.lexists(there):
        gone = there + b'.gone'
        shutil.rmtree(gone, ignore_errors=True)
        os.rename(there, gone)
        step()
        shutil.rmtree(gone)
    return {}


def all_of():
    for name in os.listdir(ROOT):
        if name.endswith(b'.gone'):
            shutil.rmtree(os.path.join(ROOT, name))
    return {'workspaces': [os.fsdecode(name) for name in os.listdir(ROOT) if b'.' not in name]}


QUESTIONS = {'top': top, 'mark': mark, 'effects': effects, 'drop': drop, 'list': all_of, **HELD}
for line in sys.stdin:
    question = json.loads(line)
    try:
        answer = QUESTIONS[question['do']](*question['with'])
    except Exception as error:
        answer = {'error': '%s: %s' % (type(error).__name__, error)}
    print(json.dumps({'id': question['id'], **answer}), flush=True)
