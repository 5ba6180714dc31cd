import { lstat, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AishError } from '@aish/contracts/problems';
import { z } from 'zod';

/** The process that holds a data folder, as it describes itself. */
export const Holder = z.object({ pid: z.int(), startedAt: z.string(), url: z.string().nullable() });
export type Holder = z.infer<typeof Holder>;

export type LockAttempt =
  | { readonly kind: 'taken'; readonly lock: Lock }
  /** `holder` is null if the process does not describe itself. */
  | { readonly kind: 'busy'; readonly holder: Holder | null };

export interface Lock {
  /** Tells later callers where aish answers. */
  announce(url: string): void;
  release(): Promise<void>;
}

type Answer = { readonly kind: 'stale' } | { readonly kind: 'gone' } | { readonly kind: 'held'; holder: Holder | null };

/** The smallest limit of all systems, without the final zero byte. */
const SOCKET_PATH_MAX_BYTES = 103;
const ANSWER_TIMEOUT_MS = 2_000;
const REFUSALS_UNTIL_STALE = 4;

/**
 * Takes the lock of a path, which has only one holder: a Unix socket that the kernel closes with its process. Therefore
 * `kill -9` leaves no lock, only a dead file, which the next process takes over. A client that connects learns who
 * holds the lock.
 * @throws AishError `invalid_config` if the path is too long for a socket
 */
export async function takeLock(socketPath: string, self: { pid: number; startedAt: Date }): Promise<LockAttempt> {
  if (Buffer.byteLength(socketPath) > SOCKET_PATH_MAX_BYTES) {
    throw new AishError(
      'invalid_config',
      `${socketPath} is longer than ${SOCKET_PATH_MAX_BYTES} bytes, the maximum for a socket; choose a shorter data folder`,
    );
  }
  for (let attempt = 0; attempt < 10; attempt++) {
    const holder: Holder = { pid: self.pid, startedAt: self.startedAt.toISOString(), url: null };
    const server = await listen(socketPath, holder);
    if (server !== null) {
      const own = await fileIdentity(socketPath);
      // Two processes that found the same dead file could interfere. The process whose file remains wins.
      await sleep(20);
      const isOurs = own !== null && own === (await fileIdentity(socketPath));
      if (isOurs) return { kind: 'taken', lock: lockOf(server, holder) };
      server.unref(); // it is not closed, because that would remove the file of the winner
      continue;
    }
    const seen = await fileIdentity(socketPath);
    const answer = await whoHolds(socketPath);
    if (answer.kind === 'held') return { kind: 'busy', holder: answer.holder };
    if (answer.kind === 'stale' && seen !== null) await removeStale(socketPath, seen);
  }
  return { kind: 'busy', holder: null };
}

function lockOf(server: Server, holder: { url: string | null }): Lock {
  let releasing: Promise<void> | undefined;
  return {
    announce: (url) => {
      holder.url = url;
    },
    release: () => (releasing ??= close(server)),
  };
}

/** Listens on the socket. Returns null if something, alive or dead, is at that path. */
function listen(socketPath: string, holder: Holder): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.end(JSON.stringify(holder));
    });
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(socketPath, () => resolve(server));
  });
}

async function whoHolds(socketPath: string): Promise<Answer> {
  // Between bind and listen, a living holder refuses connections like a dead one, so it is asked more than once.
  for (let refusals = 0; refusals < REFUSALS_UNTIL_STALE; refusals++) {
    const answer = await ask(socketPath);
    if (answer.kind !== 'stale') return answer;
    await sleep(40);
  }
  return { kind: 'stale' };
}

function ask(socketPath: string): Promise<Answer> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(socketPath);
    socket.setEncoding('utf8');
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => {
      socket.destroy();
      resolve({ kind: 'held', holder: null });
    });
    socket.on('data', (chunk: string) => {
      text = (text + chunk).slice(0, 4_096);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') resolve({ kind: 'stale' });
      else if (error.code === 'ENOENT') resolve({ kind: 'gone' });
      else resolve({ kind: 'held', holder: null });
    });
    socket.once('close', () => resolve({ kind: 'held', holder: parseHolder(text) }));
  });
}

function parseHolder(text: string): Holder | null {
  try {
    return Holder.parse(JSON.parse(text));
  } catch {
    return null; // the holder still has the lock
  }
}

/** Renames the dead file before removing it, so that only one of two processes removes it. */
async function removeStale(socketPath: string, seen: string): Promise<void> {
  if ((await fileIdentity(socketPath)) !== seen) return;
  const aside = `${socketPath}.stale-${process.pid}`;
  try {
    await rename(socketPath, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await rm(aside, { force: true });
}

/** Returns an identity of a file that also has its time, because some file systems reuse an inode number at once. */
async function fileIdentity(file: string): Promise<string | null> {
  return lstat(file, { bigint: true }).then(
    (stats) => `${stats.ino}:${stats.ctimeNs}`,
    () => null,
  );
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
