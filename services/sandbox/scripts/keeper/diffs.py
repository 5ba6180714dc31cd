# Shows the first changed lines of small text files.
import difflib
import os
import stat

from keeper.folders import At

DIFF_FILE_MAX, DIFF_FILES_MAX, DIFF_LINES_MAX, DIFF_CHARS_MAX = 64 << 10, 5, 40, 4_000


def bytes_of(root, path, most):
    try:
        with At(root, path) as (fd, name), os.fdopen(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=fd), 'rb') as f:
            s = os.fstat(f.fileno())
            return f.read() if stat.S_ISREG(s.st_mode) and s.st_size <= most else None
    except OSError:
        return None


def text_of(root, path):
    body = bytes_of(root, path, DIFF_FILE_MAX)
    try:
        return None if body is None or b'\0' in body else body.decode().splitlines()
    except UnicodeDecodeError:
        return None


# Returns the diff of texts given as (name, lines before, lines after). None stands for a missing text.
def diff_text(pairs):
    parts = []
    for name, old, new in pairs:
        if old is None or new is None:
            continue
        lines = list(difflib.unified_diff(old, new, name, name, lineterm='', n=1))
        parts += lines[:DIFF_LINES_MAX] + (['…'] if len(lines) > DIFF_LINES_MAX else [])
    text = '\n'.join(parts)
    return text if len(text) <= DIFF_CHARS_MAX else text[:DIFF_CHARS_MAX] + '\n…'
