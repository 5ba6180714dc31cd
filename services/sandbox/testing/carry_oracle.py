# Compares writes to host folders with an overlay, and kills the process at each step:
#   python3 carry_oracle.py FOLDER ROUNDS SEED
#
# The script needs permission to mount. It prints a line for each difference, then how much was compared.
import json
import os
import random
import shutil
import subprocess
import sys

folder, rounds, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
RUN, WS, ORIGIN = ('%d0000000-0000-4000-8000-000000000000' % n for n in (1, 2, 3))
root, kept, view = f'{folder}/root', f'{folder}/kept', '/tmp/view'
layer = f'{root}/.folders/{RUN}/0'
os.environ['KEEPER_ROOT'] = root
from keeper import files as keeper_files  # noqa: E402
from keeper import main as keeper  # noqa: E402

compared = kills = conflicts = 0


# Calls the keeper once in a separate process. Returns None if it was killed or could not continue.
def ask(question, *args, die_at=0):
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(w, 1)
        keeper_files.steps_left = die_at
        try:
            keeper.main(question, json.dumps(args))
        except OSError:
            os._exit(1)
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.close(w)
    with os.fdopen(r) as f:
        said = f.read()
    return json.loads(said) if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0 else None


def run(*command):
    subprocess.run(command, check=True)


def fail(why, *more):
    print(why, *more)
    sys.exit(1)


# Lists everything visible below a folder. Only files and links have times, because the times of folders change with
# their contents.
def listing(top):
    seen = {}
    for base, dirs, files in os.walk(os.fsencode(top)):
        for name in dirs + files:
            path = os.path.join(base, name)
            s = os.lstat(path)
            is_folder = os.path.isdir(path) and not os.path.islink(path)
            content = b'' if is_folder else os.readlink(path) if os.path.islink(path) else open(path, 'rb').read()
            seen[os.path.relpath(path, os.fsencode(top))] = (s.st_mode, s.st_uid, s.st_gid, content, None if is_folder else s.st_mtime_ns)
    return seen


def differences(one, other):
    return sorted(k for k in one.keys() | other.keys() if one.get(k) != other.get(k))


def path(rng):
    return '/'.join(rng.choice('abc') for _ in range(rng.randint(1, 3)))


def change(top, rng):
    p, q = os.path.join(top, path(rng)), os.path.join(top, path(rng))
    try:
        match rng.randint(0, 9):
            case 0 | 1: open(p, 'w').write('x' * rng.randint(0, 9))
            case 2: open(p, 'a').write('more')
            case 3: os.makedirs(p)
            case 4: os.unlink(p)
            case 5: shutil.rmtree(p)
            case 6: os.rename(p, q)
            case 7: os.symlink(rng.choice(['/etc/passwd', 'a', '..']), p)
            case 8: os.chmod(p, rng.choice([0o700, 0o755, 0o644]))
            case 9: os.chown(p, 1000, 1000, follow_symlinks=False)
    except OSError:
        pass


def fresh(rng):
    shutil.rmtree(root, ignore_errors=True)
    for name in os.listdir('/host/0'):
        at = os.path.join('/host/0', name)
        shutil.rmtree(at) if os.path.isdir(at) and not os.path.islink(at) else os.unlink(at)
    os.makedirs(f'{root}/{WS}')
    for _ in range(25):
        change('/host/0', rng)


def command(rng, changes, also=lambda: None):
    meta = {'workspace': WS, 'origin': ORIGIN, 'judged': True, 'folders': [{'name': 'f', 'path': '/mnt/f'}]}
    unfit = ask('folderBegin', RUN, meta)['unfit']
    if unfit:
        fail('the folder cannot be held', unfit)
    run('sleep', '0.01')
    run('mount', '-t', 'overlay', 'overlay', '-o', f'lowerdir=/host/0,upperdir={layer}/u,workdir={layer}/w,userxattr', view)
    for _ in range(changes):
        change(view, rng)
    also()
    after = listing(view)
    run('umount', view)
    return after


def begun(seed, changes=12):
    rng = random.Random(seed)
    fresh(rng)
    before = listing('/host/0')
    after = command(rng, changes)
    if listing('/host/0') != before:
        fail('the command changed the host')
    return before, after, ask('folderJudge', RUN, 1 << 30)


os.makedirs(kept, exist_ok=True)
os.makedirs('/host/0')
os.makedirs(view)
run('mount', '--bind', kept, '/host/0')
for seed in range(first, first + rounds):
    before, after, said = begun(seed)
    if not said['changed']:
        continue
    if ask('folderCarry', RUN)['conflicts'] or differences(listing('/host/0'), after):
        fail('carried over, it is not what the command saw', seed, differences(listing('/host/0'), after))
    counted = {k: said['effects'][k]['files'] for k in ('created', 'deleted')}
    files = [{p for p, e in each.items() if e[4] is not None} for each in (before, after)]
    if counted != {'created': len(files[1] - files[0]), 'deleted': len(files[0] - files[1])}:
        fail('other effects were told', seed, counted)
    if ask('folderUndo', RUN)['conflicts'] or differences(listing('/host/0'), before):
        fail('undone, it is not what it was', seed, differences(listing('/host/0'), before))
    compared += 1

    # If someone changes the same files on the host as the command did, nothing may be written.
    before, after, _ = begun(seed)
    files = [p for p in differences(before, after) if p in before and os.path.isfile(b'/host/0/' + p) and not os.path.islink(b'/host/0/' + p)]
    for p in files[:1]:
        with open(b'/host/0/' + p, 'a') as f:
            f.write('of somebody')
        now = listing('/host/0')
        if not ask('folderCarry', RUN)['conflicts'] or listing('/host/0') != now:
            fail('written over what somebody changed', seed, p)
        conflicts += 1

# If there is no space for a whole file, nothing may be on the host, and the changes still wait.
run('mount', '-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', '/host/0')
fresh(random.Random(first))
before = listing('/host/0')
command(random.Random(first), 0, lambda: open(f'{view}/large', 'wb').write(os.urandom(1 << 20)))
ask('folderJudge', RUN, 1 << 30)
if ask('folderCarry', RUN) is not None or {p: e for p, e in listing('/host/0').items() if not p.startswith(b'.aish-')} != before:
    fail('without room, it was carried over')
if [each['state'] for each in ask('folderRuns')['runs']] != ['waits']:
    fail('without room, it does not wait on')
run('umount', '/host/0')

# The write and its undo are killed at each step. The state must be the one before or after, and a repeat must give the
# requested one.
for what in ('folderCarry', 'folderUndo'):
    die_at = 0
    while True:
        die_at += 1
        before, after, _ = begun(first, 60)
        if what == 'folderUndo':
            ask('folderCarry', RUN)
            before, after = after, before
        if ask(what, RUN, die_at=die_at) is not None:
            break
        kills += 1
        states = [each['state'] for each in ask('folderRuns')['runs']]
        if states in (['go'], ['back']) or what == 'folderUndo':
            ask(what, RUN)
            if differences(listing('/host/0'), after):
                fail('killed, then brought to its end, it is not the one after', what, die_at, differences(listing('/host/0'), after))
            continue
        there = {p: e for p, e in listing('/host/0').items() if not p.startswith(b'.aish-')}
        if differences(there, before if states == ['waits'] else after):
            fail('killed before it counts, it is not the one before', what, die_at)
print('compared', compared, 'conflicts', conflicts, 'kills', kills)
