# Folders of the host that commands write to by a layer, held until it counts (plan.py, carry.py, back.py). It runs where the
# folders are mounted, each at HOST/i. Below ROOT/.folders a run has a folder: `meta`; i/u and i/w, the layer over folder i;
# i/old, what was overwritten and deleted; `plan`, the journal of the carry-over, and `back`, that of its undo. A journal is
# `waits` (nothing is written yet), `go` (it will be finished, even after a crash) or `done`, each set by a rename.
# Nothing follows a link: every folder on the way is opened by its name in the one above, and as a folder.
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


# A folder below another one, opened; the caller closes it.
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
        # A link where a folder was.
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


# All files below a folder of the host, (path, stat); folders too where they are asked for.
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


# What tells whether something on the host is what it was; None where nothing is.
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


# Whether what was put there is there still.
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
