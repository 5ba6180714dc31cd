# The paths of the layers of a workspace.
import os

from keeper.reading import is_id

# Tests use a folder outside a container.
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


# Returns whether a layer belongs to a command. It does if it contains something, or if its command changed host
# folders.
def is_used(workspace, n):
    return bool(os.listdir(upper(workspace, n))) or os.path.exists(os.path.join(home(workspace), b'%d' % n, b'f'))
