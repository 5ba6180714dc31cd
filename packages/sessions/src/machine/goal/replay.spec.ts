import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  differences,
  digestOf,
  readExplained,
  readRecordings,
  replay,
  settleRecordings,
  type Recording,
} from '../../testing/index.js';
import { RECORDINGS_DIR } from '../../testing/recording.js';

const recordings = readRecordings();

describe('recorded goals', () => {
  // If you changed a decision on purpose, `npm run recordings -- "why"` accepts it and stores the reason.
  it.each(recordings.map((recording) => [recording.name, recording] as const))(
    'the machine makes the same decisions as in the recording %s',
    (_name, recording) => {
      expect(replay(recording).events).toEqual(recording.events);
    },
  );

  it('the newest change of the recordings has an explanation', () => {
    expect(readExplained().at(-1)?.digest).toBe(digestOf());
  });

  it('the recordings contain every event of the machine, every verdict and every kind of end', () => {
    expect(recordings.length).toBeGreaterThanOrEqual(36);
    expect(distinct(({ event }) => [event.type])).toEqual(
      expect.arrayContaining([
        'answered',
        'unavailable',
        'cancelled',
        'checkDecided',
        'classified',
        'continued',
        'decided',
        'edited',
        'ended',
        'paused',
        'questionDecided',
        'needDecided',
        'resumed',
        'taken',
      ]),
    );
    expect(distinct(({ event }) => (event.type === 'decided' ? [event.verdict] : []))).toEqual([
      'abort',
      'edit',
      'proceed',
      'skip',
    ]);
    expect(distinct(({ event }) => (event.type === 'ended' ? event.endings.map(({ kind }) => kind) : []))).toEqual(
      expect.arrayContaining(['answered', 'lost', 'ran']),
    );
    expect(
      distinct(({ decided }) => decided.records.flatMap((each) => (each.type === 'setGoal' ? [each.state] : []))),
    ).toEqual(
      expect.arrayContaining([
        'aborted',
        'blocked',
        'done',
        'exhausted',
        'halted',
        'paused',
        'queued',
        'running',
        'stalled',
        'waiting',
      ]),
    );
    expect(distinct(({ decided }) => decided.records.map(({ type }) => type))).toEqual(
      expect.arrayContaining(['useGrant', 'setCheck', 'withdrawDecisions', 'editAction', 'requestDecision']),
    );
  });

  it('a decision that differs from the recording is shown, and accepting it stores the reason', () => {
    const dir = mkdtempSync(join(tmpdir(), 'aish-recordings-'));
    try {
      cpSync(RECORDINGS_DIR, dir, { recursive: true });
      const [first] = recordings;
      if (first === undefined) throw new Error('no recordings');
      const other: Recording = {
        ...first,
        events: first.events.map((each, n) =>
          n === 0 ? { ...each, decided: { ...each.decided, effect: 'something else' } } : each,
        ),
      };
      expect(differences([first], dir)).toEqual([]);
      expect(differences([other], dir)[0]?.lines.at(-1)).toContain('something else');
      settleRecordings([other], 'to see it bite', dir);
      expect(readExplained(dir).at(-1)).toMatchObject({ why: 'to see it bite', digest: digestOf(dir) });
      expect(readRecordings(dir).map(replay)).not.toEqual(readRecordings(dir));
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

function distinct(pick: (event: Recording['events'][number]) => readonly string[]): readonly string[] {
  return [...new Set(recordings.flatMap(({ events }) => events.flatMap(pick)))].toSorted();
}
