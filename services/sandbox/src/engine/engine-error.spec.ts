import { describe, expect, it } from '@jest/globals';
import { AishError } from '@aish/contracts/problems';
import { engineStatus, isNoAnswer, toEngineError } from './engine-error.js';

const at = { socketPath: '/run/docker.sock', image: 'aish-sandbox:x' };
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
      expect(error.message).toContain(at.socketPath);
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

  it('isNoAnswer recognises an engine that did not answer, and engineStatus reads the status of an answer', () => {
    expect([isNoAnswer(silent('EPIPE')), isNoAnswer(answered(500, 'x')), isNoAnswer('x')]).toEqual([
      true,
      false,
      false,
    ]);
    const ours = new AishError('too_many', 'x');
    expect([isNoAnswer(ours), toEngineError(ours, at)]).toEqual([false, ours]);
    expect([engineStatus(answered(409, 'x')), engineStatus(new Error('x')), engineStatus(null)]).toEqual([
      409,
      undefined,
      undefined,
    ]);
  });
});
