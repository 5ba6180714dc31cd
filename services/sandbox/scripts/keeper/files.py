# Writes files so that they are complete or absent, even if the process is killed.
import json
import os


def load(path):
    try:
        with open(path) as f:
            return json.load(f)
    except FileNotFoundError:
        return None


def save(path, what):
    with open(path + b'.new', 'w') as f:
        f.write(json.dumps(what))
        f.flush()
        os.fsync(f.fileno())
    step()
    os.rename(path + b'.new', path)
    sync_folder(os.path.dirname(path))
    step()


def sync_folder(path):
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(fd)
    os.close(fd)


# Tests set the number of steps after which this process is killed, as in a power failure.
steps_left = 0


def step():
    global steps_left
    if steps_left:
        steps_left -= 1
        if not steps_left:
            os.kill(os.getpid(), 9)
