# Writes a file or folder of /workspace as a tar to stdout. The exit codes are those of files.sh. A line break on stdout
# marks the beginning of the tar.
import os
import sys

from keeper.archive import FOLDER, Archive

ROOT = b'/workspace'


def fail(code, why):
    sys.stderr.write(why)
    sys.exit(code)


def main(path, most, seconds):
    try:
        real = os.path.realpath(os.fsencode(path), strict=True)
    except OSError:
        fail(44, 'it is not there, or a link leads nowhere')
    if real != ROOT and not real.startswith(ROOT + b'/'):
        fail(40, 'a link leads out of the workspace')
    fds = [os.open(ROOT, FOLDER)]
    *folders, name = real[len(ROOT):].split(b'/')
    try:
        for each in folders[1:]:
            fds = [os.open(each, FOLDER, dir_fd=fds[0])]
    except OSError:
        fail(44, 'it is not there any more')
    archive = Archive(sys.stdout.buffer, int(most), float(seconds))
    archive.out.write(b'\n')
    if name:
        archive.one(fds, name, b'./' + name)
    else:
        archive.tree(fds, b'./')
    archive.close({name} if name else {os.fsencode(each) for each in os.listdir(fds[0])})
