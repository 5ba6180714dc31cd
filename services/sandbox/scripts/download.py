# A file or folder of /workspace as a tar:  python3 -I -c "$(< reading.py archive.py download.py)" PATH BYTES SECONDS
# Exit codes as of files.sh. A line break on stdout says that the tar begins.
ROOT = b'/workspace'


def fail(code, why):
    sys.stderr.write(why)
    sys.exit(code)


try:
    real = os.path.realpath(os.fsencode(sys.argv[1]), strict=True)
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
archive = Archive(sys.stdout.buffer, int(sys.argv[2]), float(sys.argv[3]))
archive.out.write(b'\n')
if name:
    archive.one(fds, name, b'./' + name)
else:
    archive.tree(fds, b'./')
archive.close({name} if name else {os.fsencode(each) for each in os.listdir(fds[0])})
