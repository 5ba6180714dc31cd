# Puts into /workspace what lies below PREFIX in a tar that backup.py wrote, or GNU tar before it:  python3 -I -c "$(< unpack.py)" PREFIX
# It runs where nothing but the workspace is mounted; it follows no link all the same. All is user 1000's.
# A device tells that something is gone, before what there is instead.
# Exit codes: 48 the disk is full.
import errno, os, shutil, stat, sys, tarfile

FOLDER, OWNER, PIECE = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, 1000, 1 << 20
prefix = sys.argv[1]
top = os.open('/workspace', FOLDER)
# Times of folders change while things are put into them.
times = []


# With the slash of a folder, which tarfile takes away.
def name_of(info):
    return info.name + '/' * info.isdir()


def parts_of(name):
    parts = [part for part in name.removeprefix(prefix).split('/') if part not in ('', '.')]
    assert '..' not in parts, name
    return parts


# The folder at a path, made where it is missing. Whoever asks closes it.
def folder_at(parts):
    fd = os.dup(top)
    for part in parts:
        try:
            below = os.open(part, FOLDER, dir_fd=fd)
        except FileNotFoundError:
            os.mkdir(part, 0o755, dir_fd=fd)
            below = os.open(part, FOLDER, dir_fd=fd)
            os.fchown(below, OWNER, OWNER)
        os.close(fd)
        fd = below
    return fd


def is_folder(fd, name):
    try:
        return stat.S_ISDIR(os.lstat(name, dir_fd=fd).st_mode)
    except FileNotFoundError:
        return None


def remove(fd, name):
    there = is_folder(fd, name)
    if there:
        shutil.rmtree(name, dir_fd=fd)
    elif there is not None:
        os.unlink(name, dir_fd=fd)


def put(info, fd, name):
    if info.isdir():
        if is_folder(fd, name) is False:
            remove(fd, name)
        if is_folder(fd, name) is None:
            os.mkdir(name, dir_fd=fd)
        return look(info, fd, name)
    remove(fd, name)
    if info.issym():
        os.symlink(info.linkname, name, dir_fd=fd)
        os.chown(name, OWNER, OWNER, dir_fd=fd, follow_symlinks=False)
        os.utime(name, (info.mtime, info.mtime), dir_fd=fd, follow_symlinks=False)
    elif info.islnk():
        *above, target = parts_of(info.linkname)
        source = folder_at(above)
        os.link(target, name, src_dir_fd=source, dst_dir_fd=fd, follow_symlinks=False)
        os.close(source)
    elif info.isfile():
        with open(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=fd), 'wb') as f:
            shutil.copyfileobj(tar.extractfile(info), f, PIECE)
            f.flush()
            os.fchown(f.fileno(), OWNER, OWNER)
            os.fchmod(f.fileno(), info.mode & 0o777)
            os.utime(f.fileno(), (info.mtime, info.mtime))


def look(info, parent, name):
    fd = os.open(name, FOLDER, dir_fd=parent)
    os.fchown(fd, OWNER, OWNER)
    os.fchmod(fd, info.mode & 0o1777)
    os.close(fd)
    times.append((parts_of(name_of(info)), info.mtime))


# A tar that is cut short, or broken, looks to tarfile like one that has ended.
class Entry(tarfile.TarInfo):
    @classmethod
    def fromtarfile(cls, tarfile_of):
        try:
            return super().fromtarfile(tarfile_of)
        except tarfile.EOFHeaderError:
            raise
        except tarfile.HeaderError:
            sys.exit('the tar is cut short or broken')


tar = tarfile.open(fileobj=os.fdopen(0, 'rb', 0), mode='r|', tarinfo=Entry, encoding='utf-8', errors='surrogateescape')
try:
    while (info := tar.next()) is not None:
        # It would keep all that it has seen.
        tar.members.clear()
        if not name_of(info).startswith(prefix):
            continue
        *above, name = parts_of(name_of(info)) or ['.']
        fd = folder_at(above)
        if info.ischr():
            remove(fd, name)
        else:
            put(info, fd, name)
        os.close(fd)
    for parts, at in reversed(times):
        fd = folder_at(parts)
        os.utime(fd, (at, at))
        os.close(fd)
except OSError as error:
    if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
        raise
    sys.stderr.write('no space left')
    sys.exit(48)
