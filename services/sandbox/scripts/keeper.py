# Keeps the layers of all workspaces:  python3 -c "$(< keeper.py)" ROOT
# A line of JSON is a question, a line of JSON its answer, on stdin and stdout, or on the socket KEEPER_SOCKET. Below ROOT a workspace has a folder, and in it one for each layer:
# 0 is the base, the highest the one that is written to; u is what lies in it, w the engine's own. A layer is there by a
# rename, or not at all. Questions about one workspace are answered one after the other. All the other parts go before this.
import concurrent.futures, json, os, socket, sys, threading

ROOT = os.fsencode(sys.argv[1])
QUESTIONS_AT_ONCE = 64
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


def home(workspace):
    assert is_id(workspace)
    return os.path.join(ROOT, os.fsencode(workspace))


def layers(workspace):
    try:
        return sorted(int(n) for n in os.listdir(home(workspace)) if n.isdigit())
    except FileNotFoundError:
        return []


def upper(workspace, n):
    return os.path.join(home(workspace), b'%d' % n, b'u')


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
# Merged into the base are the oldest layers past `depth`, past `max_bytes` together, or older than `max_age` seconds: unless
# somebody `reads` them. Then `due` says that there is something to merge.
def top(workspace, depth, max_bytes=float('inf'), max_age=float('inf'), reads=False):
    if os.path.exists(os.path.join(home(workspace), b'undo')):
        roll_back(workspace)
    finish_held(workspace)
    # What may have to be dropped alone stays on top, alone.
    if held(workspace) is not None:
        return {'layers': layers(workspace), 'due': False}
    if os.path.exists(os.path.join(home(workspace), b'squash')):
        squash(workspace)
    there = layers(workspace)
    if not there:
        os.makedirs(home(workspace), exist_ok=True)
        make(workspace, 0, None)
        there = [0]
    # A base is never written to, so that what a command did can be told from it.
    if there[-1] == 0 or is_used(workspace, there[-1]):
        if there[-1] > 0 and not os.path.exists(counted(workspace, there[-1])):
            end_all_in(workspace, there[-1])
            mark_counted(workspace, there[-1])
        make(workspace, there[-1] + 1, upper(workspace, there[-1]))
    last = what_may_go(workspace, last_to_merge(workspace, layers(workspace), depth, max_bytes, max_age), depth, max_age)
    if last and not reads:
        note(workspace, b'squash', last)
        squash(workspace)
    # All of it is in the layers now, and the volume that it was taken from is gone.
    if os.path.exists(os.path.join(home(workspace), b'adopted')):
        os.unlink(os.path.join(home(workspace), b'adopted'))
    return {'layers': layers(workspace), 'due': bool(last) and reads}


# The layers that together are the workspace as it is now, for somebody who only reads. None while something that was begun
# is not at its end. An empty layer on top adds nothing, but an overlay without an upper folder needs two.
def readable(workspace):
    there, waiting = layers(workspace), held(workspace)
    is_begun = any(os.path.exists(os.path.join(home(workspace), name)) for name in (b'undo', b'squash'))
    if len(there) < 2 or is_begun or (waiting is not None and waiting['state'] not in ('runs', 'waits')):
        return {'layers': []}
    return {'layers': there if len(there) == 2 or is_used(workspace, there[-1]) else there[:-1]}


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


QUESTIONS = {'top': top, 'readable': readable, 'mark': mark, 'effects': effects, 'drop': drop, 'list': all_of, 'plant': plant, **UNDO, **CHANGES, **HELD, **ASIDE, **FOLDERS, **BACKUP}
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
