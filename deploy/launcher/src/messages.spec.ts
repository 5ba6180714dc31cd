import { describe, expect, it } from '@jest/globals';
import { busyBlock, readyBlock } from './messages.js';

const FACTS = {
  url: 'http://127.0.0.1:7717',
  tokenFile: '/home/u/aish/token',
  tokenCommand: null,
  logsDir: '/home/u/aish/logs',
  modelLine: 'No model answers.',
  sandboxLine: null,
  dataFolder: null,
  seconds: 4.25,
};

describe('the message that aish is ready', () => {
  it('the ready message ends with the page, the token and the model', () => {
    const lines = readyBlock(FACTS).split('\n');
    expect(lines.slice(-3)).toEqual([
      '  Open this page   http://127.0.0.1:7717/app/',
      '  Sign in with     the token in /home/u/aish/token   (or, in another terminal in this folder: npx aish)',
      '  Model            No model answers.',
    ]);
    expect(lines[1]).toMatch(/^aish is ready after 4\.3 s\..*Ctrl-C.*logs/);
  });

  it('the ready message of a container says how to read the token from the host', () => {
    const text = readyBlock({ ...FACTS, tokenCommand: 'docker exec 0f1e cat /var/lib/aish/api/token' });
    expect(text).toContain('Sign in with     the token that this prints: docker exec 0f1e cat /var/lib/aish/api/token');
    expect(text).not.toContain('npx');
  });

  it('the ready message names a data folder that clients would not find, and what is missing before commands run', () => {
    const text = readyBlock({
      ...FACTS,
      sandboxLine: 'the image for commands is being built',
      dataFolder: "/home/u/it's here",
    });
    expect(text).toContain(`AISH_DATA='/home/u/it'\\''s here' npx aish)`);
    expect(text).toContain('\nCommands: the image for commands is being built\n');
  });
});

describe('the message that aish is already running', () => {
  it('the busy message names the running launcher, and how to stop it', () => {
    const holder = { pid: 42, startedAt: '2026-11-20T10:00:00.000Z', url: 'http://127.0.0.1:7717' };
    expect(busyBlock('/d', holder)).toMatch(/on \/d: process 42, since 2026-11-20.*at http.*\n.*`kill 42`/);
    expect(busyBlock('/d', null)).toMatch(/already running on \/d/);
  });
});
