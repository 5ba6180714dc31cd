# Where the layers of a workspace lie.
import os

from keeper.reading import is_id

# For tests: another folder than that of the container.
ROOT = os.fsencode(os.environ.get('KEEPER_ROOT', '/workspace'))


def home(workspace):
    assert is_id(workspace)
    return os.path.join(ROOT, os.fsencode(workspace))


def layers(workspace):
    try:
        return sorted(int(n) for n in os.listdir(home(workspace)) if n.isdigit())
    except FileNotFoundError:
        return []


def upper(workspace, n):
    return os.path.join(home(workspace), b'%d' % n, b'u')


# Whether a layer belongs to a command: something lies in it, or that did something to folders of the host.
def is_used(workspace, n):
    return bool(os.listdir(upper(workspace, n))) or os.path.exists(os.path.join(home(workspace), b'%d' % n, b'f'))
