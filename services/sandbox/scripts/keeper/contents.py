# Computes digests of the contents of paths, so that an approval covers exactly those contents. The same files give the
# same digest in any container. Folders outside the workspace may be large and may change at any time, so only their
# identity counts.
import glob
import hashlib
import json
import os
import re
import stat

MATCHES_MAX, ENTRIES_MAX, HASHED_MAX, HEAD_MAX = 1_000, 5_000, 64 << 20, 600
WORKSPACE = b'/workspace'
# Nobody needs to see a file with such a name to know what it is for.
SECRET = re.compile(rb'(?i)token|secret|passw|passphrase|credential|api_?key|\.(?:pem|key|netrc|pgpass|env)$|/\.ssh/|/id_[a-z0-9]+$')
left = HASHED_MAX


def matches(path):
    if path.startswith((b'/proc/', b'/sys/', b'/dev/')):
        return []
    if os.path.lexists(path):
        return [path]
    if not any(each in path for each in b'*?['):
        return []
    if not path.startswith(WORKSPACE + b'/'):
        parent = os.path.dirname(path)
        return [parent] if os.path.lexists(parent) else []
    return sorted(glob.glob(path) + glob.glob(os.path.join(os.path.dirname(path), b'.' + os.path.basename(path))))[:MATCHES_MAX]


def of_file(path, s):
    global left
    left -= s.st_size
    if left < 0:
        return 'large %d %d' % (s.st_size, s.st_mtime_ns)
    with open(path, 'rb') as f:
        return hashlib.file_digest(f, 'sha256').hexdigest()


def of_any(path, s):
    if stat.S_ISLNK(s.st_mode):
        return 'link ' + os.fsdecode(os.readlink(path))
    if stat.S_ISREG(s.st_mode):
        return '%o %s' % (stat.S_IMODE(s.st_mode), of_file(path, s))
    return 'kind %o' % stat.S_IFMT(s.st_mode)


def of_folder(path, s):
    if path != WORKSPACE and not path.startswith(WORKSPACE + b'/'):
        # A folder of the image has a different inode number in each container, so the number does not count.
        return 'folder %d' % s.st_ino if s.st_dev != os.stat('/').st_dev else 'folder'
    entries = hashlib.sha256()
    count = 0
    for folder, folders, files in os.walk(path):
        folders.sort()
        for name in sorted(files + [each for each in folders if os.path.islink(os.path.join(folder, each))]):
            count += 1
            if count > ENTRIES_MAX:
                return 'many ' + entries.hexdigest()
            at = os.path.join(folder, name)
            entries.update(os.path.relpath(at, path) + b'\0' + of_any(at, os.lstat(at)).encode('utf-8', 'surrogateescape') + b'\0')
    return 'folder ' + entries.hexdigest()


def head(path):
    with open(path, 'rb') as f:
        return f.read(HEAD_MAX).decode('utf-8', 'replace')


def look(path, use):
    real = os.path.realpath(path)
    try:
        s = os.stat(real)
    except OSError:
        return {'path': path, 'real': real, 'content': 'nothing', 'use': use, 'bytes': 0}
    is_file = stat.S_ISREG(s.st_mode)
    content = of_folder(real, s) if stat.S_ISDIR(s.st_mode) else of_any(real, s)
    return {'path': path, 'real': real, 'content': content, 'use': use, 'bytes': s.st_size if is_file else 0,
            **({'head': head(real)} if is_file and use in ('feeds', 'decides') and not SECRET.search(real) else {})}


def main(folder, paths):
    start = os.fsencode(folder)
    asked = [(os.path.normpath(os.path.join(start, os.fsencode(each['path']))), each['use']) for each in json.loads(paths)]
    found = [look(match, use) for path, use in asked for match in matches(path)]
    print(json.dumps({'folder': os.path.realpath(start), 'files': found}, default=lambda b: b.decode('utf-8', 'backslashreplace')))
