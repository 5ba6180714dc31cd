import { describe, expect, it } from '@jest/globals';
import { PinoNestLogger, createLogger } from './logger.js';

function capture() {
  const lines: string[] = [];
  const logger = createLogger('trace', 'spec', { write: (line: string) => void lines.push(line) });
  return { logger, lines, entries: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('createLogger', () => {
  it('the logger writes JSON lines and never a credential', () => {
    const { logger, lines, entries } = capture();
    logger.info(
      { token: 'hidden-1', request: { authorization: 'hidden-2' }, headers: { authorization: 'hidden-3' } },
      'hello',
    );
    logger.info({ req: { headers: { authorization: 'hidden-4', cookie: 'hidden-5' } }, password: 'hidden-6' });
    expect(entries()[0]).toMatchObject({ name: 'spec', msg: 'hello', token: '[redacted]' });
    expect(lines.join('')).not.toContain('hidden');
  });
});

describe('PinoNestLogger', () => {
  it('the logger keeps the context and the stack that Nest passes after the message', () => {
    const { logger, entries } = capture();
    const nest = new PinoNestLogger(logger);
    nest.warn('careful', 'Router');
    nest.error('broken', 'Error: broken\n    at somewhere', 'Injector');
    nest.error(new Error('thrown'), 'Injector');
    nest.error('no context', 'Error: x\n    at somewhere');
    expect(entries()).toMatchObject([
      { level: 40, msg: 'careful', context: 'Router' },
      { level: 50, msg: 'broken', context: 'Injector', stack: expect.stringContaining('at somewhere') },
      { level: 50, msg: 'thrown', context: 'Injector', err: { message: 'thrown' } },
      { level: 50, msg: 'no context', stack: expect.stringContaining('at somewhere') },
    ]);
    expect(entries()[3]).not.toHaveProperty('context');
  });
});
