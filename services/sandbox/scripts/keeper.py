# Keeps the layers of all workspaces:  python3 -c "$(< keeper.py)" ROOT
# A line of JSON is a question, a line of JSON its answer, on stdin and stdout, or on the socket KEEPER_SOCKET. Below ROOT a workspace has a folder, and in it one for each layer:
# 0 is the base, the highest the one that is written to; u is what lies in it, w the engine's own. A layer is there by a
# rename, or not at all. Questions about one workspace are answered one after the other. All the other parts go before this.
import concurrent.futures, json, os, socket, stat, sys, threading, time

ROOT = os.fsencode(sys.argv[1])
CREATED_MAX, DELETED_MAX = 20, 200
QUESTIONS_AT_ONCE = 64
COUNT_MAX_S = float(os.environ.get('COUNT_MAX_S', '4'))
# For tests: the step at which this process is killed, as by the power going.
steps_left = int(os.environ.get('DIE_AT', '0'))
marks = {}
sys.setrecursionlimit(10_000)


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


# A path, or the descriptor of a folder.
def is_opaque(at):
    try:
        return os.getxattr(at, 'user.overlay.opaque', follow_symlinks=isinstance(at, int)) == b'y'
    except OSError:
        return False


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


# Whether a layer belongs to a command: something lies in it, or that did something to folders of the host.
def is_used(workspace, n):
    return bool(os.listdir(upper(workspace, n))) or os.path.exists(os.path.join(home(workspace), b'%d' % n, b'f'))


# Makes sure that there is an empty layer on top, and says which layers there are. Nothing may have the workspace mounted.
# Merged into the base are the oldest layers past `depth`, past `max_bytes` together, or older than `max_age` seconds.
def top(workspace, depth, max_bytes=float('inf'), max_age=float('inf')):
    if os.path.exists(os.path.join(home(workspace), b'undo')):
        roll_back(workspace)
    finish_held(workspace)
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
    if there[-1] == 0 or is_used(workspace, there[-1]):
        make(workspace, there[-1] + 1, upper(workspace, there[-1]))
    last = last_to_merge(workspace, layers(workspace), depth, max_bytes, max_age)
    if last:
        note(workspace, b'squash', last)
        squash(workspace)
    # All of it is in the layers now, and the volume that it was taken from is gone.
    if os.path.exists(os.path.join(home(workspace), b'adopted')):
        os.unlink(os.path.join(home(workspace), b'adopted'))
    return {'layers': layers(workspace)}


# What lies in a layer, by path: kind, what tells two versions apart, size. By descriptors, as somebody may be writing.
def scan(folder, clock, strict=False):
    found = {}

    def walk(fd, prefix):
        clock.check()
        with os.scandir(fd) as entries:
            for entry in entries:
                path = prefix + os.fsencode(entry.name)
                try:
                    s = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(s.st_mode):
                        below = os.open(entry.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
                        try:
                            found[path] = ('o' if is_opaque(below) else 'd', 0, 0)
                            walk(below, path + b'/')
                        finally:
                            os.close(below)
                    elif is_whiteout(s):
                        found[path] = ('w', s.st_ino, 0)
                    else:
                        found[path] = ('f', (s.st_ino, s.st_ctime_ns, s.st_size), s.st_size)
                except OSError:
                    if strict:
                        raise

    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        walk(top, b'')
    finally:
        os.close(top)
    return found


# The layers below, as one. Nobody writes to them.
class Below:
    def __init__(self, folders):
        self.folders = folders
        self.known = {b'': folders}

    # Where a folder lies, the highest layer first; nowhere where it is none.
    def under(self, folder):
        if folder not in self.known:
            self.known[folder] = self.look(folder)[0]
        return self.known[folder]

    # The folders at a path, and the file where there is one that no folder hides.
    def look(self, path):
        parent, _, name = path.rpartition(b'/')
        folders = []
        for base in self.under(parent):
            here = os.path.join(base, name)
            try:
                s = os.lstat(here)
            except FileNotFoundError:
                continue
            if not stat.S_ISDIR(s.st_mode):
                return folders, None if folders or is_whiteout(s) else s
            folders.append(here)
            if is_opaque(here):
                break
        return folders, None

    # The size of a file; None where there is none, or a folder.
    def size(self, path):
        if not self.under(path.rpartition(b'/')[0]):
            return None
        s = self.look(path)[1]
        return None if s is None else s.st_size

    # All files below a path, and there.
    def files(self, path, clock):
        folders, s = self.look(path)
        if s is not None:
            yield path, s.st_size
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


# Whether a file of the layers below was to be seen in a scan.
def was_there(path, found):
    entry = found.get(path)
    if entry is not None:
        return entry[0] == 'f'
    return not any(found.get(a, 'd')[0] in 'wof' for a in ancestors(path)) if found else True


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
                if gone not in looked and now.get(gone, 'd')[0] != 'f' and was_there(gone, before):
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


# To try layers out.
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


# `adopted`: those whose files were copied from a volume that may still be there.
def all_of():
    empty()
    names = [os.fsdecode(name) for name in os.listdir(ROOT) if b'.' not in name]
    adopted = [name for name in names if os.path.exists(os.path.join(home(name), b'adopted'))]
    return {'workspaces': names, 'adopted': adopted}


QUESTIONS = {'top': top, 'mark': mark, 'effects': effects, 'drop': drop, 'list': all_of, 'plant': plant, **UNDO, **CHANGES, **HELD, **ASIDE, **FOLDERS}
locks = {}
answering = concurrent.futures.ThreadPoolExecutor(QUESTIONS_AT_ONCE)


# Answers where it was asked.
class Line:
    def __init__(self, questions, answers):
        self.questions, self.answers, self.speaking = questions, answers, threading.Lock()

    # Until whoever asks is gone. What is being done then is done again by the next keeper, which must not find this one at work.
    def listen(self):
        for line in self.questions:
            question = json.loads(line)
            lock = locks.setdefault(question['with'][0] if question['with'] else '', threading.Lock())
            answering.submit(self.reply, question, lock)
        os._exit(0)

    def reply(self, question, lock):
        with lock:
            try:
                answer = QUESTIONS[question['do']](*question['with'])
            except Exception as error:
                answer = {'error': '%s: %s' % (type(error).__name__, error)}
        with self.speaking:
            print(json.dumps({'id': question['id'], **answer}), file=self.answers, flush=True)


# The short way past the engine, where there is one.
def connect(path):
    try:
        by = socket.socket(socket.AF_UNIX)
        by.connect(path)
    except OSError:
        return
    threading.Thread(target=Line(by.makefile('r'), by.makefile('w')).listen, daemon=True).start()


# Asked one thing alone, where the folders of the host are mounted that it is about.
if len(sys.argv) > 2:
    print(json.dumps(QUESTIONS[sys.argv[2]](*json.loads(sys.argv[3]))), flush=True)
    sys.exit()
if 'KEEPER_SOCKET' in os.environ:
    connect(os.environ['KEEPER_SOCKET'])
Line(sys.stdin, sys.stdout).listen()
