# How the changes of a command decide whether they count. Pure: facts about one change in, a word out.
# `how` is what happened to a path: created, appended, edited (a text file that keeps half of its lines), times, permissions,
# or one of deleted, emptied, replaced, linked, of which nothing is left at its place.
import fnmatch
import posixpath
import re

COUNTS_UNASKED = ('created', 'appended', 'edited', 'times')
HOME_FOLDER = b'/workspace'
# Other programs run or read these when they start, in any folder.
AT_START = re.compile(rb'''(?x) (^|/) (?:
    \.git/(?:hooks/.+|config|info/attributes) | \.githooks/.+ | \.husky/.+ | \.gitconfig
  | \.(?:bashrc|bash_\w+|profile|zshrc|zprofile|zshenv|zlogin|zlogout|kshrc|cshrc|inputrc|envrc|xprofile|xsessionrc)
  | \.ssh/.+ | authorized_keys2? | \.(?:sqliterc|psqlrc|pythonrc|npmrc|curlrc|wgetrc|vimrc|gdbinit|netrc)
  | (?:usercustomize|sitecustomize)\.py | [^/]+\.pth
  | crontab | cron(?:\.[a-z]+|tabs)?/.+ | systemd/.+ | [^/]+\.(?:service|timer|socket) | sudoers | sudoers\.d/.+
  | (?:docker-)?compose[^/]*\.ya?ml | package\.json | GNUmakefile | [Mm]akefile | [^/]+\.mk
  | \.github/workflows/.+ | \.gitlab-ci\.yml | \.gitea/workflows/.+ | \.forgejo/workflows/.+ | \.circleci/.+ | Jenkinsfile
  | \.config/(?:autostart|fish|git)/.+ | \.envrc | \.direnvrc
  )$''')
# Of these, what takes effect on commands that do not name it: then it is held although it is new. Git hooks in any
# repository (its samples never run), and in HOME what shells, SSH and interpreters read.
UNNAMED = re.compile(rb'''(?x) (?:^|.*/) \.git/hooks/(?!.*\.sample$).+
  | \.(?:bashrc|bash_\w+|profile|zshrc|zprofile|zshenv|zlogin|zlogout|kshrc|cshrc|inputrc|sqliterc|psqlrc|pythonrc|gitconfig|curlrc|wgetrc|gdbinit)
  | \.ssh/(?:config|rc|environment|authorized_keys2?) | (?:.*/)?(?:authorized_keys2?|usercustomize\.py|sitecustomize\.py)
  | \.config/(?:autostart|fish|git)/.+ ''')
# What git writes with every step of its own and can make again: what was there before is in its objects.
GIT_NOTE = re.compile(rb'(?:.*/)?\.git/(?:index|COMMIT_EDITMSG|ORIG_HEAD|FETCH_HEAD|AUTO_MERGE)')
# Where it says what a branch is: what that was before is kept in its log.
GIT_REF = re.compile(rb'((?:.*/)?\.git)/(HEAD|refs/.+)')
# A history is no start-up file, although it is called like one.
NO_START = re.compile(rb'(^|/)\.(bash_history|ssh/known_hosts(\.old)?)$')


def is_at_start(path, is_executable):
    return is_executable or bool(AT_START.search(path)) and not NO_START.search(path)


def is_unnamed(path):
    return bool(UNNAMED.fullmatch(path)) and not NO_START.search(path)


# The table. `own`: this goal made it. `at_start`, `unnamed`: as above. `refused`: a person refused this change before.
# `named`: the words that a person approved name the path. None: it counts; else why it is held.
def why_held(how, own=False, at_start=False, unnamed=False, refused=False, named=False):
    if refused:
        return 'refused'
    if named or own or how == 'times':
        return None
    if unnamed or at_start and how != 'created':
        return 'start'
    return None if how in COUNTS_UNASKED else how


# Paths that words name, seen from a folder (None: nobody knows which): as written, without following links.
class Paths:
    def __init__(self, words, folder=HOME_FOLDER):
        paths = [absolute(word, folder) for word in words]
        self.exact = {path for path in paths if path is not None}
        self.globs = [path.split(b'/') for path in self.exact if any(each in path for each in b'*?[')]

    # Whether they name a path, or a folder above it.
    def cover(self, path):
        path = posixpath.join(HOME_FOLDER, path)
        if b'/' in self.exact or any(each in self.exact for each in (path, *above(path))):
            return True
        parts = path.split(b'/') if self.globs else ()
        return any(len(glob) <= len(parts) and all(map(fits_one, glob, parts)) for glob in self.globs)

    # Whether they name this path itself, and not only by a glob.
    def name(self, path):
        return posixpath.join(HOME_FOLDER, path) in self.exact


def absolute(word, folder):
    word = word.encode('utf-8', 'surrogateescape')
    if not word.startswith(b'/') and folder is None:
        return None
    path = posixpath.normpath(posixpath.join(folder or b'/', word))
    # Two slashes in front are one.
    return b'/' + path.lstrip(b'/')


def above(path):
    while path.count(b'/') > 1:
        path = path.rsplit(b'/', 1)[0]
        yield path


# As a shell matches names: no star finds a name that begins with a dot.
def fits_one(glob, name):
    return glob == name or (glob[:1] == b'.' or name[:1] != b'.') and fnmatch.fnmatchcase(name, glob)


# What a person refused, and what they let go by of that since.
class Refusals:
    def __init__(self, refusals):
        self.all = [(Paths(each['paths']), Paths(each['lifted'])) for each in refusals]

    # The refusals, by number, that a change goes against. Something new only where it was refused itself: below a refused
    # folder nothing is lost by it.
    def against(self, path, how):
        meets = lambda refused: refused.name(path) if how == 'created' else refused.cover(path)
        return [i for i, (refused, lifted) in enumerate(self.all) if meets(refused) and not lifted.cover(path)]


# How the text of a file was changed, `start` being its text when the goal began.
def how_text(start, old, new):
    if new == b'' and old != b'':
        return 'emptied'
    if new.startswith(old):
        return 'appended'
    return 'edited' if keeps_half(start, new) and keeps_half(old, new) else 'replaced'


def keeps_half(start, new):
    if b'\0' in start or b'\0' in new:
        return False
    before = words_of_lines(start)
    left: dict[bytes, int] = {}
    for line in words_of_lines(new):
        left[line] = left.get(line, 0) + 1
    kept = 0
    for line in before:
        if left.get(line, 0) > 0:
            left[line] -= 1
            kept += 1
    return kept * 2 >= len(before)


# Lines that say something.
def words_of_lines(text):
    return [line for line in text.split(b'\n') if line.strip()]
