# Writes the backup of a workspace as a tar to stdout. The script runs alone in a container that also mounts the
# workspace volume (/source), so that nobody removes its layers. The tar starts with `./`, the workspace without held
# changes. If changes wait for a verdict, `held.json` (their owner) and `held/` (their layer) follow. The backup omits
# stashed previews, because they can be run again.
import json
import os
import sys
from collections.abc import Callable

from keeper.archive import FOLDER, Archive
from keeper.files import load
from keeper.folders import journal
from keeper.holds import held
from keeper.layers import is_used, layers, upper

SOURCE = b'/source'


# The files of a workspace without layers are in its volume.
def backup(workspace, most, seconds):
    archive = Archive(sys.stdout.buffer, most, seconds)
    archive.out.write(b'\n')
    there, waiting = layers(workspace), None
    if there:
        held_now = held(workspace)
        # A command may still be writing to an empty layer during the backup.
        if held_now is not None or not is_used(workspace, there[-1]):
            *there, top = there
        if held_now is not None and held_now['state'] == 'waits' and not held_now.get('preview'):
            waiting = held_now
    folders = [os.open(at, FOLDER) for at in ([upper(workspace, n) for n in reversed(there)] or [SOURCE])]
    archive.tree(folders, b'./')
    if waiting is not None:
        archive.text(b'held.json', json.dumps({'run': waiting['run'], 'origin': waiting['origin']}))
        archive.tree([os.open(upper(workspace, top), FOLDER)], b'held/', raw=True)
        meta = load(journal(waiting['run'], b'meta'))
        for folder in meta['folders'] if meta else ():
            archive.skip(os.fsencode(folder['path']), 'what waits for a verdict in folders of the host is not saved')
    archive.close({os.fsencode(name) for fd in folders for name in os.listdir(fd)})
    sys.exit()


BACKUP: dict[str, Callable] = {'backup': backup}
