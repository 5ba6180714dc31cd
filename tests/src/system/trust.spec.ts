import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Goal } from '@aish/contracts/goals';
import { verifies } from '../requirements.js';
import { aish } from '../support/aish.command.js';
import { plan, plans } from '../support/plan.js';
import { scriptedStack } from '../support/scripted-stack.js';

const COPIES = 'CMD: mkdir copies && printf precious > copies/one && printf more > copies/two';

describe('a goal that is trusted with what can be taken back', () => {
  const script = plans({
    tidy: plan(COPIES, 'CMD: rm -rf copies', 'CMD: ls', 'GOAL: complete'),
    further: plan('CMD: touch a', 'CMD: rm a; curl -X DELETE http://nas.example.org/x', 'CMD: rm a', 'GOAL: complete'),
  });
  const running = scriptedStack(script, { env: { SANDBOX_LAYERS: 'on' } });
  const capped = scriptedStack(script, { env: { SANDBOX_LAYERS: 'on', TRUST_MAX: 'ask' } });

  const cli = (args: readonly string[], { stack } = running) =>
    aish({ url: stack.client.url, tokenFile: join(stack.dir, 'token') }, args);
  async function give(...args: readonly string[]): Promise<Goal> {
    const given = await cli(['norris', '--json', ...args]);
    return Goal.parse(JSON.parse(given.stdout));
  }

  it(
    verifies('trust.undoable', 'what it deletes is gone without a question, is told, and comes back'),
    async () => {
      const { client } = running.stack;
      const { id, number } = await give('--trust', 'undoable', 'tidy up the copies');
      const goal = await client.until(id, 'done');
      expect([goal.trust, goal.decisions]).toEqual(['undoable', []]);
      expect(goal.actions[1]).toMatchObject({
        classification: { verdict: 'destructive', held: true },
        outcome: { effects: { deleted: { files: 2, bytes: 12, paths: ['copies/one', 'copies/two'] } } },
      });
      expect(goal.actions[2]?.outcome?.output).toBe('');
      expect((await cli(['show', String(number)])).stdout).toContain('trust undoable');
      expect(await cli(['undo', `g${number}.2`, '--yes'])).toMatchObject({ code: 0 });
      expect((await cli(['files', 'pull', String(number), 'copies/one', '-'])).stdout).toBe('precious');
    },
    60_000,
  );

  it(
    verifies('undo.all'),
    async () => {
      const { client } = running.stack;
      const watched = await cli(['norris', '--trust', 'undoable', '--watch', 'tidy up again']);
      const told = /its commands in all: \+2 −2 files, 12 B gone\n +− copies\/one\n +− copies\/two\n/;
      expect(watched.stdout).toMatch(told);
      const number = Number(/goal (\d+)/.exec(watched.stdout)?.[1]);
      const goal = await client.goal(number);
      expect(goal.effects).toMatchObject({ created: { files: 2 }, deleted: { files: 2, bytes: 12 } });
      const shown = (await cli(['show', String(number)])).stdout;
      expect(shown).toMatch(told);
      expect(shown).toContain(`aish undo g${number}`);
      expect(await cli(['undo', `g${number}.2`, '--yes'])).toMatchObject({ code: 0 });

      const foretold = await cli(['undo', `g${number}`, '--dry-run']);
      expect(foretold.stderr).toContain('Back to before step 1, the first that can be taken back: mkdir copies');
      expect(foretold.stderr).toContain('lost: 2 files, 12 B\n  copies/one\n  copies/two\n');
      expect((await cli(['files', 'ls', String(number)])).stdout).toContain('copies/');
      expect(await cli(['undo', `g${number}`, '--yes'])).toMatchObject({ code: 0 });
      expect((await cli(['files', 'ls', String(number)])).stdout).toBe('');
      expect((await cli(['undo', `g${number}`, '--yes'])).stderr).toContain('snapshot_not_found: ');
    },
    60_000,
  );

  it(verifies('trust.undoable', 'asked about is what leaves the workspace, or may'), async () => {
    const { client } = running.stack;
    const further = await give('--trust', 'undoable', 'further than files');
    expect(await client.decisionOf(further.id)).toMatchObject({ action: expect.stringContaining('curl') });
    // What it does cannot be taken back any more, all of it.
    expect((await cli(['sandbox', 'network', String(further.number), 'wiki.example.org'])).code).toBe(0);
    await client.decide((await client.decisionOf(further.id)).number, 'skip');
    expect(await client.decisionOf(further.id)).toMatchObject({ action: 'rm a' });
    const asked = await give('tidy up, and ask');
    expect(await client.decisionOf(asked.id)).toMatchObject({ action: 'rm -rf copies' });
  });

  it(verifies('trust.ceiling'), async () => {
    const refused = await cli(['norris', '--trust', 'undoable', 'tidy up'], capped);
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('trust_not_allowed: ') });
    expect(refused.stderr).toContain('TRUST_MAX');
    const scheduled = await cli(['norris', '--trust', 'undoable', '--every', '0 3 * * *', 'tidy up'], capped);
    expect(scheduled.stderr).toContain('trust_not_allowed: ');
  });
});
