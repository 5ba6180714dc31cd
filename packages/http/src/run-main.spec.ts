import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import type { Telemetry } from '@aish/telemetry';
import { metricsFor } from './run-main.js';

/** Runs a separate main, as a service does. The package must be built for this. */
function main(start: string, env: Readonly<Record<string, string>> = {}) {
  const code = `
    import { z } from 'zod';
    import { runMain } from '@aish/http';
    const Config = z.object({ LOG_LEVEL: z.enum(['info', 'warn']).default('info'), A_TOKEN: z.string().min(4) });
    await runMain('specimen', Config, async ({ config, logger, telemetry }) => { ${start} });`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: new URL('..', import.meta.url),
    env: { PATH: process.env['PATH'] ?? '', A_TOKEN: 'secret-token', ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('the main function of a service', () => {
  it('the main function starts the service with its settings, and logs them without secrets', () => {
    const { status, stdout, stderr } = main(`process.stderr.write(config.A_TOKEN + typeof telemetry.prometheus)`);
    expect([status, stderr]).toEqual([0, 'secret-tokenfunction']);
    const [line = ''] = stdout.split('\n');
    expect(JSON.parse(line)).toMatchObject({ name: 'specimen', msg: 'configuration' });
    expect(line).not.toContain('secret-token');
  });

  it('the main function exits with 1 and one sentence for an error that people can fix', () => {
    const faulty = main('', { A_TOKEN: 'x', LOG_LEVEL: 'loud' });
    expect(faulty.status).toBe(1);
    expect(faulty.stderr).toMatch(/^specimen: The configuration is not valid:\n {2}\S+: .*\n {2}\S+: .*\n$/);
    const taken = main(`throw Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' })`);
    expect([taken.status, taken.stderr]).toEqual([1, 'specimen: listen EADDRINUSE\n']);
  });

  it('the main function exits with 1 and the stack for an unexpected error', () => {
    const { status, stderr } = main(`null.x`);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^specimen: TypeError: .*\n {4}at /)]);
  });
});

describe('the metrics of a service', () => {
  const telemetry: Telemetry = { prometheus: () => Promise.resolve('up 1'), shutdown: () => Promise.resolve() };

  it('metrics are off if no token is set, and otherwise need that token', async () => {
    expect(metricsFor(telemetry, { LOG_LEVEL: 'info' })).toBeUndefined();
    const source = metricsFor(telemetry, { LOG_LEVEL: 'info', METRICS_TOKEN: 'a-metrics-token-of-some-length' });
    expect(await source?.mayRead('Bearer a-metrics-token-of-some-length')).toBe(true);
    for (const wrong of [undefined, 'Bearer other', 'a-metrics-token-of-some-length'])
      expect(await source?.mayRead(wrong)).toBe(false);
    expect(await source?.prometheus()).toBe('up 1');
  });
});
