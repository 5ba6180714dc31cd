import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AishError, PROBLEMS, isAishError, toProblem, type ProblemCode } from './problems.js';
import { Problem } from './problem-document.js';

const CODES = Object.keys(PROBLEMS) as ProblemCode[];
const anyCode = fc.constantFrom(...CODES);

describe('a problem', () => {
  it.each(CODES)('the problem document for %s has its status, title and code', (code) => {
    const problem = toProblem(new AishError(code, 'what happened'), '/v1/goals');
    expect(problem).toEqual({
      type: `urn:aish:problem:${code}`,
      title: PROBLEMS[code].title,
      status: PROBLEMS[code].status,
      code,
      detail: 'what happened',
      instance: '/v1/goals',
    });
    expect(problem.status).toBeGreaterThanOrEqual(400);
    expect(problem.status).toBeLessThan(600);
    expect(code).toMatch(/^[a-z][a-z0-9_]*$/);
  });

  it('every problem code has its own title, which is a sentence', () => {
    const titles = CODES.map((code) => PROBLEMS[code].title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const title of titles) expect(title).toMatch(/^[A-Z].*[^.]$/);
  });

  it('a client reads back the problem that was sent, including its facts', () => {
    const facts = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue());
    fc.assert(
      fc.property(anyCode, fc.string(), facts, (code, detail, given) => {
        const sent: unknown = JSON.parse(JSON.stringify(toProblem(new AishError(code, detail, given))));
        const fields = { code, detail, status: PROBLEMS[code].status };
        expect(Problem.parse(sent)).toMatchObject(JSON.parse(JSON.stringify({ ...given, ...fields })));
      }),
    );
  });

  it('a fact cannot overwrite the code, status or detail of a problem', () => {
    const facts = { code: 'other', status: 200, title: 'fine', type: 'x', detail: 'y' };
    expect(toProblem(new AishError('busy', 'really', facts))).toMatchObject({
      code: 'busy',
      status: 409,
      detail: 'really',
      title: PROBLEMS.busy.title,
    });
  });

  it.each([new Error('password=hunter2'), new TypeError('secret'), 'a string', { message: 'secret' }, null, undefined])(
    'the problem document reveals nothing about an error that is not an AishError: %p',
    (error) => {
      const problem = toProblem(error);
      expect(problem).toMatchObject({ code: 'internal', status: 500 });
      expect(JSON.stringify(problem)).not.toMatch(/hunter2|secret|string/);
    },
  );
});

describe('an AishError', () => {
  it('isAishError recognizes an error by its code', () => {
    const error = new AishError('busy', 'x', {}, { cause: new Error('why') });
    expect(error).toMatchObject({ name: 'AishError', status: 409, cause: { message: 'why' } });
    expect(isAishError(error)).toBe(true);
    expect(isAishError(error, 'locked', 'busy')).toBe(true);
    expect(isAishError(error, 'locked')).toBe(false);
    expect(isAishError({ code: 'busy' }, 'busy')).toBe(false);
  });
});
