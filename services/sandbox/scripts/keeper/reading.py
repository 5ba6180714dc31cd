# Reads the contents of layers, and compares two scans of the same layer.
import os
import stat
import time

CREATED_MAX, DELETED_MAX = 20, 200
COUNT_MAX_S = float(os.environ.get('COUNT_MAX_S', '4'))
ID_CHARS = frozenset('0123456789abcdef-')


# Returns whether a text may be used in a path.
def is_id(text):
    return text != '' and ID_CHARS.issuperset(text)


class Late(Exception):
    pass


class Clock:
    def __init__(self, seconds=COUNT_MAX_S):
        self.end = time.monotonic() + seconds

    def check(self):
        if time.monotonic() > self.end:
            raise Late()


def is_whiteout(s):
    return stat.S_ISCHR(s.st_mode) and s.st_rdev == 0


# `at` is a path or the descriptor of a folder.
def is_opaque(at):
    try:
        return os.getxattr(at, 'user.overlay.opaque', follow_symlinks=isinstance(at, int)) == b'y'
    except OSError:
        return False


# Returns the contents of a layer by path, each with its kind, its size and a value that changes with each version. The
# scan uses descriptors, because a command may be writing.
def scan(folder, clock, strict=False):
    found: dict[bytes, tuple] = {}

    def walk(fd, prefix):
        clock.check()
        with os.scandir(fd) as entries:
            for entry in entries:
                path = prefix + os.fsencode(entry.name)
                try:
                    s = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(s.st_mode):
                        below = os.open(entry.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
                        try:
                            found[path] = ('o' if is_opaque(below) else 'd', 0, 0)
                            walk(below, path + b'/')
                        finally:
                            os.close(below)
                    elif is_whiteout(s):
                        found[path] = ('w', s.st_ino, 0)
                    else:
                        found[path] = ('f', (s.st_ino, s.st_ctime_ns, s.st_size), s.st_size)
                except OSError:
                    if strict:
                        raise

    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        walk(top, b'')
    finally:
        os.close(top)
    return found


# Combines the lower layers into one tree. Nobody writes to them.
class Below:
    def __init__(self, folders):
        self.folders = folders
        self.known = {b'': folders}

    # Returns the folders that form a folder, from the highest layer down. The list is empty if the path is not a
    # folder.
    def under(self, folder):
        if folder not in self.known:
            self.known[folder] = self.look(folder)[0]
        return self.known[folder]

    # Returns the folders at a path, and the file unless a folder hides it.
    def look(self, path):
        parent, _, name = path.rpartition(b'/')
        folders: list[bytes] = []
        for base in self.under(parent):
            here = os.path.join(base, name)
            try:
                s = os.lstat(here)
            except FileNotFoundError:
                continue
            if not stat.S_ISDIR(s.st_mode):
                return folders, None if folders or is_whiteout(s) else s
            folders.append(here)
            if is_opaque(here):
                break
        return folders, None

    # Returns the size of a file, or None for folders and missing paths.
    def size(self, path):
        if not self.under(path.rpartition(b'/')[0]):
            return None
        s = self.look(path)[1]
        return None if s is None else s.st_size

    # Yields all files at and below a path.
    def files(self, path, clock):
        folders, s = self.look(path)
        if s is not None:
            yield path, s.st_size
        yield from self.walk(path, folders, clock)

    def walk(self, path, folders, clock):
        clock.check()
        seen: set[bytes] = set()
        deeper: dict[bytes, list[bytes]] = {}
        for folder in folders:
            here = set()
            with os.scandir(folder) as entries:
                for entry in entries:
                    here.add(entry.name)
                    if entry.name in seen:
                        continue
                    name = os.path.join(path, entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        below = deeper.setdefault(entry.name, [])
                        below.append(entry.path)
                        if not is_opaque(entry.path):
                            here.discard(entry.name)
                    elif entry.name not in deeper:
                        s = entry.stat(follow_symlinks=False)
                        if not is_whiteout(s):
                            yield name, s.st_size
            seen |= here
        for name, below in deeper.items():
            yield from self.walk(os.path.join(path, name), below, clock)


def ancestors(path):
    while b'/' in path:
        path = path.rsplit(b'/', 1)[0]
        yield path


# Returns the size of a file as seen through a scan and the lower layers, or None if there is no file.
def resolve(path, found, below):
    entry = found.get(path)
    if entry is not None:
        return entry[2] if entry[0] == 'f' else None
    if any(found.get(a, 'd')[0] in 'wof' for a in ancestors(path)):
        return None
    return below.size(path)


# Returns whether a file of the lower layers was visible in a scan.
def was_there(path, found):
    entry = found.get(path)
    if entry is not None:
        return entry[0] == 'f'
    return not any(found.get(a, 'd')[0] in 'wof' for a in ancestors(path)) if found else True


# Yields the differences between two scans of a layer as (kind, path, bytes).
def compare(before, now, below, clock):
    differ = sorted(p for p in before.keys() | now.keys() if before.get(p) != now.get(p))
    looked = set(differ)
    for path in differ:
        clock.check()
        old, new = resolve(path, before, below), resolve(path, now, below)
        if old is None and new is not None:
            yield 'created', path, new
        elif new is None and old is not None:
            yield 'deleted', path, old
        elif old is not None:
            yield 'changed', path, new
        # This entry has hidden the lower layers since the mark, so everything below it is deleted unless it was created
        # again.
        if now.get(path, 'd')[0] in 'wof':
            for gone, size in below.files(path, clock):
                if gone not in looked and now.get(gone, 'd')[0] != 'f' and was_there(gone, before):
                    looked.add(gone)
                    yield 'deleted', gone, size


# Returns the changes that a layer makes to folders themselves: empty folders that it created or deleted, and changed
# permissions. The paths have a trailing slash.
def folder_changes(top, found, below):
    filled = {parent for path, entry in found.items() if entry[0] != 'w' for parent in list(ancestors(path))[:1]}
    for path, (kind, _, _) in found.items():
        if kind == 'w' and below.look(path)[0] and next(below.files(path, Clock()), None) is None:
            yield 'deleted', path + b'/', 0
        elif kind in 'do':
            there = below.look(path)[0]
            if not there and path not in filled:
                yield 'created', path + b'/', 0
            elif there and not same_modes(os.path.join(top, path), there[0]):
                yield 'changed', path + b'/', 0
    if below.folders and not same_modes(top, below.folders[0]):
        yield 'changed', b'./', 0


def same_modes(one, other):
    a, b = os.lstat(one), os.lstat(other)
    return (a.st_mode, a.st_uid, a.st_gid) == (b.st_mode, b.st_uid, b.st_gid)


def summed(changes, complete):
    shares: dict[str, dict] = {kind: {'files': 0, 'bytes': 0, 'paths': []} for kind in ('created', 'changed', 'deleted')}
    for kind, path, size in changes:
        share = shares[kind]
        share['files'] += 1
        share['bytes'] += size
        if len(share['paths']) < (DELETED_MAX if kind == 'deleted' else CREATED_MAX):
            share['paths'].append(path.decode('utf-8', 'replace'))
    return {**shares, 'complete': complete}
