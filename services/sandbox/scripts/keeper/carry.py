# Writes the held changes of commands to the host folders, or undoes them.
import errno
import fcntl
import os
import shutil
import stat
import time

from keeper.archive import FOLDER
from keeper.files import load, save, step
from keeper.folders import LOOK_MAX_S, At, Elsewhere, digest_of, host, is_ours, journal, kind_of, opened, run_folder, state_of, tree, version
from keeper.layers import home
from keeper.made import Made, add_lines
from keeper.plan import is_own, own_key, told_paths
from keeper.reading import Clock
from keeper.records import layer_of
from keeper.squash import clear, discard


def attributes(s, fd, strip):
    mode = stat.S_IMODE(s.st_mode)
    os.fchown(fd, s.st_uid, s.st_gid)
    os.fchmod(fd, mode & 0o777 if strip and not stat.S_ISDIR(s.st_mode) else mode)


def notes(source, target):
    for name in os.listxattr(source):
        if name.startswith('user.') and not name.startswith('user.overlay.'):
            os.setxattr(target, name, os.getxattr(source, name))


# Copies a file or folder to a new name and syncs the copy to disk. Both names are relative to open folders. `strip`
# removes setuid bits.
def copy(source, name, target, new_name, strip):
    s = os.stat(name, dir_fd=source, follow_symlinks=False)
    if stat.S_ISLNK(s.st_mode):
        os.symlink(os.readlink(name, dir_fd=source), new_name, dir_fd=target)
        os.chown(new_name, s.st_uid, s.st_gid, dir_fd=target, follow_symlinks=False)
        os.utime(new_name, ns=(s.st_atime_ns, s.st_mtime_ns), dir_fd=target, follow_symlinks=False)
    elif stat.S_ISREG(s.st_mode):
        a = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=source)
        b = os.open(new_name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=target)
        try:
            copy_data(a, b, s.st_size)
            notes(a, b)
            attributes(s, b, strip)
            os.utime(b, ns=(s.st_atime_ns, s.st_mtime_ns))
            os.fsync(b)
        finally:
            os.close(a)
            os.close(b)
    elif stat.S_ISDIR(s.st_mode):
        os.mkdir(new_name, 0o700, dir_fd=target)
        a, b = (os.open(n, FOLDER, dir_fd=f) for n, f in ((name, source), (new_name, target)))
        try:
            for each in os.listdir(a):
                copy(a, each, b, each, strip)
            notes(a, b)
            attributes(s, b, strip)
            os.utime(b, ns=(s.st_atime_ns, s.st_mtime_ns))
            os.fsync(b)
        finally:
            os.close(a)
            os.close(b)


# Copies `size` bytes, and keeps the holes of a sparse file.
def copy_data(a, b, size):
    at = 0
    while at < size:
        try:
            at = os.lseek(a, at, os.SEEK_DATA)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            # The rest of the file is a hole.
            break
        end = os.lseek(a, at, os.SEEK_HOLE)
        os.lseek(a, at, os.SEEK_SET)
        os.lseek(b, at, os.SEEK_SET)
        while at < end:
            piece = os.read(a, min(1 << 20, end - at))
            if not piece:
                return
            at += len(piece)
            # A nearly full disk may write less than the whole piece without an error.
            while piece:
                piece = piece[os.write(b, piece):]
    os.ftruncate(b, size)


def staging(run):
    return b'.aish-' + run.encode()


# Returns whether anyone else has put files into a folder that aish is about to remove.
def has_others(plan, op, clock):
    if op['ours'] is None or op['ours'][0] != 'd':
        return False
    ours = sum(each['i'] == op['i'] and each['path'].startswith(op['path'] + '/') for each in plan['ops'])
    return ours < sum(1 for _ in tree(host(op['i']), os.fsencode(op['path']), clock, True))


# Returns the paths whose state differs from the journal. If there are any, nothing may be written.
def differing(plan, meta):
    found, clock = [], Clock(LOOK_MAX_S)
    for op in plan['ops']:
        path, root = os.fsencode(op['path']), host(op['i'])
        try:
            if 'ours' in op:
                same = op['do'] == 'rmdir' or is_ours(root, path, op['ours']) and not has_others(plan, op, clock)
            else:
                how = 'a' if op['do'] == 'attr' else 'v'
                same = state_of(root, path, how, clock) == op['base']
        except (Elsewhere, OSError):
            same = False
        if not same:
            found.append(os.fsencode(meta['folders'][op['i']]['path']) + b'/' + path)
    return told_paths(found)


def remove_staging(run, meta):
    for i in range(len(meta['folders'])):
        fd = os.open(host(i), FOLDER)
        try:
            if os.path.lexists(os.path.join(host(i), staging(run))):
                shutil.rmtree(staging(run), dir_fd=fd)
        finally:
            os.close(fd)


# Copies everything that will be overwritten or deleted, for an undo.
def keep_old(run, plan):
    for op in plan['ops']:
        if op['do'] == 'attr' or op['base'] is None:
            continue
        folder = os.open(os.path.join(run_folder(run), b'%d' % op['i'], b'old'), FOLDER)
        name = b'%d' % op['n']
        try:
            clear(os.path.join(run_folder(run), b'%d' % op['i'], b'old', name))
            with At(host(op['i']), os.fsencode(op['path'])) as (fd, old):
                copy(fd, old, folder, name, False)
            os.fsync(folder)
        finally:
            os.close(folder)
        step()


# Copies all new content next to its destination, into a folder that nobody else uses.
def stage(run, plan, meta):
    remove_staging(run, meta)
    for i in range(len(meta['folders'])):
        fd = os.open(host(i), FOLDER)
        os.mkdir(staging(run), 0o700, dir_fd=fd)
        os.close(fd)
    step()
    for op in plan['ops']:
        if op['do'] not in ('put', 'mkdir'):
            continue
        name = b'%d' % op['n']
        with At(run_folder(run), os.fsencode(op['from'])) as (source, old):
            target = opened(host(op['i']), staging(run))
            try:
                if op['do'] == 'put':
                    copy(source, old, target, name, 'ours' not in op)
                else:
                    s = os.stat(old, dir_fd=source, follow_symlinks=False)
                    os.mkdir(name, 0o700, dir_fd=target)
                    fd = os.open(name, FOLDER, dir_fd=target)
                    attributes(s, fd, True)
                    os.close(fd)
                    op['times'] = [s.st_atime_ns, s.st_mtime_ns]
                s = os.stat(name, dir_fd=target, follow_symlinks=False)
                digest = digest_of(host(op['i']), staging(run) + b'/' + name) if kind_of(s) == 'f' else None
                op['put'] = [kind_of(s), s.st_ino, s.st_size, s.st_mtime_ns, digest]
                os.fsync(target)
            finally:
                os.close(target)
        step()


# Moves a path out of the way unless that has already happened. If another process has put something new at the path,
# its content is kept under another name.
def move_aside(run, op, fd, name, held):
    try:
        s = os.stat(name, dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return
    if op['base'] is not None and op['base'][0] in 'fls' and version(s) != op['base'] and 'ours' not in op:
        os.rename(name, name + b'.kept-' + run[:8].encode(), src_dir_fd=fd, dst_dir_fd=fd)
    else:
        os.rename(name, b'gone-%d' % op['n'], src_dir_fd=fd, dst_dir_fd=held)
    step()


def there(name, fd):
    try:
        os.stat(name, dir_fd=fd, follow_symlinks=False)
        return True
    except FileNotFoundError:
        return False


def apply(run, op, held):
    root, path, name = host(op['i']), os.fsencode(op['path']), b'%d' % op['n']
    with At(root, path) as (fd, target):
        if op['do'] == 'attr':
            folder = os.open(target, FOLDER, dir_fd=fd)
            os.fchown(folder, op['attr'][1], op['attr'][2])
            os.fchmod(folder, op['attr'][0])
            os.close(folder)
        elif op['do'] == 'rmdir':
            try:
                os.rmdir(target, dir_fd=fd)
            except OSError:
                # Another process has put something into the folder since, or has removed the folder.
                pass
        elif op['do'] == 'gone':
            if not there(b'gone-' + name, held):
                move_aside(run, op, fd, target, held)
        # If the staged file is no longer next to its destination, it has already been moved there.
        elif there(name, held):
            s = os.stat(name, dir_fd=held, follow_symlinks=False)
            try:
                old = os.stat(target, dir_fd=fd, follow_symlinks=False)
            except FileNotFoundError:
                old = None
            plain = old is not None and kind_of(old) != 'd' and kind_of(s) != 'd'
            if old is not None and not (plain and (op['base'] is None or version(old) == op['base'] or 'ours' in op)):
                move_aside(run, op, fd, target, held)
            os.rename(name, target, src_dir_fd=held, dst_dir_fd=fd)
        os.fsync(fd)
        step()


# From here on the write cannot be cancelled. After any failure aish repeats it until it is complete.
def finish(run, name, plan, meta):
    # Deletions come last, and the contents of a folder are deleted before the folder.
    for op in sorted(plan['ops'], key=lambda op: {'gone': 1, 'rmdir': 2}.get(op['do'], 0)):
        try:
            held = opened(host(op['i']), staging(run))
        except FileNotFoundError:
            # A previous attempt completed all changes and had begun to remove this folder.
            break
        try:
            apply(run, op, held)
        except (FileNotFoundError, NotADirectoryError, Elsewhere):
            # Another process has removed the target folder.
            plan.setdefault('missed', []).append(op['path'])
        finally:
            os.close(held)
    keep_times(plan)
    remember_put(plan, meta)
    if name == b'plan':
        take_layer(run, meta)
    save(journal(run, name), {**plan, 'state': 'done', 'at': time.time()})
    tidy(run, name, meta)


# Restores the times of new folders, which changed when files were added.
def keep_times(plan):
    for op in reversed(plan['ops']):
        if op['do'] == 'mkdir':
            try:
                with At(host(op['i']), os.fsencode(op['path'])) as (fd, name):
                    os.utime(name, ns=tuple(op['times']), dir_fd=fd, follow_symlinks=False)
            except OSError:
                # Another process has removed the folder.
                pass


# Removes files that a finished write no longer needs.
def tidy(run, name, meta):
    remove_staging(run, meta)
    step()
    if name == b'back':
        discard(run_folder(run))
    for i in range(len(meta['folders'])):
        for each in (b'w', b'u'):
            discard(os.path.join(run_folder(run), b'%d' % i, each))
    step()


def is_tidy(run):
    return not os.path.exists(os.path.join(run_folder(run), b'0', b'u'))


# Marks the run's layer as used, even if it is empty, so that the next command gets a new layer and this run can be
# undone alone.
def take_layer(run, meta):
    n = layer_of(meta['workspace'], run)
    if n is not None:
        open(os.path.join(home(meta['workspace']), b'%d' % n, b'f'), 'w').close()


# Records that the goal or chat owns what it created in host folders and no longer owns what it deleted. Changed files
# of others still belong to them.
def remember_put(plan, meta):
    made = Made(meta['workspace'], meta['origin'])
    lines: list[tuple] = []
    for op in plan['ops']:
        if op['do'] == 'gone':
            lines.append(('ended', own_key(meta, op)))
        elif 'put' in op and op['put'][0] == 'f' and 'ours' not in op and (op['base'] is None or is_own(made, meta, op)):
            lines.append(('made', own_key(meta, op), op['put'][1], op['put'][3], op['put'][2]))
    if os.path.isdir(home(meta['workspace'])):
        add_lines(meta['workspace'], meta['origin'], lines)


class Alone:
    def __init__(self, run):
        self.fd = os.open(os.path.join(run_folder(run), b'lock'), os.O_RDWR | os.O_CREAT, 0o600)

    def __enter__(self):
        fcntl.flock(self.fd, fcntl.LOCK_EX)

    def __exit__(self, *_):
        os.close(self.fd)


# Writes all held changes to the host, or none. Returns the paths that differ from what was expected. If there are any,
# nothing was written.
def folder_carry(run, name='plan'):
    name = name.encode()
    if not os.path.isdir(run_folder(run)):
        return {'conflicts': []}
    with Alone(run):
        plan, meta = load(journal(run, name)), load(journal(run, b'meta'))
        if plan is None:
            return {'conflicts': []}
        if plan['state'] == 'done':
            if name == b'back' or not is_tidy(run):
                tidy(run, name, meta)
            return {'conflicts': []}
        if plan['state'] == 'waits':
            told = (plan['said']['conflicts'] if 'said' in plan else []) or differing(plan, meta)
            if not told:
                if name == b'plan' and plan['said']['undoable']:
                    keep_old(run, plan)
                stage(run, plan, meta)
                told = differing(plan, meta)
            if told:
                remove_staging(run, meta)
                return {'conflicts': told}
            plan = {**plan, 'state': 'go'}
            save(journal(run, name), plan)
        finish(run, name, plan, meta)
        return {'conflicts': [], 'missed': plan.get('missed', [])}
