import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { HostAsk, type HostAnswer } from '@aish/contracts/hosts';
import { AishError } from '@aish/contracts/problems';
import { frame, FrameReader } from './frames.js';
import { TROUBLE, openSsh, type HostRun } from './openssh.js';

/** The exit code of `ssh` if aish refused the command. OpenSSH's own errors return 255. */
const NOT_APPROVED = 126;
const WORDS_WAIT_MS = 10_000;

/** The runner of a session. It decides on the `ssh` calls of a run's command, and learns how they ended. */
export interface HostAsker {
  /** Asks the runner about a call. @returns null if nobody answers. */
  readonly ask: (ask: HostAsk, until: AbortSignal) => Promise<HostAnswer | null>;
  readonly ended: (id: string, exitCode: number | null) => void;
}

/**
 * Handles one `ssh` call of a command. It asks the runner, then relays between the container and OpenSSH's client.
 * Never rejects.
 */
export async function serveCall(socket: Socket, askerOf: () => HostAsker | string): Promise<void> {
  const gone = new AbortController();
  socket.on('error', () => undefined);
  socket.once('close', () => gone.abort());
  const reader = new FrameReader(socket);
  const say = (kind: string, bytes?: Uint8Array) => put(socket, frame(kind, bytes));
  const end = async (code: number, words = '') => {
    if (words !== '') await say('e', Buffer.from(`${words.replaceAll(/^/gm, 'aish: ')}\n`));
    await say('x', Buffer.from([code]));
  };
  try {
    const late = setTimeout(() => socket.destroy(), WORDS_WAIT_MS);
    const words: unknown = JSON.parse(await reader.line().finally(() => clearTimeout(late)));
    const ask = HostAsk.parse({ ...(words as object), id: randomUUID() });
    const asker = askerOf();
    if (typeof asker === 'string') return await end(NOT_APPROVED, asker);
    const answer = await asker.ask(ask, gone.signal);
    if (gone.signal.aborted) return;
    if (answer === null) return await end(NOT_APPROVED, 'nobody is available to decide about this');
    if (answer.verdict === 'refuse') return await end(NOT_APPROVED, answer.message);
    const exitCode = await carry(answer.signIn, ask.id, asker, { reader, say, gone: gone.signal });
    await end(exitCode.code, exitCode.words);
  } catch (error) {
    await end(TROUBLE, error instanceof AishError ? error.message : 'this could not be sent to the host').catch(
      () => undefined,
    );
  } finally {
    socket.end();
  }
}

interface Line {
  readonly reader: FrameReader;
  readonly say: (kind: string, bytes?: Uint8Array) => Promise<void>;
  readonly gone: AbortSignal;
}

async function carry(
  signIn: Extract<HostAnswer, { verdict: 'run' }>['signIn'],
  id: string,
  asker: HostAsker,
  { reader, say, gone }: Line,
): Promise<{ readonly code: number; readonly words: string }> {
  let run: HostRun;
  try {
    run = await openSsh(signIn);
  } catch (error) {
    asker.ended(id, TROUBLE);
    throw error;
  }
  const { child, ended } = run;
  const kill = () => void child.kill('SIGKILL');
  gone.addEventListener('abort', kill, { once: true });
  if (gone.aborted) kill();
  if (signIn.stdin) void feed(reader, child.stdin, say).catch(() => child.stdin.end());
  else child.stdin.end();
  await Promise.all([pass(child.stdout, (piece) => say('o', piece)), pass(child.stderr, (piece) => say('e', piece))]);
  const { exitCode, log } = await ended;
  gone.removeEventListener('abort', kill);
  asker.ended(id, exitCode);
  const lost = exitCode === null ? 'the connection to the host was lost, so the outcome there is unknown' : '';
  const words = exitCode === null || exitCode === TROUBLE ? [log, lost].filter(Boolean).join('\n') : '';
  return { code: exitCode ?? TROUBLE, words };
}

async function pass(source: Readable, say: (piece: Uint8Array) => Promise<void>): Promise<void> {
  // Output is read even if it cannot be passed on, because the program would otherwise never end.
  for await (const piece of source) await say(piece as Uint8Array).catch(() => undefined);
}

async function feed(reader: FrameReader, into: Writable, say: Line['say']): Promise<void> {
  await say('g');
  for await (const { kind, bytes } of reader.frames()) {
    if (kind === 'z') break;
    if (kind === 'i') await put(into, bytes);
  }
  into.end();
}

/** Writes the bytes, and waits until the stream accepts more. */
async function put(stream: Writable, bytes: Uint8Array): Promise<void> {
  if (stream.destroyed || stream.writableEnded) throw new Error('closed');
  if (stream.write(bytes)) return;
  await Promise.race([once(stream, 'drain'), once(stream, 'close')]);
}
