import { describe, expect, it } from '@jest/globals';
import type { EventBody } from '@aish/contracts/events';
import type { Snapshot } from '@aish/contracts/files';
import { AishError } from '@aish/contracts/problems';
import { snapshotBefore } from './snapshot-before.js';

const never = new AbortController().signal;

function place(wasApproved: boolean) {
  const notes: EventBody[] = [];
  const note = (body: EventBody): Promise<void> => Promise.resolve(void notes.push(body));
  return { notes, goalId: 'g', step: 2, workspaceId: 'w', wasApproved: () => Promise.resolve(wasApproved), note };
}

/** A sandbox whose only response is this one. */
const answering = (answer: () => Promise<Snapshot>) => ({ snapshot: answer });
const fails = (error: unknown) =>
  answering(async () => {
    throw error;
  });
const taken = { actionId: 'a', sizeBytes: 5, createdAt: '' };

describe('a snapshot before a command', () => {
  it('a snapshot before a command is taken only if a person approved the command', async () => {
    const [approved, safe] = [place(true), place(false)];
    const workspaces = answering(() => Promise.resolve(taken));
    for (const each of [approved, safe]) await snapshotBefore({ id: 'a' }, each, workspaces, never);
    expect(approved.notes).toEqual([
      { type: 'action.snapshot', goalId: 'g', actionId: 'a', step: 2, sizeBytes: 5, reason: null },
    ]);
    expect(safe.notes).toEqual([]);
  });

  it('a failed snapshot is recorded with its reason and does not stop the command', async () => {
    const there = place(true);
    await snapshotBefore({ id: 'a' }, there, fails(new AishError('snapshot_too_large', 'too much')), never);
    await snapshotBefore({ id: 'a' }, there, fails(new Error('odd')), never);
    const reasons = there.notes.map((note) => (note.type === 'action.snapshot' ? note.reason : ''));
    expect(reasons).toEqual(['snapshot_too_large: too much', 'Error: odd']);
  });

  it('a command does not start if the snapshot before it is aborted', async () => {
    const there = place(true);
    const leaving = snapshotBefore({ id: 'a' }, there, fails(new AishError('aborted', 'left')), never);
    await expect(leaving).rejects.toMatchObject({ code: 'aborted' });
    const gone = snapshotBefore({ id: 'a' }, there, fails(new Error('socket')), AbortSignal.abort());
    await expect(gone).rejects.toThrow('socket');
    expect(there.notes).toEqual([]);
  });
});
