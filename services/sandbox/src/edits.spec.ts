import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { createLogger, type RunningService } from '@aish/http';
import { Caller, cleanUp, newTestSettings, type TestSettings } from '../testing/sandbox.fixture.js';
import { startSandbox } from './start-sandbox.js';

jest.setTimeout(60_000);

let ground: TestSettings;
let service: RunningService;
let sandbox: Caller;
beforeAll(async () => {
  ground = await newTestSettings();
  service = await startSandbox(ground.config, createLogger('warn', 'sandbox'), { version: '0', handleSignals: false });
  sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
});
afterAll(async () => {
  await service.app.close();
  await cleanUp(ground);
});

const FILE = 'one\ntwo two\n  three = 3;\nfour';

/** Returns the message of `aish-edit`, and the content of FILE afterwards. */
async function edited(old: string, now: string) {
  const workspaceId = randomUUID();
  await sandbox.run(`printf '%s' '${FILE}' > 'a b.txt'; chmod 640 'a b.txt'`, { workspaceId });
  const edit = `aish-edit 'a b.txt' 3<<'OLD' 4<<'NEW'\n${old}\nOLD\n${now}\nNEW`;
  const { stderr, outcome } = await sandbox.run(edit, { workspaceId });
  const { stdout } = await sandbox.run("cat 'a b.txt'; stat -c ' %a' 'a b.txt'", { workspaceId });
  return { code: outcome.exitCode, stderr, text: stdout };
}

it('an edit replaces the only occurrence of its text, and the new text may contain any characters', async () => {
  const { code, text } = await edited('three = 3;\nfour', 'a & b \\n $x `y`\n');
  expect({ code, text }).toEqual({ code: 0, text: 'one\ntwo two\n  a & b \\n $x `y`\n 640\n' });
});

it.each([
  ['stands twice', 'two', /stands 2 times in a b.txt, on the lines 2, 2/],
  ['stands nowhere', 'three = 4;\nfour', /not in a b.txt. The nearest place is line 3 to 4:\n {2}three = 3;\nfour/],
  ['is like nothing there', 'zzz', /nor anything like it/],
  ['is empty', '', /the old text is empty/],
])('an edit whose text %s fails with that reason and leaves the file unchanged', async (_, old, reason) => {
  const { code, stderr, text } = await edited(old, 'x');
  expect(code).toBe(1);
  expect(stderr).toMatch(reason);
  expect(text).toBe(`${FILE} 640\n`);
});
