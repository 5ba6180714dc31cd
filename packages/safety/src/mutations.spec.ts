import { describe, expect, it } from '@jest/globals';
import { array, assert, constantFrom, integer, nat, oneof, property, string, tuple } from 'fast-check';
import { classify } from './classify.js';
import { CORPUS_SETS, labelledCommands } from './testing/corpus.js';
import { MUTATIONS, WHOLE_MUTATIONS, isPlain, isWhole } from './testing/mutations.js';

const destructive = CORPUS_SETS.flatMap((set) => labelledCommands(set))
  .filter(({ cmd, label }) => label === 'destructive' && classify(cmd).verdict === 'destructive')
  .map(({ cmd }) => cmd);
const plain = destructive.filter(isPlain);
const whole = destructive.filter(isWhole);

describe('mutations that keep the meaning', () => {
  it('no mutation that keeps the meaning makes the verdict on a plain command safe', () => {
    const mutation = constantFrom(...MUTATIONS);
    const holds = property(
      constantFrom(...plain),
      array(mutation, { minLength: 1, maxLength: 3 }),
      nat(),
      (command, mutations, seed) => {
        const text = mutations.reduce((now, mutate) => mutate(now, seed), command);
        expect([text, classify(text).verdict]).not.toEqual([text, 'safe']);
      },
    );
    assert(holds, { numRuns: 4_000 });
  });

  it('no mutation that keeps the meaning makes the verdict on a whole text safe', () => {
    const mutation = constantFrom(...WHOLE_MUTATIONS);
    const holds = property(
      constantFrom(...whole),
      array(mutation, { minLength: 1, maxLength: 3 }),
      (command, mutations) => {
        const text = mutations.reduce((now, mutate) => mutate(now, 0), command);
        expect([text, classify(text).verdict]).not.toEqual([text, 'safe']);
      },
    );
    assert(holds, { numRuns: 4_000 });
  });
});

describe('any text', () => {
  it('any text is judged without an error and without a noticeable delay', () => {
    const pieces = constantFrom(
      '$(',
      ')',
      '`',
      '"',
      "'",
      '\\',
      '\n',
      ';',
      '|',
      '&',
      '<<',
      '<<<',
      '>',
      '{',
      '}',
      '((',
      '))',
      '[[',
      'rm ',
      'if ',
      'then ',
      'fi ',
      'for ',
      'do ',
      'done ',
      'case ',
      'esac ',
      'x',
      '$x',
      '${x',
      'eval ',
      'bash -c ',
      'python3 -c ',
      'sudo ',
      'EOF\n',
      '=',
      '\u0000',
      '\uE000',
      'é',
      '😀',
    );
    const texts = oneof(
      string({ maxLength: 2_000, unit: 'binary' }),
      array(pieces, { maxLength: 400 }).map((list) => list.join('')),
      tuple(pieces, integer({ min: 1, max: 20_000 })).map(([piece, times]) => piece.repeat(times).slice(0, 65_536)),
    );
    const holds = property(texts, (text) => {
      const started = performance.now();
      const { verdict, span } = classify(text);
      expect(performance.now() - started).toBeLessThan(5_000);
      expect(['destructive', 'safe', 'unknown']).toContain(verdict);
      expect(span === null || (span[0] >= 0 && span[0] <= span[1] && span[1] <= text.length)).toBe(true);
    });
    assert(holds, { numRuns: 2_000 });
  });
});
