# Keeps the layers of all workspaces. A line of JSON is a question, a line of JSON its answer, on stdin and stdout, or on the
# socket KEEPER_SOCKET. Below ROOT a workspace has a folder, and in it one for each layer: 0 is the base, the highest the one
# that is written to; u is what lies in it, w the engine's own. A layer is there by a rename, or not at all. Questions about
# one workspace are answered one after the other.
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


# Answers where it was asked.
class Line:
    def __init__(self, questions, answers):
        self.questions, self.answers, self.speaking = questions, answers, threading.Lock()

    # Listens until the asker is gone. The next keeper repeats work in progress, so this one must not be at work any
    # more.
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


# The short way past the engine, where there is one.
def connect(path):
    try:
        by = socket.socket(socket.AF_UNIX)
        by.connect(path)
    except OSError:
        return
    threading.Thread(target=Line(by.makefile('r'), by.makefile('w')).listen, daemon=True).start()


# With a question: answers it, in a container where its host folders are mounted. Without: answers until the asker is
# gone.
def main(question=None, args='[]'):
    sys.setrecursionlimit(10_000)
    if question is not None:
        print(json.dumps(QUESTIONS[question](*json.loads(args))), flush=True)
        return
    if 'KEEPER_SOCKET' in os.environ:
        connect(os.environ['KEEPER_SOCKET'])
    Line(sys.stdin, sys.stdout).listen()
