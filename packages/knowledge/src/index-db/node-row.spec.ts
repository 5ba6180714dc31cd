import { describe, expect, it } from '@jest/globals';
import { passagesOf } from './node-row.js';

describe('parts of a node', () => {
  it('the parts of a node are the summary and the body by headlines, limited in size, without repetition', () => {
    const body = `Intro.\n#+begin_src sh\nls\n#+end_src\n* One :tag:\n${Array.from({ length: 200 }, (_, n) => `line ${n} of it\n`).join('')}** Empty\n** Empty\n* Last\nend`;
    const parts = passagesOf({ title: 'T', summary: 'S', body });
    expect(parts.map(({ title }) => title)).toEqual(['T', 'T', 'T: One', 'T: One', 'T: Empty', 'T: Last']);
    expect(Math.max(...parts.map(({ content }) => content.length))).toBeLessThan(1_600);
    expect(parts.at(-1)).toEqual({ title: 'T: Last', content: 'end' });
    expect(passagesOf({ title: 'T', summary: '', body: '' })).toEqual([{ title: 'T', content: '' }]);
    expect(passagesOf({ title: 'T', summary: '', body: '* A headline\n\ntext\n\n'.repeat(9_000) })).toHaveLength(2);
    const long = Array.from({ length: 90 }, (_, n) => `* H${n}\nt`).join('\n');
    expect(passagesOf({ title: 'T', summary: '', body: long })).toHaveLength(40);
  });
});
