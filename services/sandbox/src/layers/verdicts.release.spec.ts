import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { RunOutcome } from '@aish/contracts/actions';
import type { Hold, Refusal } from '@aish/contracts/runs';
import { startService, stopService, type Service } from '../../testing/service.fixture.js';
import { cleanUp, newTestSettings, type TestSettings } from '../../testing/sandbox.fixture.js';

jest.setTimeout(150_000);

/** The person's logs, and files that a goal prepared so that later commands look harmless. */
const SETUP = [
  'mkdir logs build; echo a > logs/a.log; echo b > logs/b.log; echo 1 > build/1; ln -s logs tmpbuild',
  'printf "rm -rf logs\\n" > clean.sh; printf "clean:\\n\\trm -rf logs\\n" > GNUmakefile; touch Makefile',
].join('; ');

describe('scope of verdicts', () => {
  let ground: TestSettings;
  let service: Service;
  let workspaceId: string;
  let origin: string;

  beforeAll(async () => {
    ground = await newTestSettings({ SANDBOX_LAYERS: 'on' });
    service = await startService(ground);
  });

  afterAll(async () => {
    await stopService(service, 'SIGTERM');
    await cleanUp(ground);
  });

  beforeEach(async () => {
    [workspaceId, origin] = [randomUUID(), randomUUID()];
    await run(SETUP, { mode: 'note' });
    // The goal must be a different one from the goal that created the files.
    origin = randomUUID();
  });

  async function run(command: string, hold: Omit<Hold, 'origin'>, runId = randomUUID()): Promise<RunOutcome> {
    return (await service.sandbox.run(command, { runId, workspaceId, hold: { origin, ...hold } })).outcome;
  }

  const settle = (runId: string, verdict: 'keep' | 'drop') =>
    service.sandbox.ask('PUT', `/v1/workspaces/${workspaceId}/held/${runId}`, { verdict });
  const deletedBoth = ['logs/a.log', 'logs/b.log'].map((path) => ({ path, how: 'deleted', why: 'deleted' }));

  it.each<[string, readonly string[]]>([
    ['rm -r build && sh ./clean.sh', ['build', 'clean.sh']],
    ['make clean', ['clean']],
    ['cd tmpbuild && rm -rf ./*', ['tmpbuild/*']],
    ['rm -rf tmpbuild/*', ['tmpbuild/*']],
    ['export HOME=/workspace/logs; rm -rf ~/*', []],
  ])('deletions that the approved command `%s` does not name are held', async (command, named) => {
    const runId = randomUUID();
    const { held } = await run(command, { mode: 'note', named: [...named] }, runId);
    expect(held).toMatchObject({ approved: true, items: deletedBoth });
    await settle(runId, 'drop');
    expect((await run('cat logs/*', { mode: 'may' })).output).toBe('a\nb\n');
  });

  it.each<[string, readonly string[]]>([
    ['rm -rf build logs', ['build', 'logs']],
    ['rm logs/*', ['logs/*']],
    ['cd logs && rm ../logs/a.log', ['logs/a.log']],
    ['rm -rf /workspace/logs', ['/workspace/logs']],
  ])('the deletions of the approved command `%s` are not held, because it names them', async (command, named) => {
    expect((await run(command, { mode: 'note', named: [...named] })).held).toBeUndefined();
  });

  it('the approval of a command that changed nothing does not cover another command', async () => {
    expect((await run('rm none', { mode: 'note', named: ['logs'] })).held).toBeUndefined();
    const runId = randomUUID();
    expect((await run('rm -r logs', { mode: 'must' }, runId)).held).toMatchObject({
      approved: false,
      items: deletedBoth,
    });
    await settle(runId, 'drop');
  });

  it('edits after an approved command are compared with the text that this command left', async () => {
    await run('printf "1\\n2\\n3\\n4\\n" > text', { mode: 'note' });
    origin = randomUUID();
    expect((await run('sed -i s/1/one/ text', { mode: 'must' })).held).toBeUndefined();
    expect((await run('sed -i s/[234]/x/ text', { mode: 'note', named: ['text'] })).held).toBeUndefined();
    expect((await run('sed -i s/one/1/ text', { mode: 'must' })).held).toBeUndefined();
  });

  it('relative paths in a command are resolved from the folder in which the command starts', async () => {
    await run('cd logs', { mode: 'note' });
    expect((await run('rm a.log', { mode: 'note', named: ['a.log'] })).held).toBeUndefined();
  });

  it("a commit in a person's repository is not held, but a reset that loses their work is", async () => {
    const git = 'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a; git';
    await run(`mkdir repo; cd repo; ${git} init -q; echo 1 > one; git add .; git commit -qm one`, { mode: 'note' });
    origin = randomUUID();
    const { held, exitCode } = await run(`echo 2 > two; ${git} add .; git commit -qm two; git checkout -qb more`, {
      mode: 'may',
    });
    expect({ held, exitCode }).toEqual({ held: undefined, exitCode: 0 });
    await run('echo 3 > one', { mode: 'note' });
    origin = randomUUID();
    const runId = randomUUID();
    expect((await run(`${git} reset -q --hard HEAD`, { mode: 'may' }, runId)).held?.items).toEqual([
      { path: 'repo/one', how: 'replaced', why: 'replaced', bytes: 2 },
    ]);
    await settle(runId, 'drop');
  });

  it.each([
    'rm -rf logs',
    'mv logs/a.log logs/b.log /tmp/',
    ': > logs/a.log',
    'cp /dev/null logs/a.log',
    'tar cf logs/a.log build',
    'echo x | tee logs/a.log',
    'sort -o logs/a.log /dev/null',
    'echo more >> logs/a.log',
    'chmod 000 logs/a.log',
    "python3 -c \"import os; os.rename('logs/a.log', 'logs/c.log')\"",
  ])('`%s` is held after a refusal, although the goal created the logs itself', async (command) => {
    await run('mkdir own; mv logs own/logs', { mode: 'note' });
    await run('mkdir logs; echo a > logs/a.log; echo b > logs/b.log', { mode: 'must' });
    const paths = ['/workspace/logs/a.log', '/workspace/logs/b.log'];
    const refusals: Refusal[] = [{ step: 3, words: 'do not delete the logs', paths, lifted: [] }];
    const runId = randomUUID();
    const { held } = await run(command, { mode: 'must', refusals }, runId);
    expect(held?.refused).toMatchObject([{ step: 3, words: 'do not delete the logs' }]);
    expect(held?.refused?.[0]?.paths).toContain('logs/a.log');
    await settle(runId, 'drop');
    const lifted = [{ step: 3, words: null, paths, lifted: paths }];
    expect((await run(command, { mode: 'must', refusals: lifted })).held).toBeUndefined();
  });
});
