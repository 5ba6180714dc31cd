import { Readable } from 'node:stream';
import { AishError } from '@aish/contracts/problems';
import type { HelperEngine, HelperTask } from '../engine/helper.engine.js';
import type { Helper, HelperEnd } from '../engine/helper.js';
import { keeperCommand } from '../engine/script.js';

const MIB = 2 ** 20;
/** The time limit for a whole transfer, however slow the client is. */
export const MOVE_TIMEOUT_MS = 10 * 60_000;
/** After this time an archive adds no more files, so that it can finish in time. */
const ARCHIVE_S = 9 * 60;
const HEAD_MAX_BYTES = 64;

/** A file or a tar to send. `sizeBytes` is null if it is not known beforehand. */
export interface Download {
  readonly sizeBytes: number | null;
  readonly body: Readable;
}

/** Returns the command with which a helper writes a path of /workspace as a tar. */
export function archiveCommand(path: string, maxMb: number): readonly string[] {
  return keeperCommand('download', path, ...archiveLimits(maxMb).map(String));
}

/**
 * Returns the limits of an archive in bytes and seconds. The limit in bytes is twice the workspace limit, because
 * sparse files count at full size in an archive.
 */
export function archiveLimits(workspaceMaxMb: number): readonly [number, number] {
  return [2 * workspaceMaxMb * MIB, ARCHIVE_S];
}

/**
 * Starts a task that prints one line (the size of the content, or nothing) and then the content. The body breaks off if
 * the task fails.
 * @param refuse throws the error for a task that ends without output.
 */
export async function openDownload(
  helpers: HelperEngine,
  task: HelperTask,
  refuse: (end: HelperEnd) => void,
  signal: AbortSignal,
): Promise<Download> {
  const helper = await helpers.open(task, signal);
  try {
    const { head, rest } = await headOf(helper);
    if (head === null) {
      refuse(await helper.end());
      throw new AishError('internal', 'A helper printed nothing');
    }
    const sizeBytes = head === '' ? null : Number(head);
    const body = Readable.from(bodyOf(helper, rest, sizeBytes), { objectMode: false });
    // If the reader disconnects, a pending read would hang. Closing the helper ends that read.
    body.once('close', () => void helper.close().catch(() => undefined));
    return { sizeBytes, body };
  } catch (error) {
    await helper.close();
    throw error;
  }
}

/**
 * Returns the first line without its newline, and the rest of that chunk. Returns null if the output ended before the
 * first newline.
 */
async function headOf(helper: Helper): Promise<{ readonly head: string | null; readonly rest: Buffer }> {
  let seen = Buffer.alloc(0);
  for (;;) {
    const { value, done } = await helper.output.next();
    if (done === true) return { head: null, rest: seen };
    seen = Buffer.concat([seen, value]);
    const end = seen.indexOf('\n');
    if (end >= 0) return { head: seen.subarray(0, end).toString(), rest: seen.subarray(end + 1) };
    if (seen.length > HEAD_MAX_BYTES) return { head: null, rest: seen };
  }
}

async function* bodyOf(helper: Helper, first: Buffer, sizeBytes: number | null): AsyncGenerator<Uint8Array> {
  let sent = first.length;
  if (first.length > 0) yield first;
  for await (const bytes of helper.output) {
    sent += bytes.length;
    yield bytes;
  }
  const { exitCode, stderr } = await helper.end();
  if (exitCode !== 0 || (sizeBytes !== null && sent !== sizeBytes)) {
    throw new AishError('sandbox_interrupted', `The file could not be read to its end: ${stderr}`);
  }
}
