import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../requirements.js';
import { aish } from '../support/aish.command.js';
import { plan } from '../support/plan.js';
import { scriptedStack } from '../support/scripted-stack.js';

describe('the configuration in files', () => {
  const running = scriptedStack(plan('GOAL: complete'));
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'aish-config-files-'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  const run = (args: readonly string[], input?: string) =>
    aish({ url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') }, args, input);

  it(
    verifies('config.files'),
    async () => {
      await running.stack.client.request('PATCH', '/v1/spaces/media', { instructions: 'Be careful.' });
      expect((await run(['config', 'export', dir])).code).toBe(0);
      expect(await readFile(join(dir, 'spaces.yaml'), 'utf8')).toContain('media:\n  instructions: Be careful.\n');
      expect((await run(['config', 'apply', '--dry-run', dir])).code).toBe(0);

      await writeFile(
        join(dir, 'spaces.yaml'),
        'media:\n  instructions: Be quick.\nlab:\n  secrets: [GRAFANA_TOKEN]\n',
      );
      const differs = await run(['config', 'apply', '--dry-run', dir]);
      expect([differs.code, differs.stderr]).toEqual([2, expect.stringContaining('spaces.yaml, line 4')]);
      await writeFile(join(dir, 'secrets.yaml'), 'GRAFANA_TOKEN:\n  targets: [{ host: grafana.lan }]\n');
      expect((await run(['config', 'apply', '--dry-run', dir])).stdout).toContain('"Be careful." → "Be quick."');

      expect((await run(['config', 'apply', dir], 'n\n')).stderr).toContain('Nothing has changed.');
      expect((await run(['config', 'apply', '--dry-run', dir])).code).toBe(1);
      expect((await run(['config', 'apply', dir, '--yes'], 'glsa_not-a-real-token\n')).stdout).toContain('Applied 3');
      expect((await run(['config', 'apply', '--dry-run', dir])).stderr).toContain(
        'The files and the server are the same.',
      );
      expect((await run(['secret', 'list'])).stdout).toContain('GRAFANA_TOKEN');
    },
    120_000,
  );
});
