# Decides whether the changes of a command count. The code is pure: it takes facts about one change, and returns a word.
# `how` says what happened to a path. A path can be created, appended to, or edited (a text file that keeps half of its
# lines), and its times or permissions can change. If a path is deleted, emptied, replaced or linked, nothing of the
# original is left.
import fnmatch
import posixpath
import re

COUNTS_UNASKED = ('created', 'appended', 'edited', 'times')
HOME_FOLDER = b'/workspace'
# Programs execute or read these files when they start, in any folder.
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
# These start-up files affect commands that do not name them, so they are held even if they are new: git hooks in any
# repository (except samples), and files in HOME that shells, SSH and interpreters read.
UNNAMED = re.compile(rb'''(?x) (?:^|.*/) \.git/hooks/(?!.*\.sample$).+
  | \.(?:bashrc|bash_\w+|profile|zshrc|zprofile|zshenv|zlogin|zlogout|kshrc|cshrc|inputrc|sqliterc|psqlrc|pythonrc|gitconfig|curlrc|wgetrc|gdbinit)
  | \.ssh/(?:config|rc|environment|authorized_keys2?) | (?:.*/)?(?:authorized_keys2?|usercustomize\.py|sitecustomize\.py)
  | \.config/(?:autostart|fish|git)/.+ ''')
# Git rewrites these files with each operation and can recreate them, because its objects contain the previous content.
GIT_NOTE = re.compile(rb'(?:.*/)?\.git/(?:index|COMMIT_EDITMSG|ORIG_HEAD|FETCH_HEAD|AUTO_MERGE)')
# These files say where a branch points. The log of the ref keeps the previous value.
GIT_REF = re.compile(rb'((?:.*/)?\.git)/(HEAD|refs/.+)')
# These history files match the patterns for start-up files but are not start-up files.
NO_START = re.compile(rb'(^|/)\.(bash_history|ssh/known_hosts(\.old)?)$')


def is_at_start(path, is_executable):
    return is_executable or bool(AT_START.search(path)) and not NO_START.search(path)


def is_unnamed(path):
    return bool(UNNAMED.fullmatch(path)) and not NO_START.search(path)


# Returns why a change is held, or None if it counts. `own`: this goal created the file. `at_start`, `unnamed`: see
# above. `refused`: a person refused this change before. `named`: the words that a person approved name the path.
def why_held(how, own=False, at_start=False, unnamed=False, refused=False, named=False):
    if refused:
        return 'refused'
    if named or own or how == 'times':
        return None
    if unnamed or at_start and how != 'created':
        return 'start'
    return None if how in COUNTS_UNASKED else how


# Holds the paths that words name, as written, without following links. Relative paths start at `folder` (None if it is
# unknown).
class Paths:
    def __init__(self, words, folder=HOME_FOLDER):
        paths = [absolute(word, folder) for word in words]
        self.exact = {path for path in paths if path is not None}
        self.globs = [path.split(b'/') for path in self.exact if any(each in path for each in b'*?[')]

    # Returns whether the words name a path or a folder above it.
    def cover(self, path):
        path = posixpath.join(HOME_FOLDER, path)
        if b'/' in self.exact or any(each in self.exact for each in (path, *above(path))):
            return True
        parts = path.split(b'/') if self.globs else ()
        return any(len(glob) <= len(parts) and all(map(fits_one, glob, parts)) for glob in self.globs)

    # Returns whether the words name exactly this path, and not just through a glob.
    def name(self, path):
        return posixpath.join(HOME_FOLDER, path) in self.exact


def absolute(word, folder):
    word = word.encode('utf-8', 'surrogateescape')
    if not word.startswith(b'/') and folder is None:
        return None
    path = posixpath.normpath(posixpath.join(folder or b'/', word))
    # POSIX treats two leading slashes in a special way, but here they count as one.
    return b'/' + path.lstrip(b'/')


def above(path):
    while path.count(b'/') > 1:
        path = path.rsplit(b'/', 1)[0]
        yield path


# Matches names as a shell does: a star does not match a leading dot.
def fits_one(glob, name):
    return glob == name or (glob[:1] == b'.' or name[:1] != b'.') and fnmatch.fnmatchcase(name, glob)


# Holds what a person refused, and which of those paths the person has allowed since.
class Refusals:
    def __init__(self, refusals):
        self.all = [(Paths(each['paths']), Paths(each['lifted'])) for each in refusals]

    # Returns the numbers of the refusals that a change violates. A new file violates only a refusal of its own path,
    # because a new file below a refused folder destroys nothing.
    def against(self, path, how):
        meets = lambda refused: refused.name(path) if how == 'created' else refused.cover(path)
        return [i for i, (refused, lifted) in enumerate(self.all) if meets(refused) and not lifted.cover(path)]


# Returns how the text of a file was changed. `start` is its text when the goal began.
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


# Returns the lines that are not blank.
def words_of_lines(text):
    return [line for line in text.split(b'\n') if line.strip()]
