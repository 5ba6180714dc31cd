# Records what belongs to a goal or chat, by path: the files that its commands created, and the text that files of
# others had when it first touched them. The file `goal.ID` in the folder of a workspace has one line for each fact,
# with the newest last. A fact ends when the path is deleted or when someone else writes to it. Nothing is guessed from
# the contents of files.
import hashlib
import json
import os

from keeper.files import load
from keeper.layers import home, is_used, layers, upper
from keeper.reading import Clock, ancestors, is_id, scan

RECORD_MAX = 32 << 20
TEXT_MAX, TEXTS_MAX = 1 << 20, 64 << 20


def record_file(workspace, origin):
    assert is_id(origin)
    return os.path.join(home(workspace), b'goal.' + os.fsencode(origin))


def text_folder(workspace, origin):
    return os.path.join(home(workspace), b'texts.' + os.fsencode(origin))


def origins(workspace):
    there = home(workspace)
    names = os.listdir(there) if os.path.isdir(there) else ()
    return [os.fsdecode(name[5:]) for name in names if name.startswith(b'goal.')]


class Made:
    def __init__(self, workspace, origin):
        self.made, self.ended, self.texts, self.left = {}, {}, {}, {}
        try:
            with open(record_file(workspace, origin)) as f:
                for n, line in enumerate(f):
                    self.take(n, line)
        except FileNotFoundError:
            pass

    def take(self, n, line):
        try:
            kind, path, *more = json.loads(line)
        except ValueError:
            # A crash cut off the last line.
            return
        path = os.fsencode(path)
        if kind == 'text':
            self.texts[path] = (n, *more)
        else:
            # Host files can change without aish noticing, so their state after the goal's last write is recorded too.
            self.left[path] = more
            (self.made if kind == 'made' else self.ended)[path] = n

    # Returns the time at which the facts about a path, or about a folder above it, last ended.
    def end(self, path):
        return max(self.ended.get(each, -1) for each in (path, *ancestors(path)))

    def is_made(self, path):
        return self.made.get(path, -1) > self.end(path)

    # Returns the name of the stored original text of a file, and how many bytes of it count, or None if they are
    # unknown.
    def text(self, path):
        n, *more = self.texts.get(path, (-1,))
        return more if n > self.end(path) else None


def add_lines(workspace, origin, lines):
    if not lines:
        return
    with open(record_file(workspace, origin), 'a') as f:
        if f.tell() < RECORD_MAX or any(kind == 'ended' for kind, *_ in lines):
            f.write('\n' + '\n'.join(json.dumps([kind, os.fsdecode(path), *more]) for kind, path, *more in lines) + '\n')


# Updates the records of this goal or chat, and of all others, for a layer that now counts.
def note_made(workspace, there, v):
    for path, text, size in v.first:
        keep_text(workspace, there['origin'], path, text, size)
    add_lines(workspace, there['origin'], [('ended', p) for p in v.ends] + [('made', p) for p in v.makes])
    others = [origin for origin in origins(workspace) if origin != there['origin']]
    for origin in others:
        add_lines(workspace, origin, [('ended', path) for _, path, _ in v.changes])


# Stores the text that a file had before its goal first touched it. If the goal only appended text, the original length
# is enough.
def keep_text(workspace, origin, path, text, size):
    name = None
    if text is not None:
        name = hashlib.sha256(path).hexdigest()
        folder = text_folder(workspace, origin)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name.encode()), 'wb') as f:
            f.write(text)
    add_lines(workspace, origin, [('text', path, name, size)])


def texts_size(workspace, origin):
    folder = text_folder(workspace, origin)
    return sum(os.lstat(os.path.join(folder, name)).st_size for name in os.listdir(folder)) if os.path.isdir(folder) else 0


def counted(workspace, n):
    return os.path.join(home(workspace), b'%d' % n, b'c')


# Marks a layer as fully recorded. An empty layer must stay free for the next writer.
def mark_counted(workspace, n):
    if is_used(workspace, n):
        open(counted(workspace, n), 'w').close()


def unmark_counted(workspace):
    there = layers(workspace)
    if there and os.path.exists(counted(workspace, there[-1])):
        os.unlink(counted(workspace, there[-1]))


# Ends all facts about the paths in a layer, because files that no command of a goal or chat wrote belong to someone
# else. The same is true of files that an undo restored.
def end_all_in(workspace, n):
    there = origins(workspace)
    paths = scan(upper(workspace, n), Clock(float('inf'))) if there else {}
    for origin in there:
        add_lines(workspace, origin, [('ended', path) for path, entry in paths.items() if entry[0] != 'd'])


# Stores the terms that were agreed before a run began, until the run ends. They replace the terms of an earlier run
# that left the layer empty.
def keep_terms(workspace, n, terms):
    path = os.path.join(home(workspace), b'%d' % n, b'g')
    if terms is None:
        if os.path.exists(path):
            os.unlink(path)
        return
    with open(path + b'.new', 'w') as f:
        f.write(json.dumps(terms))
    os.rename(path + b'.new', path)


def terms_of(workspace, n):
    return load(os.path.join(home(workspace), b'%d' % n, b'g')) or {'named': None, 'refusals': ()}
