# What belongs into a backup of a workspace, as a tar on stdout. It is asked
# alone, in a container that has the volume of the workspace mounted as well (/source), so that nobody takes its layers away.
# First `./`, the workspace without what does not count yet. Then, where that waits for a verdict, `held.json` (whose it is), and
# `held/`, its layer. Previews that were set aside are not in it: what they show can be run again.
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


# A workspace without layers lies in its volume.
def backup(workspace, most, seconds):
    archive = Archive(sys.stdout.buffer, most, seconds)
    archive.out.write(b'\n')
    there, waiting = layers(workspace), None
    if there:
        held_now = held(workspace)
        # What is empty now may be written to while this reads.
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
