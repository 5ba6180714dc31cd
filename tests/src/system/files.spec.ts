import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Session } from '@aish/contracts/chat';
import type { Decision } from '@aish/contracts/decisions';
import { FileList, GoalSnapshotList, Preview } from '@aish/contracts/files';
import { rerunReasonText } from '@aish/contracts/rerun-reason';
import type { Goal } from '@aish/contracts/goals';
import { verifies } from '../requirements.js';
import { aish, type CommandResult } from '../support/aish.command.js';
import { ChatClient, bodiesOf } from '../support/chat.client.js';
import { readEvents } from '../support/event-stream.js';
import { eventually } from '../support/eventually.js';
import { plan, plans } from '../support/plan.js';
import { scriptedStack } from '../support/scripted-stack.js';

/** The command prints a random value. */
const TIDY = 'rm -rf d; cat /proc/sys/kernel/random/uuid';

describe('files of a workspace', () => {
  let folder: string;
  let goal: Goal;

  const running = scriptedStack(
    plans({
      tidy: plan(
        'CMD: mkdir d && printf precious > d/file',
        `CMD: ${TIDY}`,
        'CMD: rm -rf something-else',
        'GOAL: complete',
      ),
      named: plan(
        'CMD: mkdir one two three && touch one/file two/file three/file',
        `CMD: ${TIDY.replace('d;', 'one;')}`,
        `CMD: ${TIDY.replace('d;', 'two;')}`,
        `CMD: ${TIDY.replace('d;', 'three;')}`,
        'GOAL: complete',
      ),
      'in a chat': plan(`CMD: ${TIDY}`),
      write: plan(
        'CMD: mkdir out && printf "from the goal" > out/report.md && ln -s /etc/passwd out/trick',
        'GOAL: complete',
      ),
      odd: plan(
        'CMD: mkdir -p odd/shut && touch odd/shut/in && mkfifo odd/pipe && fallocate -l 3M odd/large && chmod u= odd/shut',
        'GOAL: complete',
      ),
    }),
    { env: { FILES_MAX_MB: '1' } },
  );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aish-files-'));
    goal = await running.stack.client.createGoal('write a report');
    await running.stack.client.until(goal.id, 'done');
  }, 120_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const cli = (args: readonly string[], input?: string): Promise<CommandResult> =>
    aish({ url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') }, args, input);
  const run = (args: readonly string[], input?: string): Promise<CommandResult> => cli(['file', ...args], input);

  it(
    verifies('files.in-and-out', "a goal's file is listed, downloaded and uploaded by the goal's number"),
    async () => {
      const ref = String(goal.number);
      const listed = await run(['list', ref, 'out', '--json']);
      expect(FileList.parse(JSON.parse(listed.stdout)).items).toMatchObject([
        { name: 'report.md', type: 'file', sizeBytes: 13, target: null },
        { name: 'trick', type: 'link', target: '/etc/passwd' },
      ]);
      expect((await run(['list', ref])).stdout).toMatch(/ out\/\n/);
      expect(await run(['pull', ref, 'out/report.md', '-'])).toEqual({ code: 0, stdout: 'from the goal', stderr: '' });
      const local = join(folder, 'report.md');
      expect((await run(['pull', ref, 'out/report.md', local])).code).toBe(0);
      await writeFile(local, `${await readFile(local, 'utf8')}, and more`);
      expect(await run(['push', ref, 'in/report.md', local])).toEqual({ code: 0, stdout: '', stderr: '' });
      expect((await run(['push', ref, 'in/stdin', '-'], 'piped')).code).toBe(0);
      expect((await run(['pull', goal.sessionId, 'in/report.md', '-'])).stdout).toBe('from the goal, and more');
      expect((await run(['pull', ref, 'in/stdin', '-'])).stdout).toBe('piped');
      const tar = join(folder, 'in.tar');
      expect((await run(['pull', ref, 'in', tar, '--tar'])).code).toBe(0);
      expect((await run(['push', ref, 'copy', tar, '--tar'])).code).toBe(0);
      expect((await run(['pull', ref, 'copy/in/stdin', '-'])).stdout).toBe('piped');
    },
    60_000,
  );

  it(
    verifies('files.in-and-out', 'a missing file, a file that is too large and an attack are refused with their codes'),
    async () => {
      const ref = String(goal.number);
      const refusals = [
        [['pull', ref, 'none', '-'], 'file_not_found'],
        [['pull', ref, 'out/trick', '-'], 'path_not_allowed'],
        [['pull', ref, '../etc/passwd', '-'], 'path_not_allowed'],
        [['list', '4242'], 'not_found'],
      ] as const;
      for (const [args, code] of refusals) {
        const { stdout, stderr, code: exit } = await run(args);
        expect([args, exit, stdout, stderr]).toEqual([args, 1, '', expect.stringContaining(`${code}: `)]);
      }
      const large = await run(['push', ref, 'large', '-'], 'x'.repeat(2 ** 20 + 1));
      expect([large.code, large.stderr]).toEqual([1, expect.stringContaining('file_too_large: ')]);
      expect((await run(['push', ref, 'x', join(folder, 'absent')])).code).toBe(2);
      const observer = await running.stack.client.request(
        'PUT',
        `/v1/sessions/${goal.sessionId}/files/file?path=x`,
        '{}',
      );
      expect(observer.status).toBe(415);
    },
    60_000,
  );

  it(
    verifies(
      'files.in-and-out',
      'a tar of a workspace has everything readable and lists the rest, and the command says so',
    ),
    async () => {
      const { id, number, sessionId } = await running.stack.client.createGoal('odd files');
      await running.stack.client.until(id, 'done');
      const tar = join(folder, 'odd.tar');
      const why = 'odd/pipe: it is a pipe\n';
      expect(await run(['pull', String(number), 'odd', tar, '--tar'])).toEqual({
        code: 5,
        stdout: '',
        stderr: `skipped: ${why}`,
      });
      const listed = execFileSync('tar', ['tf', tar], { encoding: 'utf8' });
      expect(listed.split('\n').toSorted().join(' ')).toBe(
        ' ./odd/ ./odd/large ./odd/shut/ ./odd/shut/in aish-skipped.txt',
      );
      const piped = await run(['pull', String(number), 'odd', '-', '--tar']);
      expect([piped.code, piped.stderr]).toEqual([5, `skipped: ${why}`]);
      // The page and other programs receive the tar in this way.
      const answer = await running.stack.client.request('GET', `/v1/sessions/${sessionId}/files/archive?path=odd`);
      expect(await answer.text()).toContain(`"odd/pipe": it is a pipe\n`);
      expect((await run(['pull', String(number), 'odd/shut', join(folder, 'shut.tar'), '--tar'])).code).toBe(0);
      expect((await run(['pull', String(number), 'odd/large', join(folder, 'large')])).code).toBe(0);
    },
    60_000,
  );

  it(`${verifies('undo.preview')}; ${verifies('undo.restores')}`, async () => {
    const tidy = await running.stack.client.createGoal('tidy up');
    const first = await running.stack.client.decisionOf(tidy.id);
    // The command would have a network, but a preview never has one.
    expect((await cli(['set', String(tidy.number), '--network', 'wiki.example.org'])).code).toBe(0);
    expect((await cli(['preview', `d${first.number}`])).stdout).toMatch(
      /^Proceed runs it again, because it will have a network, [^\n]*\nthe preview ran without network, which the command will have, /,
    );
    expect((await cli(['set', String(tidy.number), '--network', 'none'])).code).toBe(0);
    const previewed = await cli(['preview', `d${first.number}`, '--json']);
    const tried = Preview.parse(JSON.parse(previewed.stdout));
    expect(tried).toMatchObject({
      keeps: true,
      removed: { count: 1, sizeBytes: 8, names: ['d/file'] },
      changed: { count: 0 },
      added: { count: 0 },
      exitCode: 0,
    });
    expect((await cli(['preview', `d${first.number}`])).stdout).toMatch(
      new RegExp(
        `^To keep this run: aish decide d${first.number} proceed --preview ${tried.id}\nremoves 1, 8 B\n  d/file\n`,
      ),
    );
    expect((await run(['pull', String(tidy.number), 'd/file', '-'])).stdout).toBe('precious');

    const proceed = ['decide', `d${first.number}`, 'proceed', '--preview', String(tried.id)];
    expect((await cli(proceed)).code).toBe(0);
    const second = await eventually('it halts again', async () => {
      const decision = await running.stack.client.decisionOf(tidy.id);
      return decision.id === first.id ? null : decision;
    });
    const { actions } = await running.stack.client.goal(tidy.id);
    expect(actions.find(({ id }) => id === first.actionId)?.outcome?.output).toBe(tried.output);
    expect((await run(['list', String(tidy.number), 'd'])).code).toBe(1);
    const listed = await cli(['undo', `g${tidy.number}`, '--list', '--json']);
    expect(GoalSnapshotList.parse(JSON.parse(listed.stdout)).items).toContainEqual(
      expect.objectContaining({ actionId: first.actionId, stepNumber: 2, command: TIDY }),
    );
    const alone = await cli(['undo', `${tidy.number}.1`, '--only', '--dry-run']);
    expect(alone.stderr).toBe('It cannot be undone. Later changes to the same files:\n  d\n  d/file\n');
    expect((await cli(['undo', `${tidy.number}.1`, '--only', '--yes'])).stderr).toContain('undo_overlaps: ');
    const preview = await cli(['undo', `${tidy.number}.2`, '--dry-run']);
    expect(preview.stderr).toContain('recreated: 1 file, 8 B\n  d/file\n');
    expect((await run(['list', String(tidy.number), 'd'])).code).toBe(1);
    expect((await cli(['undo', `d${first.number}`])).stderr).toContain('nothing undone');
    expect((await cli(['undo', `d${first.number}`, '--yes'])).code).toBe(0);
    expect((await run(['pull', String(tidy.number), 'd/file', '-'])).stdout).toBe('precious');
    expect((await cli(['undo', String(second.actionId), '--yes'])).stderr).toContain('snapshot_not_found');

    await running.stack.client.decide(second.number, 'skip');
    await running.stack.client.until(tidy.id, 'done');
    const { events } = await readEvents(running.stack.client, tidy.sessionId, ({ events }) =>
      events.some(({ body }) => body.type === 'goal.changed' && body.state === 'done'),
    );
    const of = (type: string) => events.filter(({ body }) => body.type === type).map(({ body }) => body);
    expect(of('action.snapshot')).toMatchObject([{ actionId: first.actionId, reason: null }]);
    expect(of('action.undone')).toMatchObject([{ actionId: first.actionId, command: TIDY }]);
    expect(running.model.requests.some((request) => JSON.stringify(request).includes('action undone by'))).toBe(true);
  }, 90_000);

  it("a person's own command can be undone, and is named in the list of what can be undone", async () => {
    const { client } = running.stack;
    const chat = await client.json(Session, 'POST', '/v1/sessions', {});
    // The stream of the command ends with the command.
    const own = async (command: string): Promise<string> =>
      (await client.request('POST', `/v1/sessions/${chat.id}/commands`, { command })).text();
    await own('mkdir mine && printf precious > mine/file');
    await own('rm -rf mine');
    expect((await run(['list', `c${chat.number}`, 'mine'])).code).toBe(1);
    const listed = await cli(['undo', `c${chat.number}`, '--list', '--json']);
    expect(GoalSnapshotList.parse(JSON.parse(listed.stdout)).items).toMatchObject([
      { stepNumber: null, command: 'rm -rf mine' },
      { stepNumber: null, command: 'mkdir mine && printf precious > mine/file' },
    ]);
    expect((await cli(['undo', '--goal', `c${chat.number}`, '--dry-run'])).stderr).toContain('mine/file');
    expect((await cli(['undo', '--goal', `c${chat.number}`, '--yes'])).code).toBe(0);
    expect((await run(['pull', `c${chat.number}`, 'mine/file', '-'])).stdout).toBe('precious');
    const { events } = await readEvents(client, chat.id, ({ events }) =>
      events.some(({ body }) => body.type === 'action.undone'),
    );
    expect(events.at(-1)?.body).toMatchObject({ step: null, command: 'rm -rf mine', by: 'admin' });
  }, 60_000);

  it(
    verifies('undo.preview', 'a verdict keeps the preview that it names, and other or unwanted previews are dropped'),
    async () => {
      const { client, dir } = running.stack;
      const named = await client.createGoal('remove what is named');
      const seen = new Set<string>();
      const asked = () =>
        eventually('it halts', async () => {
          const decision = await client.decisionOf(named.id);
          return seen.has(decision.id) ? null : decision;
        });
      const decide = ({ id, number }: Decision, ...words: readonly string[]) => {
        seen.add(id);
        return cli(['decide', `d${number}`, ...words]);
      };
      const outputOf = async ({ actionId }: Decision) =>
        (await client.goal(named.id)).actions.find(({ id }) => id === actionId)?.outcome?.output;
      /** Makes one client preview a decision. Then a file changes, and another client previews it again. */
      const previewedTwice = async ({ number }: Decision) => {
        const older = Preview.parse(JSON.parse((await cli(['preview', `d${number}`, '--json'])).stdout));
        expect((await run(['push', String(named.number), 'note', '-'], String(number))).code).toBe(0);
        const newer = await client.json(Preview, 'POST', `/v1/decisions/${number}/preview`);
        expect([older.keeps, newer.keeps, older.id === newer.id]).toEqual([true, true, false]);
        return [older, newer] as const;
      };

      const one = await asked();
      const [shown, other] = await previewedTwice(one);
      expect((await decide(one, 'skip', '--preview', String(shown.id))).stderr).toContain(
        'only proceed can keep the result',
      );
      expect((await decide(one, 'proceed', '--preview', String(shown.id))).code).toBe(0);
      const two = await asked();
      const rerun = await outputOf(one);
      expect(rerun).toContain(`this is not the run that was previewed: ${rerunReasonText('not shown')}\n`);
      for (const { output } of [shown, other]) expect(rerun).not.toContain(output);

      const [, newest] = await previewedTwice(two);
      expect((await decide(two, 'proceed', '--preview', String(newest.id))).code).toBe(0);
      const three = await asked();
      expect(await outputOf(two)).toBe(newest.output);

      // The record of a stashed preview is removed after its layer.
      const aside = join(dir, 'sandbox', 'previews', `${three.actionId}.json`);
      await previewedTwice(three);
      expect(existsSync(aside)).toBe(true);
      expect((await decide(three, 'skip')).code).toBe(0);
      expect(existsSync(aside)).toBe(false);
      await client.until(named.id, 'done');
      expect((await run(['list', String(named.number), 'three'])).code).toBe(0);
    },
    90_000,
  );

  it(
    verifies('undo.preview', 'a verdict in a chat also keeps the preview that it names'),
    async () => {
      const { client } = running.stack;
      const chat = new ChatClient(client);
      const { id } = await chat.create();
      expect((await run(['push', id, 'd/file', '-'], 'precious')).code).toBe(0);
      const exchange = chat.exchange(id, 'tidy up in a chat');
      const { number } = await eventually('it asks', async () =>
        (await client.pendingDecisions()).find(({ sessionId }) => sessionId === id),
      );
      const tried = await client.json(Preview, 'POST', `/v1/decisions/${number}/preview`);
      expect((await cli(['decide', `d${number}`, 'proceed', '--preview', String(tried.id)])).code).toBe(0);
      expect(bodiesOf(await exchange, 'action.finished')).toMatchObject([{ outcome: { output: tried.output } }]);
    },
    60_000,
  );
});
