import { describe, expect, it } from '@jest/globals';
import { AishError } from '@aish/contracts/problems';
import { engineStatus, toEngineError } from './engine-error.js';

const at = { address: '/run/docker.sock', image: 'aish-sandbox:x', ssh: null };
const answered = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode });
const silent = (code: string) => Object.assign(new Error(code), { code });

describe('errors of the engine', () => {
  it('the error for an unavailable engine says what to do', () => {
    const advice = {
      ENOENT: /Install and start Docker/,
      ECONNREFUSED: /Start Docker/,
      EACCES: /group that owns/,
      ETIMEDOUT: /ETIMEDOUT/,
    };
    for (const [code, words] of Object.entries(advice)) {
      const error = toEngineError(silent(code), at);
      expect([error.code, error.message]).toEqual(['engine_unavailable', expect.stringMatching(words)]);
      expect(error.message).toContain(at.address);
    }
  });

  it('errors that the engine returns are mapped to error codes of aish', () => {
    const codes: readonly [Error, string][] = [
      [answered(404, 'No such image: aish-sandbox:x'), 'image_missing'],
      [answered(500, 'write /x: no space left on device'), 'disk_full'],
      [answered(400, 'bind source path does not exist: /srv/media'), 'mount_missing'],
      [answered(500, 'something else'), 'internal'],
    ];
    for (const [error, code] of codes) expect(toEngineError(error, at).code).toBe(code);
  });

  it('the error for an engine on another machine contains what ssh said', () => {
    const { message } = toEngineError(silent('ECONNRESET'), { ...at, address: 'ssh://nas', ssh: 'connect failed' });
    expect(message).toMatch(/ssh:\/\/nas .*\(connect failed\)/);
  });

  it('engineStatus reads the status of an answer, and errors of aish stay as they are', () => {
    const ours = new AishError('too_many', 'x');
    expect(toEngineError(ours, at)).toBe(ours);
    expect([engineStatus(answered(409, 'x')), engineStatus(new Error('x')), engineStatus(null)]).toEqual([
      409,
      undefined,
      undefined,
    ]);
  });
});
