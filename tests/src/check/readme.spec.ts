import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rehearsalScript, startScriptedModel, type ScriptedModel } from '@aish/rehearsal';
import { REQUIREMENTS, type RequirementId } from '../requirements.js';
import { closeAll } from '../support/close-all.js';
import { ROOT } from '../support/service.process.js';
import { Stack } from '../support/stack.js';

/** Commands of the README that other tests run, by how they begin. */
const RUN_ELSEWHERE: Readonly<Record<string, RequirementId>> = {
  'npm ci && npm start': 'launcher.start',
  'npm ci && npm test': 'check.bites',
  'docker compose up -d --build --wait': 'main-job.compose',
  'docker compose exec api aish norris': 'main-job.compose',
  'docker compose exec -T api cat /var/lib/aish/token': 'main-job.compose',
  'docker compose up -d --scale norris-worker=2': 'main-job.compose',
  'npm run build': 'check.bites',
  'npm run check': 'check.bites',
  'npm run --silent sbom': 'supply.pinned',
  'curl -s -H "Authorization: Bearer $(cat token)" http://127.0.0.1:7717/openapi.json': 'docs.api-reference',
};
const PAGES = ['README.md', 'docs/operate.md', 'docs/contributing.md', 'docs/security.md', 'docs/api.md'];

const commands = PAGES.map((page) => readFileSync(`${ROOT}${page}`, 'utf8'))
  .join('\n')
  .replaceAll(/^```[\s\S]*?^```$/gm, '')
  .split('\n')
  .flatMap((line) => /^ {4}(\S.*)$/.exec(line)?.[1] ?? [])
  .map((line) => line.replace(/\s+#.*$/, ''));
const ours = commands.filter((command) => command.startsWith('npx aish'));

describe('the commands of README, operate, contributing and api', () => {
  let model: ScriptedModel;
  let stack: Stack;

  beforeAll(async () => {
    model = await startScriptedModel({ script: rehearsalScript, tokensPerSecond: 5_000 });
    stack = await Stack.start({ modelUrl: model.url });
    // The numbers that its examples use.
    for (let n = 1; n <= 4; n += 1) await stack.client.createGoal(`look around ${n}`);
    for (const { id } of (
      (await (await stack.client.request('GET', '/v1/goals')).json()) as { items: { id: string }[] }
    ).items) {
      await stack.client.decisionOf(id);
    }
  }, 120_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => model?.close(),
      ),
    60_000,
  );

  it('has commands, and each of another kind is run by a test', () => {
    expect(ours.length).toBeGreaterThan(5);
    for (const command of commands.filter((other) => !ours.includes(other))) {
      const id = Object.entries(RUN_ELSEWHERE).find(([start]) => command.startsWith(start))?.[1];
      expect([command, id === undefined ? undefined : REQUIREMENTS[id]]).toEqual([command, expect.any(String)]);
    }
  });

  it.each(ours.filter((command) => command !== 'npx aish'))(
    '%s',
    async (command) => {
      const { status, stderr } = await runInShell(
        command.replace('npx aish', `${process.execPath} ${ROOT}clients/tui/bin/aish.mjs`),
        {
          cwd: stack.dir, // where a file `token` lies, as the README has it
          env: {
            PATH: process.env['PATH'] ?? '',
            HOME: stack.dir,
            AISH_URL: stack.client.url,
            AISH_TOKEN_FILE: join(stack.dir, 'token'),
          },
        },
      );
      // 6: the goal halts and there is nobody to ask, as the README says.
      expect([stderr.replace(/^.*aish decide.*$/m, '').trim(), status]).toEqual([
        '',
        command.includes('--watch') ? 6 : 0,
      ]);
    },
    90_000,
  );
});

function runInShell(
  command: string,
  options: { cwd: string; env: Record<string, string> },
): Promise<{ status: number | string; stderr: string }> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { ...options, timeout: 60_000 }, (error, _stdout, stderr) => {
      resolve({ status: error === null ? 0 : (error.code ?? String(error.signal)), stderr });
    });
  });
}
