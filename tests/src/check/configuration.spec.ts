import { readFileSync } from 'node:fs';
import { settingsReference } from '@aish/contracts/settings';
import { describe, expect, it } from '@jest/globals';
import { verifies } from '../requirements.js';
import { aish } from '../support/aish.command.js';
import { ROOT } from '../support/service.process.js';

const nowhere = { url: 'http://127.0.0.1:1', tokenFile: '/nonexistent' };

describe('the configuration', () => {
  it(verifies('config.reference'), () => {
    // To fix it, replace the table by the output of `npx aish config show --defaults`.
    expect(readFileSync(`${ROOT}docs/configuration.md`, 'utf8')).toContain(settingsReference());
  });

  it(
    verifies('config.check'),
    async () => {
      const example = await aish(nowhere, ['config', 'show', '--example']);
      expect(await aish(nowhere, ['config', 'check', '-'], example.stdout)).toMatchObject({ code: 0, stdout: '' });
      const wrong = await aish(nowhere, ['config', 'check', '-'], 'RUN_PIDS=two\nRUN_PIDDS=2\n');
      const page = readFileSync(`${ROOT}docs/configuration.md`, 'utf8');
      const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| [^|]+ \| `([^`]+)` \|$/gm)];
      const examples = rows.map(([, name, value]) => `${name}=${value}`);
      expect(examples).toHaveLength(10);
      expect(await aish(nowhere, ['config', 'check', '-'], examples.join('\n'))).toMatchObject({ code: 0, stdout: '' });
      expect(wrong.code).toBe(1);
      expect(wrong.stdout.trim().split('\n')).toEqual([
        'RUN_PIDDS: there is no such setting; did you mean RUN_PIDS?',
        expect.stringMatching(/^RUN_PIDS: /),
      ]);
    },
    60_000,
  );
});
