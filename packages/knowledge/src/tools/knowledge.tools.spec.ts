import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ScratchBase } from '../testing/scratch-base.js';
import { KNOWLEDGE_TOOLS, KnowledgeTools } from './knowledge.tools.js';

const SIGNAL = new AbortController().signal;
const CONTEXT = { sessionId: 's', owner: 'emacs-app', goalId: null };
let scratch: ScratchBase;
let tools: KnowledgeTools;

beforeEach(async () => {
  scratch = await ScratchBase.make();
  const { base } = scratch;
  tools = new KnowledgeTools(
    {
      query: (query, { scope }, signal) => base.query(query, scope, signal),
      read: (id, { scope }, signal) => base.read(id, scope, signal),
      remember: (input, caller, signal) => base.remember(input, caller, signal),
      lint: (_, signal) => base.lint(signal),
    },
    ({ owner }) => Promise.resolve({ name: owner, scope: ['emacs'] }),
  );
});
afterEach(() => scratch.remove());

const call = (name: string, args: unknown) =>
  tools.call({ id: '1', name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }, CONTEXT, SIGNAL);

describe('the tools of the knowledge base', () => {
  it('the knowledge tools write, find and read in the projects of the caller', async () => {
    const written = await call('kb_remember', { title: 'Use straight.el', summary: 'Reproducible packages.' });
    const id = /[0-9a-f-]{36}/.exec(written.text)?.[0] ?? '';
    await scratch.base.remember({ title: 'Use of another', projects: ['deepsat'] }, { name: 'me', scope: null });
    const found = await call('kb_query', { text: 'use' });
    expect(found.text).toMatch(
      /^- Use straight\.el \([0-9a-f-]{36}\) \[emacs; active; \d{4}-\d\d-\d\d\]: Reproducible packages\.$/,
    );
    expect((await call('kb_read', { id })).text).toContain(':CREATED_BY:   emacs-app');
    expect((await call('kb_lint', '')).text).toMatch(/^Nothing fatal, 2 nodes\./);
  });

  it('the knowledge tools return the reason for a failure, so that the model can correct its call', async () => {
    const broken = await call('kb_remember', { title: 'Broken', body: '#+begin_src sh\nls' });
    expect([broken.isError, broken.text]).toEqual([true, expect.stringMatching(/knowledge_lint[\s\S]*- org-invalid/)]);
    expect(await call('kb_remember', { title: 'x', projects: ['deepsat'] })).toMatchObject({
      isError: true,
      text: expect.stringContaining('forbidden'),
    });
    expect(await call('kb_read', '{"id":')).toMatchObject({
      isError: true,
      text: 'invalid_body: The arguments are not JSON',
    });
    expect(scratch.status()).toBe('');
  });

  it('the knowledge tools are sorted by name', () => {
    const names = KNOWLEDGE_TOOLS.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
  });
});
