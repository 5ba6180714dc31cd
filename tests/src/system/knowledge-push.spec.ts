import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KnowledgeWrite } from '@aish/contracts/knowledge';
import { SilentRemote } from '@aish/knowledge/testing';
import { verifies } from '../requirements.js';
import { aish, startAish } from '../support/aish.command.js';
import { closeAll } from '../support/close-all.js';
import { Stack } from '../support/stack.js';

/** A write stops waiting for the remote after about a second. */
const PROMPT_MS = 15_000;

describe('a push that hangs', () => {
  let root: string;
  let silent: SilentRemote;
  let stack: Stack;
  const at = (name: string) => join(root, name);
  const git = (name: string, ...args: string[]) => execFileSync('git', args, { cwd: at(name), encoding: 'utf8' });

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'aish-push-'));
    silent = await SilentRemote.start();
    const env = { KNOWLEDGE_DIR: at('kb'), KNOWLEDGE_PUSH_EVERY_MS: '1000' };
    stack = await Stack.start({ modelUrl: 'http://127.0.0.1:9', workers: 0, env });
  }, 120_000);
  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => silent?.stop(),
        () => rm(root, { recursive: true, force: true }),
      ),
    60_000,
  );

  it(
    verifies('knowledge.push-hangs', 'a hanging push on the server blocks no caller'),
    async () => {
      git('kb', 'remote', 'add', 'origin', silent.url);
      const write = (title: string) => stack.client.json(KnowledgeWrite, 'POST', '/v1/knowledge/nodes', { title });
      await write('Ahead');
      // Either the push of the timer runs or this one, never both at the same time.
      const pushing = stack.client.request('POST', '/v1/knowledge/push').catch(() => null);
      await silent.reached();
      const began = performance.now();
      const commits = [];
      for (let n = 0; n < 8; n += 1) commits.push((await write(`Node ${n}`)).commit ?? '');
      expect(performance.now() - began).toBeLessThan(PROMPT_MS);
      expect(git('kb', 'log', '-8', '--reverse', '--format=%H').trim().split('\n')).toEqual(commits);
      // No process of the push is left when the service stops.
      await stack.api.kill('SIGTERM');
      await pushing;
      await silent.left();
      await stack.api.start();
    },
    120_000,
  );

  it(
    verifies('knowledge.push-hangs', 'a hanging push in a clone blocks no write'),
    async () => {
      const alone = (...args: string[]) =>
        aish({ url: 'http://127.0.0.1:9', tokenFile: '/nowhere' }, ['kb', ...args, '--repo', at('clone')]);
      expect(await alone('init')).toMatchObject({ code: 0 });
      const own = await SilentRemote.start();
      git('clone', 'remote', 'add', 'origin', own.url);
      const pushing = startAish(null, ['kb', 'push', '--unattended', '--repo', at('clone')]);
      try {
        await own.reached();
        const began = performance.now();
        expect(await alone('remember', 'Written during the push')).toMatchObject({ code: 0 });
        expect(performance.now() - began).toBeLessThan(PROMPT_MS);
        // The timer's next push does not pile up behind the first.
        expect(await alone('push', '--unattended')).toMatchObject({
          code: 1,
          stdout: expect.stringMatching(/^waiting: another push/),
        });
      } finally {
        pushing.kill();
        await own.stop();
      }
    },
    120_000,
  );
});
