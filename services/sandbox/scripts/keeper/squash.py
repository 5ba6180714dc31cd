# Merges the oldest layers into the base, and deletes what is no longer needed. Each squash is recorded before it
# begins, and each step can be repeated.
import os
import shutil
import stat
import threading
import time
import uuid

from keeper.files import step
from keeper.layers import ROOT, home, layers, upper
from keeper.reading import is_opaque, is_whiteout

sizes: dict = {}


# Removes a file or folder of any size from its place at once, and deletes it in the background.
def discard(path):
    gone = os.path.join(ROOT, b'.gone')
    os.makedirs(gone, exist_ok=True)
    try:
        os.rename(path, os.path.join(gone, uuid.uuid4().hex.encode()))
    except FileNotFoundError:
        return
    threading.Thread(target=empty, daemon=True).start()


def empty():
    gone = os.path.join(ROOT, b'.gone')
    for name in os.listdir(gone) if os.path.isdir(gone) else ():
        path = os.path.join(gone, name)
        try:
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
        except OSError:
            # Another process is deleting it.
            pass


def last_to_merge(workspace, there, depth, max_bytes, max_age):
    middle, last, size = there[1:-1], 0, 0
    for i, n in enumerate(reversed(middle)):
        size += size_of(workspace, n)
        age = time.time() - os.stat(os.path.join(home(workspace), b'%d' % n)).st_mtime
        if i + 3 > max(depth, 2) or size > max_bytes or age > max_age:
            return n
    return last


# Returns the last layer that may be merged. Layers that contain only the goal's own files may be merged. A layer that
# changed older files stays, because an undo needs it. If such layers use up the space for undo, the file `full` is
# created, and the goal's next command asks a person. Layers that are too old, or too many for one mount, are merged in
# any case.
def what_may_go(workspace, last, depth, max_age):
    there = layers(workspace)
    kept = [n for n in there[1:-1] if n <= last and os.path.exists(undo_marker(workspace, n)) and not is_older(workspace, n, max_age)]
    if not kept or len(there) > depth + 2:
        clear(full(workspace))
        return last
    open(full(workspace), 'w').close()
    return max([n for n in there[1:] if n < kept[0]], default=0)


def is_older(workspace, n, max_age):
    return time.time() - os.stat(os.path.join(home(workspace), b'%d' % n)).st_mtime > max_age


# This file marks a layer whose undo restores files of others.
def undo_marker(workspace, n):
    return os.path.join(home(workspace), b'%d' % n, b'b')


def full(workspace):
    return os.path.join(home(workspace), b'full')


# Gives up the undo of the oldest commands, because a person has allowed a command to run at that price.
def spend(workspace):
    for n in layers(workspace):
        clear(undo_marker(workspace, n))
    clear(full(workspace))


# Returns the size of a layer that is no longer written to.
def size_of(workspace, n):
    key = (workspace, n)
    if key not in sizes:
        sizes[key] = measured(workspace, n)
    return sizes[key]


def measured(workspace, n):
    size = 0
    for _, _, files, fd in os.fwalk(upper(workspace, n), follow_symlinks=False):
        for name in files:
            try:
                size += os.lstat(name, dir_fd=fd).st_blocks * 512
            except FileNotFoundError:
                pass
    return size


def forget_sizes(workspace):
    for key in [key for key in sizes if key[0] == workspace]:
        sizes.pop(key)


# Records an operation before it begins, so that it is completed after a crash.
def note(workspace, name, n):
    journal = os.path.join(home(workspace), name)
    with open(journal + b'.new', 'w') as f:
        f.write(str(n))
        f.flush()
        os.fsync(f.fileno())
    step()
    os.rename(journal + b'.new', journal)
    step()


def noted(workspace, name):
    with open(os.path.join(home(workspace), name)) as f:
        return int(f.read())


# Merges layers into the base, up to the recorded one. Repeating a finished step changes nothing.
def squash(workspace):
    last = noted(workspace, b'squash')
    for n in layers(workspace):
        if 0 < n <= last:
            merge(upper(workspace, n), upper(workspace, 0))
            step()
            discard(os.path.join(home(workspace), b'%d' % n))
            step()
    os.unlink(os.path.join(home(workspace), b'squash'))
    forget_sizes(workspace)
    step()


def clear(path):
    try:
        s = os.lstat(path)
    except FileNotFoundError:
        return
    if stat.S_ISDIR(s.st_mode):
        discard(path)
    else:
        os.unlink(path)


# Moves the contents of `source` into the folder `target`. Neither may be mounted.
def merge(source, target):
    # The time of a folder is recorded first, because removing entries changes it.
    try:
        changed_at = int(os.getxattr(source, 'user.overlay.aish.at'))
    except OSError:
        changed_at = os.lstat(source).st_mtime_ns
        os.setxattr(source, 'user.overlay.aish.at', b'%d' % changed_at)
    step()
    for name in os.listdir(source):
        a, b = os.path.join(source, name), os.path.join(target, name)
        s = os.lstat(a)
        if is_whiteout(s):
            clear(b)
            step()
            os.unlink(a)
        elif not stat.S_ISDIR(s.st_mode):
            if os.path.isdir(b) and not os.path.islink(b):
                discard(b)
                step()
            if os.path.lexists(b) and os.path.samestat(os.lstat(b), s):
                # If both names are hard links to one file, a rename would keep both.
                os.unlink(a)
            else:
                os.rename(a, b)
        else:
            if is_opaque(a):
                clear(b)
                step()
                os.removexattr(a, 'user.overlay.opaque')
            elif os.path.lexists(b) and (os.path.islink(b) or not os.path.isdir(b)):
                os.unlink(b)
            step()
            if not os.path.lexists(b):
                os.mkdir(b, 0o700)
            merge(a, b)
            os.rmdir(a)
        step()
    look_like(source, target, changed_at)


# Copies owner, mode, times and attributes of a folder, except the markers of the overlay.
def look_like(source, target, changed_at):
    s = os.lstat(source)
    os.chown(target, s.st_uid, s.st_gid)
    os.chmod(target, stat.S_IMODE(s.st_mode))
    mine, others = ({n for n in os.listxattr(f) if not n.startswith('user.overlay.')} for f in (source, target))
    for name in mine:
        os.setxattr(target, name, os.getxattr(source, name))
    for name in others - mine:
        os.removexattr(target, name)
    os.utime(target, ns=(s.st_atime_ns, changed_at))
