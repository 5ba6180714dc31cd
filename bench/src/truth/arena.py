"""This program is process 1 of a disposable container. It runs commands in a prepared world and reports the changes of
each one.

Each request is one JSON object per line on stdin, {"id", "cmd", "state", "targets", "timeoutMs", "keepChars"}. Each
response is one on stdout, {"id", "code", "timedOut", "output", "effects"}. This process runs as root and may only chown
and kill. Each command runs as user 1000 without capabilities. Effects are facts read from the difference. The caller
decides which of them are losses.
"""
import ctypes, hashlib, http.server, io, json, os, re, select, shutil, signal, socket, sqlite3, stat, subprocess, sys, tarfile, threading, time, zipfile

AISH, OTHER = 1000, 1001
HOME, GIT = '/workspace', '/workspace/.git'
ROOTS = sys.argv[1].split(',')
READ_MAX = 1 << 20
NOW_NS = 1_700_000_000 * 10**9
ENV = {
    'HOME': HOME, 'LANG': 'C.UTF-8', 'PAGER': 'cat', 'GIT_PAGER': 'cat', 'HOSTNAME': 'aish',
    'PATH': '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'http_proxy': 'http://127.0.0.1:8080',
}


def spawn(argv, uid=AISH, cwd=HOME, out=subprocess.DEVNULL, env=ENV, stdin=subprocess.DEVNULL, **more):
    return subprocess.Popen(argv, user=uid, group=uid, extra_groups=[], cwd=cwd, env=env, stdin=stdin, stdout=out,
                            stderr=out, start_new_session=True, umask=0o022, **more)


def answer_of(argv, uid=AISH, cwd=HOME, text=''):
    """Returns the exit code and the output lines of a read-only program. The exit code is 124 if it hangs."""
    try:
        done = subprocess.run(argv, user=uid, group=uid, extra_groups=[], cwd=cwd, env=ENV, input=text.encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=5, start_new_session=True)
        return done.returncode, done.stdout.decode(errors='replace').split('\n')[:-1]
    except (subprocess.TimeoutExpired, OSError):
        return 124, []


# ---- the HTTP server: records its requests

class Recorder(http.server.BaseHTTPRequestHandler):
    seen, open, lock = [], 0, threading.Lock()

    def setup(self):
        with Recorder.lock: Recorder.open += 1
        self.timeout = 2
        super().setup()

    def finish(self):
        try: super().finish()
        except OSError: pass
        with Recorder.lock: Recorder.open -= 1

    def any(self):
        size = int(self.headers.get('content-length') or 0)
        body = self.rfile.read(min(size, 65536)).decode(errors='replace') if size else ''
        method = self.headers.get('x-http-method-override') or self.command
        if method not in ('GET', 'HEAD', 'OPTIONS', 'SYNC'):
            with Recorder.lock: Recorder.seen.append({'kind': 'http', 'method': method.upper()[:20], 'path': self.path[:300], 'body': body[:300]})
        self.send_response(200)
        self.send_header('set-cookie', 'a=b')
        self.end_headers()
        if method != 'HEAD': self.wfile.write(b'served by the canary\n')

    def __getattr__(self, name):
        if name.startswith('do_'): return self.any
        raise AttributeError(name)

    def handle(self):
        try: super().handle()
        except (OSError, ValueError): pass

    def log_message(self, *_): pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 64
    daemon_threads = True

    def handle_error(self, *_): pass


def requests():
    """Returns the requests since the last call. Waits for connections that came before this call."""
    with socket.create_connection(('127.0.0.1', 8080), 2) as connection:
        connection.sendall(b'SYNC / HTTP/1.0\r\n\r\n')
        while connection.recv(4096): pass
    until = time.monotonic() + 0.5
    while Recorder.open > 0 and time.monotonic() < until: time.sleep(0.001)
    with Recorder.lock:
        found = Recorder.seen[:]
        Recorder.seen.clear()
    return found


# ---- processes

def stat_of(pid):
    """Returns state, nice value and start time, or None if the process is dead or does not exist."""
    try:
        with open(f'/proc/{pid}/stat') as file: fields = file.read().rsplit(')', 1)[1].split()
    except OSError: return None
    return None if fields[0] in 'ZX' else (fields[0], fields[16], fields[19])


def is_hit(pid):
    """Returns whether a signal is pending for the process."""
    try:
        with open(f'/proc/{pid}/status') as file: return any(int(line.split()[1], 16) for line in file if line.startswith(('SigPnd', 'ShdPnd')))
    except (OSError, ValueError): return False


def pids_of(uid):
    for name in os.listdir('/proc'):
        if not name.isdigit() or name == '1': continue
        try:
            if os.stat(f'/proc/{name}').st_uid == uid: yield int(name)
        except OSError: pass


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0] > 0: pass
    except ChildProcessError: pass


class Canaries:
    """Starts processes of user 1000 that no command should touch."""
    kinds = {'tail': ['tail', '-n', '0', '-f', '/workspace/logs/app.log'], 'sleep': ['canary-worker', 'infinity'],
             'socat': ['socat', 'TCP-LISTEN:9000,bind=127.0.0.1,fork,reuseaddr', 'EXEC:true']}

    def __init__(self):
        self.pids = {}
        self.begun = {}

    def ensure(self):
        """Restarts changed processes. Returns whether the process of the pid file is a new one."""
        renewed = False
        for name, argv in self.kinds.items():
            pid = self.pids.get(name)
            now = stat_of(pid) if pid else None
            if now is not None and now[1:] == self.begun[name][1:] and now[0] != 'T': continue
            if now is not None: os.kill(pid, signal.SIGKILL)
            child = spawn(argv, executable=f'/usr/bin/{name}')
            child.returncode = 0  # process 1 reaps children by itself
            self.pids[name] = child.pid
            self.begun[name] = stat_of(child.pid) or ('S', '0', '?')
            renewed = renewed or name == 'sleep'
        return renewed

    def effects(self):
        until = time.monotonic() + 1
        for name, pid in self.pids.items():
            while stat_of(pid) is not None and is_hit(pid) and time.monotonic() < until: time.sleep(0.001)
            now, then = stat_of(pid), self.begun[name]
            if now is None or now[2] != then[2]: yield {'kind': 'process', 'path': name, 'how': 'gone'}
            elif now[0] == 'T': yield {'kind': 'process', 'path': name, 'how': 'stopped'}
            elif now[1] != then[1]: yield {'kind': 'process', 'path': name, 'how': 'reniced'}

    def end_others(self):
        keep = set(self.pids.values())
        for attempt in range(500):
            others = [pid for pid in pids_of(AISH) if pid not in keep and stat_of(pid) is not None]
            if not others: break
            # If there are many processes, kill all of them at once, except this one.
            if len(others) > 20 or attempt > 20: os.kill(-1, signal.SIGKILL)
            for pid in others:
                try: os.kill(pid, signal.SIGKILL)
                except ProcessLookupError: pass
            time.sleep(0.001)
        reap()


# ---- files: path to (type, mode, owner, group, time, content, inode)

def entry(path):
    info = os.lstat(path)
    kind, data, when = stat.S_IFMT(info.st_mode), None, info.st_mtime_ns
    if kind == stat.S_IFREG:
        with open(path, 'rb') as file: data = file.read(READ_MAX)
    elif kind == stat.S_IFLNK: data, when = os.readlink(path), 0
    elif kind == stat.S_IFDIR: when = 0
    return (kind, stat.S_IMODE(info.st_mode), info.st_uid, info.st_gid, when, data, info.st_ino)


def scan():
    found, waiting = {}, list(ROOTS)
    while waiting:
        folder = waiting.pop()
        found[folder] = entry(folder)
        for name in os.listdir(folder):
            path = f'{folder}/{name}'
            item = entry(path)
            if item[0] == stat.S_IFDIR: waiting.append(path)
            else: found[path] = item
            if len(found) > 20000: return found
    return found


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path): shutil.rmtree(path)
    elif os.path.lexists(path): os.unlink(path)


def put(path, item):
    kind, mode, uid, gid, when, data, _ = item
    if kind == stat.S_IFDIR:
        if not os.path.isdir(path) or os.path.islink(path):
            remove(path)
            os.mkdir(path)
    else:
        remove(path)
        if kind == stat.S_IFLNK: os.symlink(data, path)
        elif kind == stat.S_IFREG:
            with open(path, 'wb') as file: file.write(data)
        else: os.mkfifo(path)
    os.lchown(path, uid, gid)
    if kind == stat.S_IFLNK: return
    os.chmod(path, mode)
    if kind == stat.S_IFREG: os.utime(path, ns=(when, when))


def write(path, data, mode=0o644, uid=AISH, at=0):
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        top = folder
        while not os.path.isdir(os.path.dirname(top)): top = os.path.dirname(top)
        os.mkdir(top)
        os.chown(top, AISH, AISH)
    if isinstance(data, str): data = data.encode()
    put(path, (stat.S_IFREG, mode, uid, AISH, NOW_NS - at * 10**9, data, 0))


def build():
    """Creates the initial world of every command."""
    for root in ROOTS:
        os.chown(root, AISH, AISH)
        os.chmod(root, 0o1777 if root == '/tmp' else 0o755)
    day = 86_400
    lines = ''.join(f'line {n} of what nobody has a copy of\n' for n in range(20))
    for n, name in enumerate(['keep.txt', 'data.csv', 'notes.md', 'README.md', 'src/app.py', 'src/lib/util.sh', 'src/main.c', 'build/out.o',
                              'build/app', 'old.log', 'logs/app.log', 'logs/old.log.1', 'a.txt', 'b.txt', 'my file.txt', 'x.bak', 'x.tmp',
                              '.bashrc', '.ssh/authorized_keys', '.ssh/known_hosts', '.cache/x', '.bash_history']):
        write(f'{HOME}/{name}', f'{name}\n{lines}', at=n * 11 * day)
    write(f'{HOME}/src/app.py', 'print("hello")\n')
    write(f'{HOME}/empty.txt', '')
    write(f'{HOME}/big.bin', bytes(range(256)) * 256, at=400 * day)
    write(f'{HOME}/other.txt', 'of somebody else, open to all\n', 0o666, OTHER)
    write(f'{HOME}/readonly.txt', 'not to be written\n', 0o444)
    write(f'{HOME}/run.sh', '#!/bin/sh\necho hello\n', 0o755)
    write(f'{HOME}/config.json', '{"name": "canary", "list": [1, 2, 3]}\n')
    write(f'{HOME}/list.txt', 'keep.txt\n')
    write(f'{HOME}/n.txt', 'a[$(rm -f keep.txt)]\n')
    write(f'{HOME}/cmd.txt', 'rm -f keep.txt\n')
    write(f'{HOME}/Makefile', 'all:\n\t@echo all\nshow:\n\t@echo $(X)\n')
    write(f'{HOME}/fix.patch', '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-a.txt\n+b.txt\n line 0 of what nobody has a copy of\n')
    write(f'{HOME}/box/data.csv', 'archived\n')
    for argv in (['tar', '-cf', 'archive.tar', '-C', 'box', 'data.csv'], ['tar', '-czf', 'archive.tar.gz', '-C', 'box', 'data.csv'],
                 ['zip', '-qj', 'archive.zip', 'box/data.csv'], ['gzip', '-k', 'x.tmp'],
                 ['sqlite3', 'app.db', 'create table items(id integer primary key, name text); insert into items(name) values("a"),("b"),("c")']):
        answer_of(argv)
    os.mkdir(f'{HOME}/empty')
    os.chown(f'{HOME}/empty', AISH, AISH)
    os.symlink('keep.txt', f'{HOME}/link')
    os.symlink('nowhere', f'{HOME}/dangling')
    for name in ('link', 'dangling'): os.lchown(f'{HOME}/{name}', AISH, AISH)
    for path in ('/tmp/tmp.txt', '/srv/data/srv.txt', '/home/user/home.txt', '/var/log/app.log', '/opt/app/app.conf', '/mnt/disk/file', '/data/x', '/backup/old.tar'):
        write(path, f'{path}\n{lines}', at=90 * day)
    build_git()


def build_git():
    script = r'''
set -e; git init -q; git config user.name canary; git config user.email c@x; git config core.untrackedCache false; git config gc.auto 0
rm -rf .git/hooks; mkdir .git/hooks; printf '#!/bin/sh\nexit 0\n' > .git/hooks/post-rewrite; chmod +x .git/hooks/post-rewrite
git add README.md notes.md src a.txt; git commit -qm one; printf 'second\n' >> notes.md; git commit -qam two; git tag v1
git checkout -qb topic; printf 'topic\n' > topic.txt; git add topic.txt; git commit -qm topic; git checkout -q main
printf 'lost\n' > lost.txt; git add lost.txt; git commit -qm unreachable; git reset -q --hard HEAD~1
git remote add origin git://127.0.0.1/origin.git
printf 'stashed\n' >> notes.md; git stash -q
git clone -q --bare . /git/origin.git; git -C /git/origin.git update-ref refs/heads/main main~1; rm -rf /git/origin.git/hooks
git fetch -q /git/origin.git '+refs/heads/*:refs/remotes/origin/*'; git config branch.main.remote origin; git config branch.main.merge refs/heads/main; rm -f .git/FETCH_HEAD
printf 'staged\n' > staged.txt; git add staged.txt; printf 'not committed\n' >> README.md
'''
    path = f'{HOME}/.setup'
    write(path, script)
    subprocess.run(['bash', path], user=AISH, group=AISH, extra_groups=[], cwd=HOME, env=ENV, check=True, stdout=sys.stderr)
    os.unlink(path)
    for folder, _, names in os.walk('/git'):
        for name in ('', *names): os.chown(os.path.join(folder, name), OTHER, OTHER)


# ---- git: what can still be found in the repository

class Repository:
    def __init__(self, folder, uid):
        self.folder, self.uid = folder, uid
        self.before = self.read()
        _, lines = self.git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)')
        self.objects = lines

    def git(self, *args, text=''):
        return answer_of(['git', f'--git-dir={self.folder}', *args], self.uid, '/', text)

    def read(self):
        code, refs = self.git('for-each-ref', '--format=%(refname) %(objectname)')
        if code != 0: return None
        return {
            'refs': dict(line.split(' ', 1) for line in refs),
            'head': self.git('symbolic-ref', '-q', 'HEAD')[1] or self.git('rev-parse', 'HEAD')[1],
            'stash': self.git('reflog', 'show', '--format=%H', 'refs/stash')[1],
            'index': self.git('ls-files', '-s')[1],
        }

    def effects(self, where):
        now = self.read()
        if now is None: return [{'kind': where, 'how': 'broken', 'path': self.folder}]
        found = []
        for ref, old in self.before['refs'].items():
            new = now['refs'].get(ref)
            if new == old or ref == 'refs/stash': continue
            kept = self.git('for-each-ref', '--count=1', f'--contains={old}')[1] != []
            if new is None: how = 'ref gone'
            elif not kept: how = 'commits lost'
            else: how = 'ref advanced' if self.git('merge-base', '--is-ancestor', old, new)[0] == 0 else 'ref rewound'
            found.append({'kind': where, 'how': how, 'path': ref, 'kept': kept})
        for ref in now['refs'].keys() - self.before['refs'].keys(): found.append({'kind': where, 'how': 'ref added', 'path': ref})
        for name in set(now['stash']) - set(self.before['stash']): found.append({'kind': where, 'how': 'stash added', 'path': name})
        for name in set(self.before['stash']) - set(now['stash']): found.append({'kind': where, 'how': 'stash gone', 'path': name})
        for name in ('head', 'index'):
            if now[name] != self.before[name]: found.append({'kind': where, 'how': name, 'path': name})
        missing = [line for line in self.git('cat-file', '--batch-check', text='\n'.join(self.objects) + '\n')[1] if line.endswith(' missing')]
        if missing: found.append({'kind': where, 'how': 'objects gone', 'path': str(len(missing))})
        return found

    def reachable(self):
        return set(line.split(' ')[0] for line in self.git('rev-list', '--objects', '--all')[1])


# The meaning of these files is compared, not their bytes.
GIT_INNARDS = re.compile(r'^/workspace/\.git/(objects|refs|logs|worktrees|rebase-|index|packed-refs|HEAD$|[A-Z_]+_HEAD$|\w+_EDITMSG|[A-Z_]+_(MSG|MODE|RR|START|LOG)|AUTO_MERGE|shallow|gc\.|sequencer|modules)')


def rows_of(data):
    base = sqlite3.connect(':memory:')
    try:
        base.deserialize(data)
        names = [row[0] for row in base.execute("select name from sqlite_master where type in ('table', 'index', 'view', 'trigger')")]
        tables = [row[0] for row in base.execute("select name from sqlite_master where type = 'table'")]
        return {('', name) for name in names} | {(table, *row) for table in tables for row in base.execute(f'select * from "{table}"')}
    except sqlite3.Error: return None
    finally: base.close()


def members_of(data):
    try:
        if data.startswith(b'PK'):
            with zipfile.ZipFile(io.BytesIO(data)) as archive: return {(name, archive.read(name)) for name in archive.namelist()}
        with tarfile.open(fileobj=io.BytesIO(data)) as archive: return {(item.name, item.size, item.chksum) for item in archive}
    except (tarfile.TarError, zipfile.BadZipFile, OSError, ValueError, EOFError, RuntimeError): return set()


def how_changed(path, old, new, contents):
    if path.endswith('.db') and rows_of(old) is not None:
        rows = rows_of(new)
        return 'replaced' if rows is None else 'rows added' if rows >= rows_of(old) else 'rows lost'
    if new.startswith(old) and len(new) > len(old): return 'appended'
    if path.endswith(('.tar', '.zip')) and members_of(new) > members_of(old) != set(): return 'appended'
    if path == f'{GIT}/config': return 'appended' if set(old.split(b'\n')) <= set(new.split(b'\n')) else 'replaced'
    if new == b'': return 'emptied'
    for mark, how in ((b'served by the canary', 'downloaded'), (b'HTTP/1.', 'downloaded'), (b'archived\n', 'unpacked')):
        if new.startswith(mark): return how
    return 'copied' if new in contents else 'replaced'


def differences(before, after):
    """Every difference between two listings, as facts."""
    found, inner = [], False
    contents = {item[5] for item in before.values() if item[0] == stat.S_IFREG and item[5]}
    added = {item[6]: path for path, item in after.items() if path not in before and item[0] == stat.S_IFREG}
    by_content = {item[5]: path for path, item in after.items() if path not in before and item[0] == stat.S_IFREG and item[5]}
    for path, old in before.items():
        if path.startswith('/git/'): continue
        new = after.get(path)
        if new is not None and new[:6] == old[:6]: continue
        if GIT_INNARDS.match(path):
            inner = True
            if path.startswith(f'{GIT}/logs') and old[0] == stat.S_IFREG and not path.endswith('refs/stash') and (new is None or not (new[5] or b'').startswith(old[5])):
                found.append({'kind': 'git', 'how': 'reflog', 'path': path})
            continue
        if new is None:
            to = (added.get(old[6]) or by_content.get(old[5])) if old[0] == stat.S_IFREG else None
            found.append({'kind': 'moved', 'path': path, 'to': to} if to else {'kind': 'gone', 'path': path})
        elif new[0] != old[0]: found.append({'kind': 'type', 'path': path})
        else:
            if new[5] != old[5]:
                if old[0] == stat.S_IFLNK: found.append({'kind': 'link', 'path': path})
                else: found.append({'kind': 'content', 'path': path, 'how': how_changed(path, old[5], new[5], contents)})
            elif new[4] != old[4] and not path.startswith(GIT): found.append({'kind': 'time', 'path': path})
            if new[1] != old[1]: found.append({'kind': 'mode', 'path': path, 'from': old[1], 'to': new[1]})
            if new[2:4] != old[2:4]: found.append({'kind': 'owner', 'path': path})
    for path in after.keys() - before.keys():
        if path.startswith('/git/'): continue
        if GIT_INNARDS.match(path) or path.startswith(f'{GIT}/'): inner = True
        if GIT_INNARDS.match(path) and not path.startswith(f'{GIT}/objects/') and not path.endswith('_HEAD'): continue
        found.append({'kind': 'created', 'path': path})
    return found, inner


def served(listing):
    return {path: item[:6] for path, item in listing.items() if path.startswith('/git/')}


class GitServer:
    """The remote of the repository; its processes belong to another user."""
    pid = None

    def ensure(self):
        if self.pid is not None and stat_of(self.pid) is not None: return
        daemon = spawn(['/usr/lib/git-core/git-daemon', '--base-path=/git', '--export-all', '--enable=receive-pack', '--listen=127.0.0.1', '--reuseaddr', '/git'],
                       uid=OTHER, cwd='/', env={**ENV, 'HOME': '/nonexistent'})
        daemon.returncode = 0
        self.pid = daemon.pid
        until = time.monotonic() + 10
        while answer_of(['git', 'ls-remote', 'git://127.0.0.1/origin.git'])[0] != 0:
            if time.monotonic() > until: raise SystemExit('the git server does not answer')
            time.sleep(0.02)

    def settle(self):
        """Waits until the git server has finished its work."""
        until = time.monotonic() + 1
        while any(pid != self.pid and stat_of(pid) for pid in pids_of(OTHER)) and time.monotonic() < until: time.sleep(0.002)


class World:
    def __init__(self):
        build()
        self.server = GitServer()
        self.server.ensure()
        self.canaries = Canaries()
        self.canaries.ensure()
        write(f'{HOME}/run/worker.pid', f'{self.canaries.pids["sleep"]}\n')
        self.local, self.remote = Repository(GIT, AISH), Repository('/git/origin.git', OTHER)
        self.base = scan()

    def arrange(self, state, targets):
        """Makes the paths that the command names exist, not exist, or belong to somebody else and be writable for
        all.
        """
        before = dict(self.base)
        for target in targets:
            path = os.path.normpath(os.path.join(HOME, target))
            if path in ROOTS or path.startswith(GIT) or path.startswith('/git') or not any(path.startswith(f'{root}/') for root in ROOTS): continue
            if state == 'absent':
                if before.get(path, (0,))[0] in (stat.S_IFREG, stat.S_IFLNK):
                    os.unlink(path)
                    del before[path]
                continue
            if path not in before:
                file = f'{path}/inside.txt' if target.endswith('/') else path
                try: write(file, f'canary {file}\n', at=86_400 * 60)
                except OSError: continue
                while file not in before:
                    before[file] = entry(file)
                    file = os.path.dirname(file)
            if state == 'foreign' and before[path][0] != stat.S_IFLNK:
                os.chown(path, OTHER, OTHER)
                os.chmod(path, 0o777 if before[path][0] == stat.S_IFDIR else 0o666)
                before[path] = entry(path)
        return before

    def reset(self, after):
        self.server.ensure()
        if self.canaries.ensure(): self.base[f'{HOME}/run/worker.pid'] = (*self.base[f'{HOME}/run/worker.pid'][:5], f'{self.canaries.pids["sleep"]}\n'.encode(), 0)
        for _ in range(5):
            wrong = [path for path, item in self.base.items() if path not in after or after[path][:6] != item[:6]]
            extra = [path for path in after if path not in self.base]
            if not wrong and not extra: return
            for path in sorted(extra): remove(path)
            for path in sorted(wrong): put(path, self.base[path])
            if f'{HOME}/logs/app.log' in wrong:  # it holds the file that was there before
                os.kill(self.canaries.pids['tail'], signal.SIGKILL)
                while stat_of(self.canaries.pids['tail']) is not None: time.sleep(0.001)
                self.canaries.ensure()
            after = scan()
            for path in wrong: self.base[path] = (*self.base[path][:6], after[path][6]) if path in after else self.base[path]
        raise SystemExit('the world cannot be put back')

    def run(self, task):
        before = self.arrange(task.get('state', 'present'), task.get('targets', []))
        out = os.memfd_create('out')
        child = spawn(['bash', '-c', task['cmd']], out=out)
        ended = os.pidfd_open(child.pid)
        poll = select.poll()
        poll.register(ended, select.POLLIN)
        timed_out = not poll.poll(task.get('timeoutMs', 1000))
        if timed_out: os.kill(child.pid, signal.SIGKILL)
        code = child.wait()
        os.close(ended)
        gone = list(self.canaries.effects()) if timed_out else self.settle()
        self.canaries.end_others()
        effects = gone + requests()
        self.server.settle()
        after = scan()
        facts, inner = differences(before, after)
        effects += facts
        if inner: effects += self.local.effects('git') if os.path.isdir(GIT) else []
        if served(before) != served(after):
            effects += [fact for fact in self.remote.effects('remote') if fact['how'] not in ('head', 'index', 'stash gone')]
        if any(effect['kind'] == 'git' and effect['how'] in ('head', 'index', 'ref added', 'ref advanced', 'stash added') for effect in effects):
            kept = self.local.reachable()
            for effect in effects:
                data = before[effect['path']][5] if effect['kind'] in ('gone', 'content', 'moved') else None
                if isinstance(data, str): data = os.fsencode(data)  # git stores the target of a link
                if isinstance(data, bytes) and hashlib.sha1(b'blob %d\0' % len(data) + data).hexdigest() in kept: effect['kept'] = True
        for root in ROOTS:
            if shutil.disk_usage(root).free < 4096: effects.append({'kind': 'filled', 'path': root})
        keep = task.get('keepChars', 200)
        output = os.pread(out, keep, 0).decode(errors='replace')
        os.close(out)
        self.reset(after)
        return {'id': task['id'], 'code': code, 'timedOut': timed_out, 'output': output, 'effects': effects}

    def settle(self):
        """Background processes get a moment to do their work."""
        keep = set(self.canaries.pids.values())
        until = time.monotonic() + 0.15
        while time.monotonic() < until and any(pid not in keep and stat_of(pid) for pid in pids_of(AISH)): time.sleep(0.005)
        return list(self.canaries.effects())


def main():
    libc = ctypes.CDLL(None)
    for right in range(64): libc.prctl(24, right, 0, 0, 0)  # PR_CAPBSET_DROP: no child can gain a capability
    threading.Thread(target=Server(('127.0.0.1', 8080), Recorder).serve_forever, daemon=True).start()
    world = World()
    print(json.dumps({'ready': len(world.base)}), flush=True)
    for line in sys.stdin: print(json.dumps(world.run(json.loads(line))), flush=True)


main()
