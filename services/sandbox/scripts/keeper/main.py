# Manages the layers of all workspaces. Each request and each response is one line of JSON, on stdin and stdout or on
# the socket KEEPER_SOCKET. A workspace has a folder below ROOT with a subfolder for each layer: 0 is the base, and
# commands write to the highest. `u` holds the files, and `w` is the engine's working folder. A rename creates each
# layer, so that it is complete or absent. The keeper answers the requests for one workspace one after another.
import concurrent.futures
import json
import os
import socket
import sys
import threading
from collections.abc import Callable

from keeper.back import FOLDERS
from keeper.backup import BACKUP
from keeper.changes import CHANGES
from keeper.effects import effects, mark
from keeper.holds import HELD
from keeper.stack import STACK
from keeper.stashed import STASHED
from keeper.undo import UNDO

QUESTIONS_AT_ONCE = 64
QUESTIONS: dict[str, Callable] = {
    'mark': mark, 'effects': effects, **STACK, **UNDO, **CHANGES, **HELD, **STASHED, **FOLDERS, **BACKUP,
}
locks: dict[str, threading.Lock] = {}
answering = concurrent.futures.ThreadPoolExecutor(QUESTIONS_AT_ONCE)


# Answers each request on the connection on which it arrived.
class Line:
    def __init__(self, questions, answers):
        self.questions, self.answers, self.speaking = questions, answers, threading.Lock()

    # Listens until the client disconnects. The next keeper repeats unfinished work, so this keeper must have stopped by
    # then.
    def listen(self):
        for line in self.questions:
            question = json.loads(line)
            lock = locks.setdefault(question['with'][0] if question['with'] else '', threading.Lock())
            answering.submit(self.reply, question, lock)
        os._exit(0)

    def reply(self, question, lock):
        with lock:
            try:
                answer = QUESTIONS[question['do']](*question['with'])
            except Exception as error:
                answer = {'error': '%s: %s' % (type(error).__name__, error)}
        with self.speaking:
            print(json.dumps({'id': question['id'], **answer}), file=self.answers, flush=True)


# Connects to the socket directly, without going through the engine, if the socket exists.
def connect(path):
    try:
        by = socket.socket(socket.AF_UNIX)
        by.connect(path)
    except OSError:
        return
    threading.Thread(target=Line(by.makefile('r'), by.makefile('w')).listen, daemon=True).start()


# Answers one request if `question` is given; its container mounts the host folders of the request. Otherwise answers
# requests until the client disconnects.
def main(question=None, args='[]'):
    sys.setrecursionlimit(10_000)
    if question is not None:
        print(json.dumps(QUESTIONS[question](*json.loads(args))), flush=True)
        return
    if 'KEEPER_SOCKET' in os.environ:
        connect(os.environ['KEEPER_SOCKET'])
    Line(sys.stdin, sys.stdout).listen()
