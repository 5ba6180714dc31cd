import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SessionList } from '@aish/contracts/chat';
import { DecisionList } from '@aish/contracts/decisions';
import { Goal } from '@aish/contracts/goals';
import { verifies } from '../../requirements.js';
import { aish } from '../../support/aish.command.js';
import { eventually } from '../../support/eventually.js';
import { plan, plans } from '../../support/plan.js';
import { scriptedStack } from '../../support/scripted-stack.js';

const COPIES = 'CMD: mkdir copies && printf precious > copies/one && printf more > copies/two';

describe('goals with trust undoable', () => {
  const script = plans({
    tidy: plan(COPIES, 'CMD: rm -rf copies', 'CMD: ls', 'GOAL: complete'),
    sort: plan('CMD: mkdir a && echo 1 > a/one', 'CMD: mv a b', 'CMD: rm -r b', 'All is sorted.'),
    again: plan('CMD: mkdir -p a', 'CMD: mkdir -p a', 'Made.'),
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
    verifies(
      'trust.undoable',
      'a trusted goal deletes files without a question, reports it, and the files can be restored',
    ),
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
      expect((await cli(['file', 'pull', String(number), 'copies/one', '-'])).stdout).toBe('precious');
    },
    60_000,
  );

  it(
    verifies('undo.all'),
    async () => {
      const { client } = running.stack;
      const watched = await cli(['norris', '--trust', 'undoable', '--watch', 'tidy up again']);
      const totals = /total changes: \+2 −2 files, 12 B gone\n +− copies\/one\n +− copies\/two\n/;
      expect(watched.stdout).toMatch(totals);
      const number = Number(/goal (\d+)/.exec(watched.stdout)?.[1]);
      const goal = await client.goal(number);
      expect(goal.effects).toMatchObject({ created: { files: 2 }, deleted: { files: 2, bytes: 12 } });
      const shown = (await cli(['show', String(number)])).stdout;
      expect(shown).toMatch(totals);
      expect(shown).toContain(`aish undo g${number}`);
      expect(await cli(['undo', `g${number}.2`, '--yes'])).toMatchObject({ code: 0 });

      const preview = await cli(['undo', `g${number}`, '--dry-run']);
      expect(preview.stderr).toContain('Undoing everything from step 1 on, the first that can be undone: mkdir copies');
      expect(preview.stderr).toContain('lost: 2 files, 12 B\n  copies/one\n  copies/two\n');
      expect((await cli(['file', 'list', String(number)])).stdout).toContain('copies/');
      expect(await cli(['undo', `g${number}`, '--yes'])).toMatchObject({ code: 0 });
      expect((await cli(['file', 'list', String(number)])).stdout).toBe('');
      expect((await cli(['undo', `g${number}`, '--yes'])).stderr).toContain('snapshot_not_found: ');
    },
    60_000,
  );

  it(
    verifies('trust.undoable', 'a trusted goal still asks about commands that leave the workspace, or may leave it'),
    async () => {
      const { client } = running.stack;
      const further = await give('--trust', 'undoable', 'further than files');
      expect(await client.decisionOf(further.id)).toMatchObject({ action: expect.stringContaining('curl') });
      // The commands of this goal can no longer be undone completely.
      expect((await cli(['set', String(further.number), '--network', 'wiki.example.org'])).code).toBe(0);
      await client.decide((await client.decisionOf(further.id)).number, 'skip');
      expect(await client.decisionOf(further.id)).toMatchObject({ action: 'rm a' });
      const asked = await give('tidy up, and ask');
      expect(await client.decisionOf(asked.id)).toMatchObject({ action: 'rm -rf copies' });
    },
  );

  it(verifies('trust.chat'), async () => {
    const asked = await cli(['ask', '--trust', 'undoable', 'sort my notes']);
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('All is sorted.') });
    const [chat] = (await running.stack.client.json(SessionList, 'GET', '/v1/sessions?kind=chat')).items;
    expect(chat).toMatchObject({ trust: 'undoable', autoContinue: false });
    expect((await cli(['file', 'list', `c${chat?.number}`])).stdout).toBe('');
    expect((await cli(['set', `c${chat?.number}`, '--trust', 'ask'])).stdout).toBe(`c${chat?.number}: trust ask\n`);
    expect((await cli(['ask', '--trust', 'undoable', 'sort'], capped)).stderr).toContain('trust_not_allowed: ');
  });

  it(verifies('trust.chat', 'a grant given at a question lasts until it is removed'), async () => {
    const { client } = running.stack;
    await cli(['ask', '--continue', 'again and again']);
    const question = await eventually('a question', async () =>
      (await client.json(DecisionList, 'GET', '/v1/decisions')).items.find(({ action }) => action === 'mkdir -p a'),
    );
    expect(await cli(['decide', `d${question.number}`, 'proceed', '--grant', 'command'])).toMatchObject({ code: 0 });
    const listed = await eventually('what was granted is used', async () => {
      const [chat] = (await client.json(SessionList, 'GET', '/v1/sessions?kind=chat')).items;
      const { stdout } = await cli(['grant', 'list', `c${chat?.number}`]);
      return chat?.state === 'idle' && stdout.includes('used once') && { stdout };
    });
    const [chat] = (await client.json(SessionList, 'GET', '/v1/sessions?kind=chat')).items;
    expect(listed.stdout).toMatch(/command +mkdir -p a +by admin .*used once/);
    const [grant = ''] = listed.stdout.split(' ');
    expect(await cli(['grant', 'remove', `c${chat?.number}`, grant])).toMatchObject({ code: 0 });
    expect((await cli(['grant', 'list', `c${chat?.number}`])).stdout).toContain('removed by admin');
  });

  it(verifies('trust.ceiling'), async () => {
    const refused = await cli(['norris', '--trust', 'undoable', 'tidy up'], capped);
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('trust_not_allowed: ') });
    expect(refused.stderr).toContain('TRUST_MAX');
    const scheduled = await cli(['norris', '--trust', 'undoable', '--every', '0 3 * * *', 'tidy up'], capped);
    expect(scheduled.stderr).toContain('trust_not_allowed: ');
  });
});
