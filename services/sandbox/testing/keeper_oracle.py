# Compares the keeper of layers with an overlay: python3 keeper_oracle.py FOLDER. Each line of JSON on stdin is a
# sequence of commands with operations on files. The response is a line of JSON with the differences and how much was
# compared. The script needs permission to mount.
import json
import os
import shutil
import subprocess
import sys
import time

folder = sys.argv[1]
WS, view = 'a0', '/tmp/view'
root, was = os.path.join(folder, 'root'), os.path.join(folder, 'was')
NAMES = [b'a', b'b', b'c', b'\xff\xfe', b'long name\n']
KILLS_MAX = 400
RUN, ACTION, OWN_MAX = 'f0', 'ac', (1000, 1 << 30)
os.environ['COUNT_MAX_S'] = '60'
os.environ['KEEPER_ROOT'] = root
from keeper import files as keeper_files  # noqa: E402
from keeper import main as keeper  # noqa: E402

counts = dict.fromkeys(('operations', 'compared', 'kills', 'alone', 'refused'), 0)


class Wrong(Exception):
    pass


# Calls the keeper once in a separate process. Returns None if it was killed.
def ask(question, *args, die_at=0):
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(w, 1)
        keeper_files.steps_left = die_at
        try:
            keeper.main(question, json.dumps(args))
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.close(w)
    with os.fdopen(r) as f:
        said = f.read()
    if os.WIFSIGNALED(os.waitpid(pid, 0)[1]):
        return None
    if said == '':
        raise Wrong(f'{question} failed')
    return json.loads(said)


# Talks to a keeper that stays alive between calls.
class Keeper:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, '-c', 'from keeper import main; main.main()'], stdin=-1, stdout=-1, text=True)

    def ask(self, question, *args):
        self.process.stdin.write(json.dumps({'id': 1, 'do': question, 'with': args}) + '\n')
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if 'error' in answer:
            raise Wrong(answer['error'])
        return answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


class Mounted:
    def __init__(self, layers):
        at = [f'{root}/{WS}/{n}' for n in reversed(layers)]
        self.options = f'lowerdir={":".join(a + "/u" for a in at[1:])},upperdir={at[0]}/u,workdir={at[0]}/w,userxattr'

    def __enter__(self):
        os.makedirs(view, exist_ok=True)
        subprocess.run(['mount', '-t', 'overlay', 'overlay', '-o', self.options, view], check=True)

    def __exit__(self, *_):
        subprocess.run(['umount', view], check=True)


def is_folder(path):
    return os.path.isdir(path) and not os.path.islink(path)


# Lists everything that a command can see. Instead of inode numbers, the list says which names belong to the same file.
def listing():
    seen, same = {}, {}
    for base, dirs, files in os.walk(os.fsencode(view)):
        for name in [b'.'] + dirs + files:
            path = os.path.join(base, name)
            s, content = os.lstat(path), b''
            if os.path.islink(path):
                content = os.readlink(path)
            elif os.path.isfile(path):
                content = open(path, 'rb').read()
            notes = sorted((n, os.getxattr(path, n, follow_symlinks=False)) for n in os.listxattr(path, follow_symlinks=False) if n.startswith('user.'))
            disk = 0 if is_folder(path) else s.st_blocks
            seen[os.path.normpath(path)] = (s.st_mode, s.st_uid, s.st_gid, content, tuple(notes), disk, s.st_mtime_ns)
            if not is_folder(path):
                same.setdefault((s.st_dev, s.st_ino), set()).add(os.path.normpath(path))
    first_name = {path: min(paths) for paths in same.values() for path in paths}
    return {path: (*look, first_name.get(path)) for path, look in seen.items()}


def place(path):
    return os.path.join(os.fsencode(view), *[NAMES[i] for i in path])


# Opening a pipe without a reader then fails instead of waiting.
def not_waiting(path, flags):
    return os.open(path, flags | os.O_NONBLOCK, 0o666)


def operate(operation):
    counts['operations'] += 1
    what, n = operation['what'], operation['n']
    path, other = place(operation['path']), place(operation['other'])
    try:
        match what:
            case 'write':
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, 'wb', opener=not_waiting) as f:
                    f.write(b'x' * n + os.urandom(8))
            case 'append':
                if os.path.isfile(path) and not os.path.islink(path):
                    with open(path, 'ab') as f:
                        f.write(b'more')
            case 'mkdir': os.makedirs(path)
            case 'rm': shutil.rmtree(path) if is_folder(path) else os.unlink(path)
            case 'mv': shutil.move(os.fsdecode(path), os.fsdecode(other))
            case 'link': os.link(path, other, follow_symlinks=False)
            case 'symlink': os.symlink(b'b/c', path)
            case 'chmod':
                if not os.path.islink(path):
                    os.chmod(path, (0o700, 0o755, 0o644)[n % 3])
            case 'sparse':
                with open(path, 'wb', opener=not_waiting) as f:
                    f.truncate(1 << 20)
            case 'chown': os.lchown(path, 1000 * (n % 2), 1000 * (n // 2 % 2))
            case 'remake':
                shutil.rmtree(path)
                os.mkdir(path)
            case 'fifo': os.mkfifo(path)
            case 'touch': os.utime(path, ns=(n * 10**16 + 1, n * 10**16 + 7), follow_symlinks=False)
            case 'xattr': os.setxattr(path, 'user.note', os.urandom(4))
            case _: raise Wrong(what)
    except (OSError, shutil.Error):
        # The operation fails, as in a command that continues after an error.
        pass


# Removes the information which names belong to the same file, because another name may be gone.
def files(seen):
    return {p: v[:-1] for p, v in seen.items() if (v[0] & 0o170000) != 0o040000}


def told(paths):
    return sorted(os.path.relpath(p, os.fsencode(view)).decode('utf-8', 'replace') for p in paths)


def differing(one, other):
    return told(p for p in one.keys() | other.keys() if one.get(p) != other.get(p))


# Compares effects with full listings from before and after.
def compare(effects, before, after):
    a, b = files(before), files(after)
    want = {
        'created': told(b.keys() - a.keys()),
        'deleted': told(a.keys() - b.keys()),
        'changed': told(p for p in a.keys() & b.keys() if a[p] != b[p]),
    }
    for kind, paths in want.items():
        counts['compared'] += 1
        share = effects[kind]
        if kind == 'changed':
            # A file that was opened for writing counts as changed even if its content is the same.
            same = share['files'] >= len(paths) and (share['files'] > 20 or set(paths) <= set(share['paths']))
        else:
            same = share['files'] == len(paths) and (share['files'] > 20 or sorted(share['paths']) == paths)
        if not same or not effects['complete']:
            raise Wrong(f'{kind}: {share} told, {paths} seen')


def clean():
    shutil.rmtree(root, ignore_errors=True)
    shutil.rmtree(was, ignore_errors=True)
    os.makedirs(root)


def copied(source, target):
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(['cp', '-a', source, target], check=True)


def looked_at(depth=24):
    with Mounted(ask('top', WS, depth)['layers']):
        return listing()


# Yields the steps at which to kill: first none, then the given steps. If `steps` is null, it yields every step.
def kill_points(steps):
    return [0, *(range(1, KILLS_MAX) if steps is None else steps)]


# Checks the effects of each command. Then squashes the stack and kills the keeper at its steps. The files must stay the
# same.
def squashed(commands, steps):
    clean()
    with Keeper() as k:
        for command in commands:
            with Mounted(k.ask('top', WS, 24)['layers']):
                for operation in command['before']:
                    operate(operation)
                k.ask('mark', WS, 'a')
                before = listing()
                for operation in command['during']:
                    operate(operation)
                after = listing()
                compare(k.ask('effects', WS, 'a')['effects'], before, after)
    whole = looked_at()
    copied(root, was)
    for die_at in kill_points(steps):
        copied(was, root)
        died = ask('top', WS, 1, die_at=die_at) is None
        counts['kills'] += died
        now = looked_at()
        if now != whole:
            raise Wrong(f'killed at step {die_at} of a squash: {differing(now, whole)} differ')
        if die_at and not died:
            return


# Builds a stack of undoable commands, with a listing before each command and at the end.
def stacked(commands):
    clean()
    seen, ends = [], []
    with Keeper() as k:
        for n, command in enumerate(commands):
            with Mounted(k.ask('top', WS, 24)['layers']):
                seen.append(listing())
                if not k.ask('begin', WS, '%x' % n, '')['began']:
                    raise Wrong('a new layer is not empty')
                for operation in command['during']:
                    operate(operation)
                k.ask('effects', WS, '%x' % n)
                ends.append(listing())
                # Someone writes files before the next command, later than the resolution of the file system's clock.
                time.sleep(0.02)
                for operation in command['before']:
                    operate(operation)
    seen.append(looked_at())
    late = [path for n in range(len(ends)) for path in newer(n)]
    copied(root, was)
    return seen, ends, late


# Returns the files that were written to a command's layer after it had ended.
def newer(command):
    for base, _, _ in os.walk(os.fsencode(f'{root}/{WS}')):
        end = os.path.join(base, b'e', b'%x' % command)
        if os.path.exists(end):
            for here, below, others in os.walk(os.path.join(base, b'u')):
                yield from (p for p in (os.path.join(here, n) for n in below + others) if os.lstat(p).st_ctime_ns > os.stat(end).st_ctime_ns)


# Restores the original state and repeats later additions, because their times cannot be copied.
def restored(late):
    copied(was, root)
    subprocess.run(f'touch {root}/{WS}/*/e/*; sleep 0.02', shell=True, check=True)
    for path in late:
        s = os.lstat(path)
        os.lchown(path, s.st_uid, s.st_gid)


# Returns the state after the last command, without the changes that one of the commands made to files.
def without(seen, ends, command):
    before, after, last = seen[command], ends[command], seen[-1]
    one, other = files(before), files(after)
    changed = {p for p in one.keys() | other.keys() if one.get(p) != other.get(p)}
    want = {p: v for p, v in files(last).items() if p not in changed}
    return changed, {**want, **{p: one[p] for p in changed if p in one}}


# An undo of one command, or of all since one, is killed at each step. The workspace must be in the state before or
# after.
def undone(commands, steps):
    seen, ends, late = stacked(commands)
    for command in range(len(commands)) if steps is None else [len(steps) % len(commands)]:
        changed, want = without(seen, ends, command)
        became, last = files(ends[command]), files(seen[-1])
        since = {p for p in changed if became.get(p) != last.get(p)}
        for question in ('undo', 'undoAlone'):
            for die_at in kill_points(steps):
                restored(late)
                answer = ask(question, WS, '%x' % command, die_at=die_at)
                died = answer is None
                now = looked_at()
                counts['kills'] += died
                is_before = now == seen[-1]
                if question == 'undo':
                    is_after, differ = now == seen[command], differing(now, seen[command])
                elif answer is not None and answer['touched']:
                    counts['refused'] += 1
                    is_after, differ = is_before, differing(now, seen[-1])
                else:
                    counts['alone'] += not died
                    is_after, differ = files(now) == want and not since, differing(files(now), want) + told(since)
                if not (is_after or died and is_before):
                    raise Wrong(f'{question} of command {command}, killed at step {die_at}: {died}; {answer}; {differ} differ')
                if die_at and not died:
                    break


# The last command is held. The keeper is killed at each step of judging it and of either verdict. The workspace must be
# in the state before or after, and a repeat must give the requested state and report the same effects.
def held(commands, steps):
    clean()
    *others, last = commands
    for command in others:
        with Mounted(ask('top', WS, 24)['layers']):
            for operation in command['before'] + command['during']:
                operate(operation)
    there = ask('top', WS, 24)['layers']
    if not ask('start', WS, RUN, [RUN, True], '')['began']:
        raise Wrong('a new layer is not empty')
    with Mounted(there):
        before = listing()
        for operation in last['during']:
            operate(operation)
        after = listing()
    copied(root, was)
    told = ask('end', WS, RUN, *OWN_MAX)
    compare(told['effects'], before, after)
    for verdict in ('keep', 'takeBack') if told['held'] else ('keep',):
        for question, args in (('end', OWN_MAX), (verdict, ())):
            for die_at in kill_points(steps):
                copied(was, root)
                if question == verdict:
                    ask('end', WS, RUN, *OWN_MAX)
                died = ask(question, WS, RUN, *args, die_at=die_at) is None
                counts['kills'] += died
                killed = looked_at()
                if killed not in ([before, after] if question == 'takeBack' else [after]):
                    raise Wrong(f'{question}, killed at step {die_at}: {differing(killed, after)} differ')
                again = ask(question, WS, RUN, *args)
                if question == 'end' and again['effects'] != told['effects']:
                    raise Wrong(f'killed at step {die_at}, it tells {again}, and told {told}')
                if looked_at() != (before if question == 'takeBack' else after):
                    raise Wrong(f'{question} again after a kill at step {die_at} is not what was asked for')
                waits = ask('holder', WS)['run'] is not None
                if waits != (question == 'end' and told['held'] is not None):
                    raise Wrong(f'after {question} it waits: {waits}')
                if die_at and not died:
                    break


# A copied stack has other layers than the one of the preview, so the stash is updated to name them.
def rewound():
    copied(was, root)
    at = f'{root}/{WS}/.preview.{ACTION}/p'
    with open(at) as f:
        kept = json.load(f)
    now = [(n, os.stat(f'{root}/{WS}/{n}/u')) for n, _, _ in kept['below']]
    with open(at, 'w') as f:
        json.dump({**kept, 'below': [[n, s.st_ino, s.st_ctime_ns] for n, s in now]}, f)


def on_top(layers, die_at):
    if ask('top', WS, 24)['layers'] != layers:
        raise Wrong(f'killed at step {die_at}, a command would write to a layer that counts')


# The last command is a preview. Stashing it is killed at each step, and the workspace must be in the state before it.
# Adopting it is killed too: the state must be the one before or after, and a repeat must give the state after, once.
def previewed(commands, steps):
    clean()
    *others, last = commands
    for command in others:
        with Mounted(ask('top', WS, 24)['layers']):
            for operation in command['before'] + command['during']:
                operate(operation)
    there = ask('top', WS, 24)['layers']
    if not ask('start', WS, RUN, [RUN, False, True], '')['began']:
        raise Wrong('a new layer is not empty')
    with Mounted(there):
        before = listing()
        for operation in last['during']:
            operate(operation)
        after = listing()
    told = ask('end', WS, RUN, *OWN_MAX)
    compare(told['effects'], before, after)
    copied(root, was)
    for die_at in kill_points(steps):
        for back in (True, False):
            copied(was, root)
            died = ask('stash', WS, RUN, ACTION, 2, die_at=die_at) is None
            counts['kills'] += died
            on_top(there, die_at)
            # A preview that still has its layer must be dropped or stashed again.
            if not back and not ask('stash', WS, RUN, ACTION, 2)['stashed']:
                raise Wrong(f'killed at step {die_at}, it is not set aside again')
            if back:
                ask('takeBack', WS, RUN)
            now = looked_at()
            if now != before or ask('holder', WS)['run'] is not None:
                raise Wrong(f'killed at step {die_at} of setting aside: {differing(now, before)} differ')
        if die_at and not died:
            break
    copied(root, was)
    adoption = ('adopt', WS, RUN, ACTION, RUN, False, 3600)
    for die_at in kill_points(steps):
        rewound()
        died = ask(*adoption, die_at=die_at) is None
        counts['kills'] += died
        on_top(there, die_at)
        killed = looked_at()
        if killed not in (before, after):
            raise Wrong(f'killed at step {die_at} of an adoption: {differing(killed, after)} differ')
        again = [ask(*adoption)['why'] for _ in range(2)]
        effects = ask('end', WS, ACTION, *OWN_MAX)['effects']
        if again != [None, None] or looked_at() != after or ask(*adoption)['why'] is not None or effects != told['effects']:
            raise Wrong(f'adopted again after a kill at step {die_at} it is not the preview: {again}, {effects}')
        if ACTION not in [run['run'] for run in ask('runs', WS)['runs']]:
            raise Wrong(f'adopted after a kill at step {die_at}, it cannot be undone')
        if die_at and not died:
            break


for line in sys.stdin:
    asked, wrong = json.loads(line), None
    try:
        {'squashed': squashed, 'undone': undone, 'held': held, 'previewed': previewed}[asked['what']](asked['commands'], asked['steps'])
    except Wrong as error:
        wrong = str(error)
    print(json.dumps({'wrong': wrong, **counts}), flush=True)
