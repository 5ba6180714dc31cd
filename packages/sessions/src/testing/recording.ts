import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { advance } from '../machine/goal/advance.js';
import type { Advance, GoalEvent, GoalRecord } from '../machine/goal/events.js';
import type { GoalMachine } from '../machine/goal/state.js';

/** What the machine made of one event, as it is kept: of the state only what changed, of actions only their ids. */
export interface Decision {
  readonly machine: Partial<GoalMachine>;
  readonly records: readonly GoalRecord[];
  readonly effect: string | null;
}

export interface RecordedEvent {
  readonly event: GoalEvent;
  /** What a driver that took the goal over read differently from its rows than the last one knew. */
  readonly loaded?: Partial<GoalMachine>;
  readonly decided: Decision;
}

/** One goal as it went, from its first event to its end. */
export interface Recording {
  readonly name: string;
  readonly start: GoalMachine;
  readonly events: readonly RecordedEvent[];
}

export const RECORDINGS_DIR = fileURLToPath(new URL('../../recordings/', import.meta.url));
/** Why decisions are as they are: a line for each time that they were changed, with the digest of all recordings after it. */
export const EXPLAINED_FILE = 'explained.jsonl';

export interface Explained {
  readonly why: string;
  readonly changed: readonly string[];
  readonly digest: string;
}

export function decisionOf(before: GoalMachine, { machine, records, effect }: Advance): Decision {
  return asJson({ machine: changes(before, machine), records, effect: effect === null ? null : effectOf(effect) });
}

/** The recording with what the machine decides now. */
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

/** Of all recordings as they are on disk. */
export function digestOf(dir: string = RECORDINGS_DIR): string {
  const hash = createHash('sha256');
  for (const file of recordingFiles(dir)) hash.update(`${file}\n${readFileSync(join(dir, file), 'utf8')}`);
  return hash.digest('hex');
}

export function stringify({ name, start, events }: Recording): string {
  return [{ name, start }, ...events].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** What differs between two states, one by one. */
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

/** What is left of it on disk: no `undefined`. */
function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
