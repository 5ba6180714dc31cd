# Holds what commands write to host folders in layers, until the changes are approved (plan.py, carry.py, back.py). This
# code runs in a container that mounts each folder at HOST/i.
#
# A run has a folder below ROOT/.folders: `meta`; i/u and i/w, the layer over folder i; i/old, what was overwritten or
# deleted; `plan`, the journal of the write to the host, and `back`, the journal of its undo. A journal is in the state
# `waits` (nothing is written yet), `go` (it will be completed, even after a crash) or `done`. A rename sets each state.
#
# The code follows no links: each folder on a path is opened by name, relative to its parent, and must be a folder.
import hashlib
import os
import stat

from keeper.archive import FOLDER
from keeper.layers import ROOT
from keeper.reading import is_id

HOST = b'/host'
OPS_MAX = 200_000
LOOK_MAX_S = 40
UNFIT = ('nfs', 'cifs', 'smb', 'fuse', 'vfat', 'msdos', 'exfat', 'ntfs', 'overlay', '9p', 'virtiofs', 'ceph', 'afs')


class Elsewhere(Exception):
    pass


def run_folder(run):
    assert is_id(run)
    return os.path.join(ROOT, b'.folders', run.encode())


def journal(run, name):
    return os.path.join(run_folder(run), name)


# Opens a folder below another one. The caller closes it.
def opened(root, path):
    fd = os.open(root, FOLDER)
    try:
        device = os.fstat(fd).st_dev
        for part in path.split(b'/') if path else ():
            below = os.open(part, FOLDER, dir_fd=fd)
            os.close(fd)
            fd = below
            if os.fstat(fd).st_dev != device:
                raise Elsewhere()
        return fd
    except BaseException:
        os.close(fd)
        raise


class At:
    def __init__(self, root, path):
        folder, _, self.name = path.rpartition(b'/')
        self.fd = opened(root, folder)

    def __enter__(self):
        return self.fd, self.name

    def __exit__(self, *_):
        os.close(self.fd)


def look(root, path):
    try:
        with At(root, path) as (fd, name):
            return os.stat(name, dir_fd=fd, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        # ELOOP: the folder has been replaced by a link.
        if error.errno == 40:
            return None
        raise


def host(i):
    return os.path.join(HOST, b'%d' % i)


def kind_of(s):
    return 'd' if stat.S_ISDIR(s.st_mode) else 'f' if stat.S_ISREG(s.st_mode) else 'l' if stat.S_ISLNK(s.st_mode) else 's'


def version(s):
    return [kind_of(s), s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns]


def looks(s):
    return ['a', s.st_ino, stat.S_IMODE(s.st_mode), s.st_uid, s.st_gid]


# Yields all files below a host folder as (path, stat), and the folders too if `folders` is set.
def tree(root, path, clock, folders=False):
    fd = opened(root, path)
    try:
        for name in sorted(os.listdir(fd)):
            clock.check()
            name = os.fsencode(name)
            s = os.stat(name, dir_fd=fd, follow_symlinks=False)
            if stat.S_ISDIR(s.st_mode):
                if folders:
                    yield path + b'/' + name, s
                yield from tree(root, path + b'/' + name, clock, folders)
            else:
                yield path + b'/' + name, s
    finally:
        os.close(fd)


# Returns a value that changes whenever a path on the host changes, or None if the path does not exist.
def state_of(root, path, how, clock):
    s = look(root, path)
    if s is None:
        return None
    if how == 'a':
        return looks(s)
    if not stat.S_ISDIR(s.st_mode):
        return version(s)
    digest = hashlib.sha256()
    for each, t in tree(root, path, clock, True):
        digest.update(repr((each, version(t)[:2] if kind_of(t) == 'd' else version(t))).encode())
    return ['d', s.st_ino, digest.hexdigest()]


# Returns whether the path still has the content that aish wrote.
def is_ours(root, path, was):
    s = look(root, path)
    if s is None or was is None or kind_of(s) != was[0]:
        return s is None and was is None
    if was[0] == 'd':
        return s.st_ino == was[1]
    if [s.st_size, s.st_mtime_ns] != was[2:4]:
        return False
    return s.st_ino == was[1] or was[0] == 'f' and digest_of(root, path) == was[4]


def digest_of(root, path):
    with At(root, path) as (fd, name), os.fdopen(os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=fd), 'rb') as f:
        return hashlib.file_digest(f, 'sha256').hexdigest()
