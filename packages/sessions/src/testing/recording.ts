import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { advance } from '../machine/goal/advance.js';
import type { Advance, GoalEvent, GoalRecord } from '../machine/goal/events.js';
import type { GoalMachine } from '../machine/goal/state.js';

/**
 * The machine's reaction to one event, as it is stored: only the changed fields of the state, and only the IDs of
 * actions.
 */
export interface Decision {
  readonly machine: Partial<GoalMachine>;
  readonly records: readonly GoalRecord[];
  readonly effect: string | null;
}

export interface RecordedEvent {
  readonly event: GoalEvent;
  /** The differences between the state that a new runner read from the rows and the state of the last runner. */
  readonly loaded?: Partial<GoalMachine>;
  readonly decided: Decision;
}

/** The recorded events of one goal, from the first to its end. */
export interface Recording {
  readonly name: string;
  readonly start: GoalMachine;
  readonly events: readonly RecordedEvent[];
}

export const RECORDINGS_DIR = fileURLToPath(new URL('../../recordings/', import.meta.url));
/** The reasons for the current decisions: one line for each change, with the digest of all recordings after it. */
export const EXPLAINED_FILE = 'explained.jsonl';

export interface Explained {
  readonly why: string;
  readonly changed: readonly string[];
  readonly digest: string;
}

export function decisionOf(before: GoalMachine, { machine, records, effect }: Advance): Decision {
  return asJson({ machine: changes(before, machine), records, effect: effect === null ? null : effectOf(effect) });
}

/** Returns the recording with the current decisions of the machine. */
export function replay({ name, start, events }: Recording): Recording {
  let machine = start;
  const now = events.map(({ event, loaded }): RecordedEvent => {
    const before = { ...machine, ...loaded };
    const next = advance(before, event);
    machine = next.machine;
    return { event, ...(loaded === undefined ? {} : { loaded }), decided: decisionOf(before, next) };
  });
  return { name, start, events: now };
}

export function readRecordings(dir: string = RECORDINGS_DIR): readonly Recording[] {
  return recordingFiles(dir).map((file) => parse(readFileSync(join(dir, file), 'utf8')));
}

export function readExplained(dir: string = RECORDINGS_DIR): readonly Explained[] {
  const lines = readFileSync(join(dir, EXPLAINED_FILE), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Explained);
}

/** Returns the digest of all recordings on disk. */
export function digestOf(dir: string = RECORDINGS_DIR): string {
  const hash = createHash('sha256');
  for (const file of recordingFiles(dir)) hash.update(`${file}\n${readFileSync(join(dir, file), 'utf8')}`);
  return hash.digest('hex');
}

export function stringify({ name, start, events }: Recording): string {
  return [{ name, start }, ...events].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Returns the fields that differ between two states. */
export function changes(before: GoalMachine, after: GoalMachine): Partial<GoalMachine> {
  const keys = Object.keys(after) as (keyof GoalMachine)[];
  return Object.fromEntries(
    keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key])).map((key) => [key, after[key]]),
  );
}

function recordingFiles(dir: string): readonly string[] {
  return readdirSync(dir)
    .filter((file) => file.endsWith('.jsonl') && file !== EXPLAINED_FILE)
    .toSorted();
}

function parse(text: string): Recording {
  const [head, ...events] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  return { ...(head as Pick<Recording, 'name' | 'start'>), events: events as readonly RecordedEvent[] };
}

function effectOf(effect: NonNullable<Advance['effect']>): string {
  switch (effect.type) {
    case 'ask':
      return 'ask';
    case 'classify':
    case 'run':
      return `${effect.type} ${effect.actions.map(({ id }) => id).join(' ')}`;
    case 'settle':
    case 'recover':
      return `${effect.type} ${effect.action.id}`;
  }
}

/** Returns the value as it is stored on disk, without `undefined`. */
function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
