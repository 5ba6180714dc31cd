# Unpacks the entries below PREFIX of a tar by backup.py, or by GNU tar in earlier versions, into /workspace. The script
# runs in a container that mounts only the workspace, and still follows no links. User 1000 owns everything. A device
# entry means that something was deleted, and comes before its replacement. Exit code 48 means that the disk is full.
import errno
import os
import shutil
import stat
import sys
import tarfile

from keeper.archive import FOLDER

OWNER, PIECE = 1000, 1 << 20


# Returns the name of an entry with the trailing slash of a folder, which tarfile removes.
def name_of(info):
    return info.name + '/' * info.isdir()


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


# Reports a truncated or broken tar, which tarfile would treat as complete.
class Entry(tarfile.TarInfo):
    @classmethod
    def fromtarfile(cls, tarfile_of):
        try:
            return super().fromtarfile(tarfile_of)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except tarfile.HeaderError:
            sys.exit('the tar is cut short or broken')


class Unpacking:
    def __init__(self, prefix):
        self.prefix, self.top = prefix, os.open('/workspace', FOLDER)
        # Unpacking changes the times of folders, so they are set at the end.
        self.times = []
        self.tar = tarfile.open(fileobj=os.fdopen(0, 'rb', 0), mode='r|', tarinfo=Entry, encoding='utf-8', errors='surrogateescape')

    def parts_of(self, name):
        parts = [part for part in name.removeprefix(self.prefix).split('/') if part not in ('', '.')]
        assert '..' not in parts, name
        return parts

    # Opens the folder at a path, and creates it if it is missing. The caller closes it.
    def folder_at(self, parts):
        fd = os.dup(self.top)
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

    def put(self, info, fd, name):
        if info.isdir():
            if is_folder(fd, name) is False:
                remove(fd, name)
            if is_folder(fd, name) is None:
                os.mkdir(name, dir_fd=fd)
            return self.look(info, fd, name)
        remove(fd, name)
        if info.issym():
            os.symlink(info.linkname, name, dir_fd=fd)
            os.chown(name, OWNER, OWNER, dir_fd=fd, follow_symlinks=False)
            os.utime(name, (info.mtime, info.mtime), dir_fd=fd, follow_symlinks=False)
        elif info.islnk():
            *above, target = self.parts_of(info.linkname)
            source = self.folder_at(above)
            os.link(target, name, src_dir_fd=source, dst_dir_fd=fd, follow_symlinks=False)
            os.close(source)
        elif info.isfile():
            body = self.tar.extractfile(info)
            assert body is not None
            with open(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=fd), 'wb') as f:
                shutil.copyfileobj(body, f, PIECE)
                f.flush()
                os.fchown(f.fileno(), OWNER, OWNER)
                os.fchmod(f.fileno(), info.mode & 0o777)
                os.utime(f.fileno(), (info.mtime, info.mtime))

    def look(self, info, parent, name):
        fd = os.open(name, FOLDER, dir_fd=parent)
        os.fchown(fd, OWNER, OWNER)
        os.fchmod(fd, info.mode & 0o1777)
        os.close(fd)
        self.times.append((self.parts_of(name_of(info)), info.mtime))

    def all(self):
        try:
            while (info := self.tar.next()) is not None:
                # The archive object would keep every entry it has read.
                self.tar.members.clear()  # type: ignore[attr-defined]
                if not name_of(info).startswith(self.prefix):
                    continue
                *above, name = self.parts_of(name_of(info)) or ['.']
                fd = self.folder_at(above)
                if info.ischr():
                    remove(fd, name)
                else:
                    self.put(info, fd, name)
                os.close(fd)
            for parts, at in reversed(self.times):
                fd = self.folder_at(parts)
                os.utime(fd, (at, at))
                os.close(fd)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
                raise
            sys.stderr.write('no space left')
            sys.exit(48)


def main(prefix):
    Unpacking(prefix).all()
