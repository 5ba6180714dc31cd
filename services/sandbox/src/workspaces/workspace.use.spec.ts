import { describe, expect, it } from '@jest/globals';
import { WorkspaceUse } from './workspace.use.js';

describe('WorkspaceUse', () => {
  it('a workspace is in use until its last command has ended', () => {
    const use = new WorkspaceUse();
    const [first, second] = [use.enter('a'), use.enter('a')];
    expect([use.isUsed('a'), use.isUsed('b')]).toEqual([true, false]);
    first();
    expect(use.isUsed('a')).toBe(true);
    second();
    expect(use.isUsed('a')).toBe(false);
  });

  it('a hold on a workspace delays later commands, and is refused while a command uses the workspace', async () => {
    const use = new WorkspaceUse();
    const leave = use.enter('a');
    expect(use.hold('a')).toBeNull();
    leave();
    const free = use.hold('a');
    const order: string[] = [];
    const waiting = use.free('a').then(() => order.push('free'));
    await use.free('b').then(() => order.push('other'));
    free?.();
    await waiting;
    expect(order).toEqual(['other', 'free']);
    await use.free('a');
  });
});
