import { describe, expect, it } from '@jest/globals';
import { busyBlock, readyBlock } from './messages.js';

describe('readyBlock', () => {
  it('says where everything is and what to do next', () => {
    const text = readyBlock({
      url: 'http://127.0.0.1:7717',
      tokenFile: '/home/u/aish/token',
      logsDir: '/home/u/aish/logs',
      modelLines: ['No model answers at http://127.0.0.1:8080; playing the rehearsal model.', 'Start llama-server.'],
      sandboxLine: 'their image is being built',
      dataFolder: "/home/u/it's here",
      seconds: 4.25,
    });
    expect(text).toContain('  URL       http://127.0.0.1:7717\n');
    expect(text).toContain('  model     No model answers');
    expect(text).toContain('            Start llama-server.\n');
    expect(text).toContain(`  AISH_DATA='/home/u/it'\\''s here' npx aish norris "find the three`);
  });
});

describe('busyBlock', () => {
  it('names the one that runs, and how to stop it', () => {
    const holder = { pid: 42, startedAt: '2026-11-20T10:00:00.000Z', url: 'http://127.0.0.1:7717' };
    expect(busyBlock('/d', holder)).toMatch(/on \/d: process 42, since 2026-11-20.*at http.*\n.*`kill 42`/);
    expect(busyBlock('/d', null)).toMatch(/runs already on \/d/);
  });
});
