# Collects facts for table.py: how a layer changed files that are older than its command.
import json
import os
import stat

from keeper.diffs import DIFF_FILES_MAX, diff_text, text_of
from keeper.layers import layers, upper
from keeper.made import TEXT_MAX, TEXTS_MAX, Made, terms_of, text_folder, texts_size
from keeper.reading import Below, Clock, compare, folder_changes, is_opaque, is_whiteout, scan
from keeper.records import gone_in, record
from keeper.table import GIT_NOTE, GIT_REF, Paths, Refusals, how_text, is_at_start, is_unnamed, why_held

JUDGE_MAX_S = float(os.environ.get('JUDGE_MAX_S', '10'))
READ_MAX = 256 << 20
TOLD_MAX = 200
# Losses are reported in this order. The first four leave nothing of the original.
LOSS = ('deleted', 'emptied', 'replaced', 'linked', 'permissions', 'edited', 'appended', 'created', 'times')


# Returns the path and status of a file in the lower layers, or None if there is no such file.
def locate(below, path):
    parts = path.split(b'/')
    for folder in below.folders:
        here, hides = folder, False
        for i, part in enumerate(parts):
            here = os.path.join(here, part)
            try:
                s = os.lstat(here)
            except (FileNotFoundError, NotADirectoryError):
                break
            if not stat.S_ISDIR(s.st_mode):
                return (here, s) if i == len(parts) - 1 and not is_whiteout(s) else None
            if i == len(parts) - 1:
                return None
            hides = hides or is_opaque(here)
        if hides:
            return None
    return None


def looks_of(s):
    return stat.S_IMODE(s.st_mode), s.st_uid, s.st_gid


def bytes_at(path):
    with open(path, 'rb') as f:
        return f.read()


class Verdict:
    def __init__(self, workspace, there):
        self.workspace, self.top = workspace, upper(workspace, there['layer'])
        self.clock, self.budget = Clock(JUDGE_MAX_S), READ_MAX
        self.changes, self.complete, self.gone = [], True, None
        # Whether the layer must stay, because undoing it restores files of others.
        self.is_needed_for_undo = False
        # These map a path to the reason why it is held, to the lost bytes, and to the destroyed bytes of the goal's own
        # files.
        self.held, self.lost, self.mine = {}, {}, {}
        # The paths that become the goal's own, the paths that no longer are, and the original texts of files of others
        # as (path, text or None, size).
        self.makes, self.ends, self.first = [], [], []
        self.how, self.against = {}, {}
        terms = terms_of(workspace, there['layer'])
        self.refusals, self.approved = terms['refusals'], terms['named'] is not None
        try:
            found = scan(self.top, self.clock, strict=True)
            self.below = Below([upper(workspace, n) for n in reversed(layers(workspace)) if n < there['layer']])
            self.gone = gone_in(found)
            self.changes.extend(compare({}, found, self.below, self.clock))
            self.changes.extend(folder_changes(self.top, found, self.below))
            self.named = Paths(terms['named'] or (), folder_of(workspace, there) if self.approved else None)
            self.refused = Refusals(self.refusals)
            self.made = Made(workspace, there['origin'])
            self.texts_left = TEXTS_MAX - texts_size(workspace, there['origin']) if any(c[0] == 'changed' for c in self.changes) else 0
            self.origin = there['origin']
            for kind, path, size in self.changes:
                self.weigh(kind, path, size, there['judged'])
            self.makes += [path for path, entry in found.items() if entry[0] in 'do' and not self.below.look(path)[0]]
            self.leave_moved()
        except Exception:
            # A person decides if anything could not be read.
            self.complete = False

    def weigh(self, kind, path, size, judged):
        self.clock.check()
        old = None if kind == 'created' or path.endswith(b'/') else locate(self.below, path)
        own = kind != 'created' and self.made.is_made(path.rstrip(b'/'))
        how = self.how[path] = self.what_happened(kind, path, old, own)
        self.is_needed_for_undo = self.is_needed_for_undo or kind != 'created' and not own and how != 'times'
        runs = old is not None and stat.S_ISREG(old[1].st_mode) and bool(old[1].st_mode & 0o111)
        against = self.refused.against(path.rstrip(b'/'), how)
        is_named = self.approved and self.named.cover(path.rstrip(b'/'))
        why = why_held(how, own, is_at_start(path, runs), is_unnamed(path), bool(against), is_named) if judged else None
        if why is not None:
            self.held[path], self.against[path] = why, against
            self.lost[path] = size if old is None else old[1].st_size
        if own and how not in ('times', 'permissions', 'appended'):
            self.mine[path] = size if old is None else old[1].st_size
        if kind == 'created':
            self.makes.append(path.rstrip(b'/'))
        elif kind == 'deleted' or is_named and not own:
            # A person approved this change, so later edits are compared with the new content.
            self.ends.append(path.rstrip(b'/'))

    def what_happened(self, kind, path, old, own):
        if kind != 'changed':
            return kind
        if path.endswith(b'/'):
            return 'permissions'
        new = os.path.join(self.top, path)
        was, now = old[1], os.lstat(new)
        if stat.S_IFMT(was.st_mode) != stat.S_IFMT(now.st_mode):
            return 'linked' if stat.S_ISLNK(now.st_mode) else 'replaced'
        if stat.S_ISLNK(now.st_mode):
            return 'times' if os.readlink(old[0]) == os.readlink(new) else 'linked'
        if not stat.S_ISREG(now.st_mode):
            return 'replaced'
        how = 'replaced' if own else self.content(path, old, new, now)
        if how == 'replaced' and self.git_keeps(path, old[0]):
            how = 'edited'
        return 'permissions' if how in ('times', 'appended', 'edited') and looks_of(was) != looks_of(now) else how

    # Returns whether git keeps the old content of its own file, according to the log in this layer.
    def git_keeps(self, path, old):
        ref = GIT_REF.fullmatch(path)
        if ref is None:
            return bool(GIT_NOTE.fullmatch(path))
        log = os.path.join(self.top, ref[1], b'logs', ref[2])
        if not os.path.isfile(log) or os.path.islink(log) or os.lstat(old).st_size > 4096:
            return False
        was = bytes_at(old).strip()
        return was.startswith(b'ref: ') or was != b'' and was in bytes_at(log)

    # Returns how a file of others was changed. Small files are compared with their content when the goal first touched
    # them.
    def content(self, path, old, new, now):
        at, was = old
        first = self.made.text(path)
        if now.st_size >= was.st_size and self.begins_with(at, was.st_size, new):
            if now.st_size == was.st_size:
                return 'times'
            if first is None:
                self.first.append((path, None, was.st_size))
            return 'appended'
        if now.st_size == 0:
            return 'emptied'
        if max(was.st_size, now.st_size) > TEXT_MAX:
            return 'replaced'
        before, after = map(bytes_at, (at, new))
        start = before
        if first is not None:
            name, size = first
            if name is not None:
                start = bytes_at(os.path.join(text_folder(self.workspace, self.origin), name.encode()))
            start = start[:size]
        how = how_text(start, before, after)
        if how == 'edited' and (first is None or first[0] is None):
            self.texts_left -= len(start)
            if self.texts_left < 0:
                return 'replaced'
            self.first.append((path, start, len(start)))
        return how

    def begins_with(self, old, size, new):
        self.budget -= size
        if self.budget < 0:
            return False
        with open(old, 'rb') as f, open(new, 'rb') as g:
            while True:
                self.clock.check()
                piece = f.read(1 << 20)
                if piece == b'':
                    return True
                if g.read(len(piece)) != piece:
                    return False

    # Takes renamed files of others out of `makes`, because they still belong to others.
    def leave_moved(self):
        gone: dict[tuple, list[bytes]] = {}
        for path, how in self.how.items():
            if how == 'deleted' and not path.endswith(b'/') and not self.made.is_made(path):
                at = locate(self.below, path)
                if at is not None and stat.S_ISREG(at[1].st_mode):
                    gone.setdefault(at[1].st_size, []).append(at[0])
        if gone:
            self.makes = [path for path in self.makes if not self.is_moved(path, gone)]

    def is_moved(self, path, gone):
        now = os.path.join(self.top, path)
        s = os.lstat(now)
        return stat.S_ISREG(s.st_mode) and any(self.begins_with(old, s.st_size, now) for old in gone.get(s.st_size, ())[:16])

    # A person has approved the changes, so later edits of others' files are compared with the current content.
    def accept(self):
        if not self.complete:
            self.makes = []
        self.first = []
        self.ends += [path for path in self.held if self.how[path] not in ('created', 'deleted') and not path.endswith(b'/')]

    def share(self, wanted):
        sizes = [self.lost[path] for path in self.lost if wanted(self.how[path])]
        return {'files': len(sizes), 'bytes': sum(sizes)}

    # Returns the facts that the decision shows: the amount, the first paths with their reasons, and earlier refusals.
    def told(self):
        order = sorted(self.held, key=lambda path: (LOSS.index(self.how[path]), -self.lost[path], path))
        item = lambda p: {'path': told_path(p), 'how': self.how[p], 'why': self.held[p], 'bytes': self.lost[p]}
        return {
            'deleted': self.share(lambda how: how == 'deleted'),
            'overwritten': self.share(lambda how: how in ('edited', 'emptied', 'replaced', 'linked')),
            'items': [item(p) for p in order[:TOLD_MAX]], 'diff': self.diff(order),
            'refused': refused_of(self.refusals, [(path, self.against[path]) for path in order]), 'approved': self.approved,
        }


    # Shows the first changed lines of small text files.
    def diff(self, paths):
        pairs = []
        for path in [path for path in paths if self.how[path] in ('replaced', 'edited', 'appended')][:DIFF_FILES_MAX]:
            old = locate(self.below, path)
            if old is not None:
                at = os.path.split(old[0])
                pairs.append((told_path(path), text_of(*at), text_of(self.top, path)))
        return diff_text(pairs)


# Returns the refusals that the changes violate. `touched` lists paths with the numbers of their refusals.
def refused_of(refusals, touched):
    against: dict[int, list[str]] = {}
    for path, numbers in touched:
        for i in numbers:
            against.setdefault(i, []).append(told_path(path))
    return [{'step': r['step'], 'words': r['words'], 'paths': against[i][:TOLD_MAX]} for i, r in enumerate(refusals) if i in against]


def told_path(path):
    return path.decode('utf-8', 'replace')


# Returns the folder in which a command began. Paths in its approved words are relative to that folder.
def folder_of(workspace, there):
    try:
        with open(record(workspace, there['layer'], there['run'])) as f:
            return os.fsencode(json.load(f)['folder'])
    except (OSError, ValueError, KeyError):
        return None
