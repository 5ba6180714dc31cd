# Compares the keeper of layers with what an overlay shows, for so many operations on files:
# python3 keeper_oracle.py KEEPER FOLDER OPERATIONS SEED
# Needs the right to mount. Prints a line for what differs, then how much was compared.
import json, os, random, shutil, subprocess, sys

keeper, folder, enough, first = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
WS, view = 'a0', '/tmp/view'
root = os.path.join(folder, 'root')
compared = kills = alone = refused = operations = 0


class Keeper:
    def __init__(self, die_at=0):
        env = {**os.environ, 'DIE_AT': str(die_at), 'COUNT_MAX_S': '60'}
        self.process = subprocess.Popen([sys.executable, '-uc', keeper, root], stdin=-1, stdout=-1, text=True, env=env)

    def ask(self, question, *args):
        self.process.stdin.write(json.dumps({'id': 1, 'do': question, 'with': args}) + '\n')
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if line == '':
            return None
        answer = json.loads(line)
        if 'error' in answer:
            raise Exception(answer['error'])
        return answer

    def end(self):
        self.process.stdin.close()
        return self.process.wait()


def mount(layers):
    at = [f'{root}/{WS}/{n}' for n in reversed(layers)]
    o = f'lowerdir={":".join(a + "/u" for a in at[1:])},upperdir={at[0]}/u,workdir={at[0]}/w,userxattr'
    os.makedirs(view, exist_ok=True)
    subprocess.run(['mount', '-t', 'overlay', 'overlay', '-o', o, view], check=True)


def unmount():
    subprocess.run(['umount', view], check=True)


# All that a command can see, but inodes: of those, which names are of one file.
def listing(with_times=True):
    seen, same = {}, {}
    for base, dirs, files in os.walk(os.fsencode(view)):
        for name in [b'.'] + dirs + files:
            path = os.path.join(base, name)
            s = os.lstat(path)
            kind = s.st_mode
            content = b''
            if os.path.islink(path):
                content = os.readlink(path)
            elif os.path.isfile(path):
                content = open(path, 'rb').read()
            notes = sorted((n, os.getxattr(path, n, follow_symlinks=False)) for n in os.listxattr(path, follow_symlinks=False) if n.startswith('user.'))
            is_folder = os.path.isdir(path) and not os.path.islink(path)
            disk = 0 if is_folder else s.st_blocks
            seen[os.path.normpath(path)] = (kind, s.st_uid, s.st_gid, content, tuple(notes), disk) + ((s.st_mtime_ns,) if with_times else ())
            if not is_folder:
                same.setdefault((s.st_dev, s.st_ino), set()).add(os.path.normpath(path))
    first_name = {path: min(paths) for paths in same.values() for path in paths}
    return {path: (*look, first_name.get(path)) for path, look in seen.items()}


def operate(r):
    global operations
    operations += 1
    names = [b'a', b'b', b'c', b'\xff\xfe', b'long name\n']
    path = os.path.join(os.fsencode(view), *[r.choice(names) for _ in range(r.randint(1, 3))])
    other = os.path.join(os.fsencode(view), *[r.choice(names) for _ in range(r.randint(1, 3))])
    what = r.choice(['write', 'write', 'write', 'mkdir', 'rm', 'mv', 'link', 'symlink', 'chmod', 'sparse', 'xattr', 'append', 'chown', 'remake', 'fifo', 'touch'])
    try:
        if what == 'write':
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, 'wb').write(r.randbytes(r.randint(0, 30)) + os.urandom(8))
        elif what == 'append':
            if os.path.isfile(path) and not os.path.islink(path):
                open(path, 'ab').write(b'more')
        elif what == 'mkdir':
            os.makedirs(path)
        elif what == 'rm':
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
        elif what == 'mv':
            shutil.move(os.fsdecode(path), os.fsdecode(other))
        elif what == 'link':
            os.link(path, other, follow_symlinks=False)
        elif what == 'symlink':
            os.symlink(b'b/c', path)
        elif what == 'chmod':
            if not os.path.islink(path):
                os.chmod(path, r.choice([0o700, 0o755, 0o644]))
        elif what == 'sparse':
            with open(path, 'wb') as f:
                f.truncate(1 << 20)
        elif what == 'chown':
            os.lchown(path, r.choice([0, 1000]), r.choice([0, 1000]))
        elif what == 'remake':
            shutil.rmtree(path)
            os.mkdir(path)
        elif what == 'fifo':
            os.mkfifo(path)
        elif what == 'touch':
            os.utime(path, ns=(r.randrange(10**18), r.randrange(10**18)), follow_symlinks=False)
        elif what == 'xattr':
            os.setxattr(path, 'user.note', os.urandom(4))
    except OSError:
        pass
    except shutil.Error:
        pass


# Which names are of one file is left out: another name may have gone.
def files(seen):
    return {p: v[:-1] for p, v in seen.items() if (v[0] & 0o170000) != 0o040000}


def said(share, before, after, kind):
    global compared
    compared += 1
    a, b = files(before), files(after)
    told = {p: True for p in share['paths']}
    name = lambda p: os.path.relpath(p, os.fsencode(view)).decode('utf-8', 'replace')
    if kind == 'created':
        want = sorted(name(p) for p in b.keys() - a.keys())
    elif kind == 'deleted':
        want = sorted(name(p) for p in a.keys() - b.keys())
    else:
        # A file that was opened for writing and is as it was counts as changed, too.
        want = sorted(name(p) for p in a.keys() & b.keys() if a[p] != b[p])
        return share['files'] >= len(want) and (share['files'] > 20 or all(p in told for p in want))
    return share['files'] == len(want) and (share['files'] > 20 or sorted(share['paths']) == want)


def clean():
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root)


# What each command did against a listing before and after; then the stack is squashed, killed at every step.
def squashed(seed, r):
    global kills
    clean()
    k = Keeper()
    for command in range(r.randint(2, 5)):
        layers = k.ask('top', WS, 24)['layers']
        mount(layers)
        for _ in range(r.randint(0, 5)):
            operate(r)
        k.ask('mark', WS, 'a')
        before = listing()
        for _ in range(r.randint(0, 12)):
            operate(r)
        after = listing()
        effects = k.ask('effects', WS, 'a')['effects']
        unmount()
        for kind in ('created', 'changed', 'deleted'):
            if not effects['complete'] or not said(effects[kind], before, after, kind):
                print('DIFFERS', seed, command, kind, effects[kind])
    layers = k.ask('top', WS, 24)['layers']
    k.end()
    mount(layers)
    whole = listing()
    unmount()
    # Killed at every step of a squash, the workspace is what it was.
    shutil.rmtree(root + '.was', ignore_errors=True)
    subprocess.run(['cp', '-a', root, root + '.was'], check=True)
    die_at = 1
    while True:
        shutil.rmtree(root)
        subprocess.run(['cp', '-a', root + '.was', root], check=True)
        k = Keeper(die_at)
        died = k.ask('top', WS, 1) is None
        k.end()
        if died:
            kills += 1
            k = Keeper()
            k.ask('top', WS, 24)
            k.end()
        k = Keeper()
        layers = k.ask('top', WS, 24)['layers']
        k.end()
        mount(layers)
        now = listing()
        unmount()
        if now != whole:
            print('SQUASH', seed, die_at, {p for p in now.keys() | whole.keys() if now.get(p) != whole.get(p)})
        if not died:
            break
        die_at += 1 if seed == first else r.randint(1, 6)


# A stack of commands that can be undone, with a listing before each and at the end.
def stacked(r):
    clean()
    k, seen, ends = Keeper(), [], []
    for command in range(r.randint(2, 5)):
        mount(k.ask('top', WS, 24)['layers'])
        seen.append(listing())
        assert k.ask('begin', WS, '%x' % command, '')['began']
        for _ in range(r.randint(1, 8)):
            operate(r)
        k.ask('effects', WS, '%x' % command)
        ends.append(listing())
        # What somebody puts there before the next command.
        for _ in range(r.choice([0, 0, 0, 1])):
            operate(r)
        unmount()
    mount(k.ask('top', WS, 24)['layers'])
    seen.append(listing())
    unmount()
    k.end()
    late = [path for command in range(len(ends)) for path in newer(command)]
    subprocess.run(['cp', '-a', root, root + '.was'], check=True)
    return seen, ends, late


# What was put into the layer of a command after it had ended.
def newer(command):
    for base, folders, names in os.walk(os.fsencode(f'{root}/{WS}')):
        end = os.path.join(base, b'e', b'%x' % command)
        if os.path.exists(end):
            for here, below, others in os.walk(os.path.join(base, b'u')):
                yield from (p for p in (os.path.join(here, n) for n in below + others) if os.lstat(p).st_ctime_ns > os.stat(end).st_ctime_ns)


# As it was, also with what was late: these times cannot be copied.
def restored(late):
    shutil.rmtree(root)
    subprocess.run(['cp', '-a', root + '.was', root], check=True)
    subprocess.run(f'touch {root}/{WS}/*/e/*; sleep 0.02', shell=True, check=True)
    for path in late:
        s = os.lstat(path)
        os.lchown(path, s.st_uid, s.st_gid)


def looked_at():
    k = Keeper()
    mount(k.ask('top', WS, 24)['layers'])
    now = listing()
    unmount()
    k.end()
    return now


# The state after the last command, but for what one of them did to files.
def without(seen, ends, command):
    before, after, last = seen[command], ends[command], seen[-1]
    was, became = files(before), files(after)
    changed = {p for p in was.keys() | became.keys() if was.get(p) != became.get(p)}
    want = {p: v for p, v in files(last).items() if p not in changed}
    return changed, {**want, **{p: was[p] for p in changed if p in was}}


# Killed at every step of an undo, of one command and all since or of it alone, the workspace is the one before or after.
def undone(seed, r):
    global kills, alone, refused
    shutil.rmtree(root + '.was', ignore_errors=True)
    seen, ends, late = stacked(r)
    for command in range(len(seen) - 1):
        changed, want = without(seen, ends, command)
        became, last = files(ends[command]), files(seen[-1])
        since = {p for p in changed if became.get(p) != last.get(p)}
        for question in ('undo', 'undoAlone'):
            die_at, died = 1, True
            while died:
                restored(late)
                k = Keeper(die_at)
                answer = k.ask(question, WS, '%x' % command)
                died = answer is None
                k.end()
                now = looked_at()
                is_before = now == seen[-1]
                if question == 'undo':
                    is_after = now == seen[command]
                elif answer is not None and answer['touched']:
                    refused += 1
                    is_after = is_before
                else:
                    alone += not died
                    is_after = files(now) == want and not since
                if not (is_after or died and is_before):
                    print('UNDO', seed, question, command, die_at, answer, since, {p: (files(now).get(p), want.get(p)) for p in files(now).keys() | want.keys() if files(now).get(p) != want.get(p)})
                kills += died
                die_at += 1 if seed == first else r.randint(1, 6)


seed = first
while operations < enough:
    squashed(seed, random.Random(seed))
    undone(seed, random.Random(seed))
    seed += 1
print('operations', operations, 'compared', compared, 'kills', kills, 'alone', alone, 'refused', refused)
