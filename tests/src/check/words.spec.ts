import { describe, expect, it } from '@jest/globals';
import { verifies } from '../requirements.js';
import { ALLOWED, findWords, findWordsInRepository, problemsOf } from './words.js';

describe('the check of wording', () => {
  it(verifies('check.words'), () => {
    expect(problemsOf(findWordsInRepository())).toEqual([]);
  });

  it('the check of wording names the file, the line and the word', () => {
    const text = '// Tells whoever asks.\nconst desk = new HostDesk();\n// It stands at the end, and stands alone.\n';
    expect(problemsOf(findWords('a/b.ts', text))).toEqual([
      'a/b.ts:1: say it without "whoever": // Tells whoever asks.',
      'a/b.ts:2: say it without "HostDesk": const desk = new HostDesk();',
      'a/b.ts:3: say it without "stands at": // It stands at the end, and stands alone.',
    ]);
  });

  it('the check of wording allows at most 30 lines, and each of them exists', () => {
    expect(ALLOWED.length).toBeLessThanOrEqual(30);
    const findings = findWordsInRepository();
    const linesOf = ({ file, part }: (typeof ALLOWED)[number]): ReadonlySet<number> =>
      new Set(findings.filter((each) => each.file === file && each.text.includes(part)).map(({ line }) => line));
    expect(ALLOWED.filter((each) => linesOf(each).size !== 1)).toEqual([]);
  });
});
