import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPLAINED_FILE, RECORDINGS_DIR, digestOf, stringify, type Explained, type Recording } from './recording.js';

/** A removed or added line. */
export interface Difference {
  readonly name: string;
  readonly lines: readonly string[];
}

/** Returns the changes that writing these recordings would make. */
export function differences(recordings: readonly Recording[], dir: string = RECORDINGS_DIR): readonly Difference[] {
  return recordings.flatMap((recording) => {
    const file = join(dir, `${recording.name}.jsonl`);
    const old = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    const now = stringify(recording).split('\n');
    const lines = Array.from({ length: Math.max(old.length, now.length) }, (_, n) => [old[n], now[n]] as const).flatMap(
      ([was, is], n) => (was === is ? [] : [...(was ? [`-${n + 1} ${was}`] : []), ...(is ? [`+${n + 1} ${is}`] : [])]),
    );
    return lines.length === 0 ? [] : [{ name: recording.name, lines }];
  });
}

/** Writes recordings and the reason for their change. It writes nothing if there are no differences. */
export function settleRecordings(
  recordings: readonly Recording[],
  why: string,
  dir: string = RECORDINGS_DIR,
): readonly Difference[] {
  const found = differences(recordings, dir);
  if (found.length === 0) return found;
  mkdirSync(dir, { recursive: true });
  const changed = found.map(({ name }) => name);
  for (const recording of recordings.filter(({ name }) => changed.includes(name))) {
    writeFileSync(join(dir, `${recording.name}.jsonl`), stringify(recording));
  }
  const explained: Explained = { why, changed, digest: digestOf(dir) };
  appendFileSync(join(dir, EXPLAINED_FILE), `${JSON.stringify(explained)}\n`);
  return found;
}
