# Writes a tar of files that may change while it reads them. The archive is always complete as a tar, and its last entry
# lists everything that it could not include. Names in the tar begin with `./` or `held/`. The code follows no links: it
# opens every file relative to a folder that is already open.
import json
import os
import stat
import sys
import tarfile
import time

from keeper.reading import is_opaque, is_whiteout

LIST, LIST_END, SKIPPED_MAX = 'aish-skipped', '.txt', 1_000
PIECE, BLOCK = 1 << 20, 512
OTHER_KINDS = {stat.S_IFIFO: 'a pipe', stat.S_IFSOCK: 'a socket', stat.S_IFCHR: 'a device', stat.S_IFBLK: 'a device'}
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class Skip(Exception):
    pass


class Archive:
    # `most` is the maximum number of bytes of file content. Sparse files count at full size, so they can exceed `most`
    # even in a workspace within its limit. After `seconds` the archive adds no more files.
    def __init__(self, out, most, seconds):
        self.out, self.left, self.end = out, most, time.monotonic() + seconds
        self.skipped, self.more, self.links = [], 0, {}
        sys.setrecursionlimit(50_000)

    def skip(self, path, why):
        if len(self.skipped) < SKIPPED_MAX:
            self.skipped.append((path, why))
        else:
            self.more += 1

    def header(self, path, kind, s=None, size=0, link=b''):
        info = tarfile.TarInfo(os.fsdecode(path))
        info.type, info.size, info.linkname, info.mode = kind, size, os.fsdecode(link), 0o644
        if s is not None:
            info.mode, info.uid, info.gid, info.mtime = stat.S_IMODE(s.st_mode), s.st_uid, s.st_gid, s.st_mtime_ns // 10**9
        self.out.write(info.tobuf(tarfile.GNU_FORMAT, 'utf-8', 'surrogateescape'))

    def pad(self, size):
        self.out.write(bytes(-size % BLOCK))

    def text(self, name, text):
        body = text.encode()
        self.header(name, tarfile.REGTYPE, size=len(body))
        self.out.write(body)
        self.pad(len(body))

    # Adds everything in the folders `fds`, which start with the highest layer. `raw` writes one layer as it is. A
    # device entry then means that something in the layers below was deleted, and it comes before its replacement.
    def tree(self, fds, path, raw=False):
        self.header(path, tarfile.DIRTYPE, os.fstat(fds[0]))
        self.below(fds, path.rstrip(b'/'), raw)

    def below(self, fds, path, raw):
        for name in sorted({os.fsencode(name) for fd in fds for name in os.listdir(fd)}):
            self.one(fds, name, path + b'/' + name, raw)

    def one(self, fds, name, path, raw=False):
        try:
            self.entry(fds, name, path, raw)
        except Skip as why:
            self.skip(path, str(why))
        except FileNotFoundError:
            self.skip(path, 'it was gone before it was read')
        except OSError as error:
            self.skip(path, 'it cannot be read: ' + os.strerror(error.errno or 0))
        except RecursionError:
            self.skip(path, 'it lies too deep')

    def entry(self, fds, name, path, raw):
        folders: list[int] = []
        try:
            for fd in fds:
                try:
                    s = os.lstat(name, dir_fd=fd)
                except FileNotFoundError:
                    continue
                if is_whiteout(s):
                    if raw:
                        self.header(path, tarfile.CHRTYPE, s)
                    break
                if not stat.S_ISDIR(s.st_mode):
                    if not folders:
                        self.file(fd, name, path, s)
                    break
                folders.append(os.open(name, FOLDER, dir_fd=fd))
                if is_opaque(folders[-1]):
                    if raw:
                        self.header(path, tarfile.CHRTYPE, s)
                    break
            if folders:
                self.tree(folders, path, raw)
        finally:
            for fd in folders:
                os.close(fd)

    def file(self, fd, name, path, s):
        if stat.S_ISLNK(s.st_mode):
            return self.header(path, tarfile.SYMTYPE, s, link=os.readlink(name, dir_fd=fd))
        self.need_file(s)
        first = self.links.get((s.st_dev, s.st_ino))
        if first is not None:
            return self.header(path, tarfile.LNKTYPE, s, link=first)
        with open(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=fd), 'rb', 0) as f:
            s = os.fstat(f.fileno())
            self.need_file(s)
            if s.st_size > self.left:
                raise Skip('the archive would be larger than twice RUN_WORKSPACE_MAX_MB')
            if time.monotonic() > self.end:
                raise Skip('there was no time left')
            self.left -= s.st_size
            self.header(path, tarfile.REGTYPE, s, s.st_size)
            if s.st_nlink > 1:
                self.links[s.st_dev, s.st_ino] = path
            self.content(f, path, s)

    def need_file(self, s):
        if not stat.S_ISREG(s.st_mode):
            raise Skip('it is ' + OTHER_KINDS.get(stat.S_IFMT(s.st_mode), 'no file'))

    # Writes exactly as many bytes as the header announced, even if the file changes.
    def content(self, f, path, s):
        left, why = s.st_size, 'it shrank while it was read: its end is filled with zeros'
        while left:
            try:
                piece = f.read(min(left, PIECE))
            except OSError as error:
                piece, why = b'', 'it cannot be read to its end, which is filled with zeros: ' + os.strerror(error.errno or 0)
            if not piece:
                break
            self.out.write(piece)
            left -= len(piece)
        now = os.fstat(f.fileno())
        if left:
            self.skip(path, why)
        elif (now.st_size, now.st_mtime_ns) != (s.st_size, s.st_mtime_ns):
            self.skip(path, 'it changed while it was read')
        while left:
            self.out.write(bytes(min(left, PIECE)))
            left -= min(left, PIECE)
        self.pad(s.st_size)

    # `taken` contains names that the list must not use.
    def close(self, taken):
        name = next(n for n in (LIST + '-%d' % i * (i > 0) + LIST_END for i in range(len(taken) + 1)) if n.encode() not in taken)
        lines = [json.dumps(path.removeprefix(b'./').decode('utf-8', 'replace'), ensure_ascii=False) + ': ' + why for path, why in self.skipped]
        if self.more:
            lines.append(json.dumps('') + ': and %d more' % self.more)
        if lines:
            self.text(name, '\n'.join(lines) + '\n')
        self.out.write(bytes(2 * BLOCK))
        self.out.flush()
