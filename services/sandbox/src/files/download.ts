import { Readable } from 'node:stream';
import { AishError } from '@aish/contracts/problems';
import type { HelperEngine, HelperTask } from '../engine/helper.engine.js';
import type { Helper, HelperEnd } from '../engine/helper.js';
import { keeperCommand } from '../engine/script.js';

const MIB = 2 ** 20;
/** A whole transfer, however slow the other side is. */
export const MOVE_TIMEOUT_MS = 10 * 60_000;
/** An archive takes no more files then, so that it still comes to its end. */
const ARCHIVE_S = 9 * 60;
const HEAD_MAX_BYTES = 64;

/** A file, or a tar, on its way out. `sizeBytes` is null where it is not known beforehand. */
export interface Download {
  readonly sizeBytes: number | null;
  readonly body: Readable;
}

/** How a helper writes a path of /workspace as a tar. */
export function archiveCommand(path: string, maxMb: number): readonly string[] {
  return keeperCommand('download', path, ...archiveLimits(maxMb).map(String));
}

/** Bytes and seconds. Sizes of files count, and holes take no room in a workspace; so it is twice what that may hold. */
export function archiveLimits(workspaceMaxMb: number): readonly [number, number] {
  return [2 * workspaceMaxMb * MIB, ARCHIVE_S];
}

/**
 * Begins a task whose output is a line, the size of what follows or empty, and then that. The body breaks off when it cannot
 * be brought to its end.
 * @param refuse throws what an end without output means.
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
      throw new AishError('internal', 'A helper said nothing');
    }
    const sizeBytes = head === '' ? null : Number(head);
    const body = Readable.from(bodyOf(helper, rest, sizeBytes), { objectMode: false });
    // A reader that goes away lets a pending read hang; closing ends that too.
    body.once('close', () => void helper.close().catch(() => undefined));
    return { sizeBytes, body };
  } catch (error) {
    await helper.close();
    throw error;
  }
}

/** The first line, without its end, and what came with it; null when the output ended before. */
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
