import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KnowledgeQuery } from '@aish/contracts/knowledge';
import { ScratchBase } from '../testing/scratch-base.js';

const ME = { name: 'craig', scope: null };
const TITLE = 'What runs where';

describe('a page with a part that aish maintains', () => {
  let scratch: ScratchBase;
  beforeEach(async () => {
    scratch = await ScratchBase.make({ hasRemote: true });
  });
  afterEach(() => scratch.remove());

  const keep = (...lines: readonly string[]) =>
    scratch.base.keep({ title: TITLE, summary: 'Hosts.', lines: () => Promise.resolve(lines) });
  const page = async () => {
    const { items } = await scratch.base.query(KnowledgeQuery.parse({ text: TITLE }), null);
    const [hit] = items;
    if (hit === undefined) throw new Error('there is no page');
    return { id: hit.id, path: hit.path };
  };
  const text = async () => readFileSync(join(scratch.dir, (await page()).path), 'utf8');
  /** Returns the text from the first mark on. */
  const body = async () => {
    const [, ...rest] = (await text()).split('\n# aish begins');
    return rest.join('\n# aish begins').split('\n').slice(1).join('\n');
  };
  const byHand = async (change: (before: string) => string) =>
    scratch.commitByHand({ [(await page()).path]: change(await text()) });
  const commits = () => Number(scratch.git('rev-list', '--count', 'HEAD'));

  it('a kept page passes the lint, and gets a commit only when its lines change', async () => {
    expect((await keep()).commit).toBeNull();
    await keep('- nas', '  - grafana');
    expect(await body()).toBe('- nas\n  - grafana\n# aish ends\n');
    expect((await scratch.base.lint()).findings).toEqual([]);
    const before = commits();
    expect((await keep('- nas', '  - grafana')).commit).toBeNull();
    expect([commits(), scratch.status()]).toEqual([before, '']);
    await keep('- nas');
    expect([commits(), await body()]).toEqual([before + 1, '- nas\n# aish ends\n']);
  });

  it('aish does not change the text that a person wrote above and below its part of a page', async () => {
    await keep('- nas');
    await byHand(
      (before) => `${before.replace('\n# aish begins', '\nMine  above.\n\n# aish begins')}\n* Below \t\n- x  `,
    );
    const [above] = (await text()).split('\n# aish begins');
    await keep('- web');
    const after = await text();
    const unstamped = (all = '') => all.replace(/:UPDATED:.*/, '');
    expect(unstamped(after.split('\n# aish begins')[0])).toBe(unstamped(above));
    expect(await body()).toBe('- web\n# aish ends\n\n* Below \t\n- x  ');
  });

  it('lines that a person wrote or changed inside aish’s part move below it, and aish restores its own lines', async () => {
    await keep('- nas', '  - grafana', '  - old');
    await byHand((before) => before.replace('  - grafana', '  - grafana, ask Ann first\n- mine'));
    const wanted = '- nas\n  - grafana\n# aish ends\n\n  - grafana, ask Ann first\n- mine\n';
    await keep('- nas', '  - grafana');
    expect(await body()).toBe(wanted);
    expect((await keep('- nas', '  - grafana')).commit).toBeNull();
  });

  it('no line of a person in a kept page is lost if a mark is broken or the history is short', async () => {
    await keep('- nas', '- old');
    await byHand((before) => before.replace('# aish ends', 'mine'));
    await keep('- nas');
    expect(await body()).toBe('- nas\n# aish ends\n\nmine\n');
    await byHand((before) => before.replace(/\([0-9a-f]{16}\)/, '(0123456789abcdef)'));
    await keep('- web');
    expect(await body()).toBe('- web\n# aish ends\n\n- nas\n\nmine\n');
    await byHand((before) => before.replace(/# aish begins.*\n/, ''));
    await keep('- web');
    expect(await body()).toBe('- web\n# aish ends\n');
    expect(await text()).toContain('- web\n# aish ends\n\n- nas\n\nmine\n\n# aish begins');
  });

  it('aish finds a kept page by its mark after a person has moved and renamed it', async () => {
    await keep('- nas');
    const { id, path } = await page();
    scratch.commitByHand({ 'mine/lab.org': (await text()).replace(TITLE, 'My lab') });
    scratch.git('rm', '--quiet', path);
    scratch.git('commit', '--quiet', '--message', 'moved');
    await keep('- web');
    const moved = await scratch.base.read(id, null);
    expect(moved).toMatchObject({ path: 'mine/lab.org', title: 'My lab' });
    expect(moved.source).toContain('- web\n# aish ends');
    expect((await scratch.base.query(KnowledgeQuery.parse({ text: TITLE }), null)).items).toHaveLength(0);
  });

  it('aish recreates a deleted page only after a person makes one with its title', async () => {
    await keep('- nas');
    scratch.git('rm', '--quiet', (await page()).path);
    scratch.git('commit', '--quiet', '--message', 'gone');
    const before = commits();
    await keep('- web');
    // The person deleted the node only. aish updates the lists of nodes.
    expect(scratch.git('ls-files', 'nodes')).toBe('');
    expect(commits()).toBeLessThanOrEqual(before + 1);
    await scratch.base.remember({ title: 'what runs WHERE', body: 'Mine.' }, ME);
    await keep('- web');
    expect(await text()).toContain('\nMine.\n\n# aish begins');
    expect(await body()).toBe('- web\n# aish ends\n');
  });

  it('aish does not write to a page with uncommitted edits, and keeps commits that were pushed from elsewhere', async () => {
    await keep('- nas');
    const file = join(scratch.dir, (await page()).path);
    const saved = `${readFileSync(file, 'utf8')}\nIn the editor.\n`;
    writeFileSync(file, saved);
    await expect(keep('- web')).rejects.toMatchObject({ code: 'knowledge_dirty' });
    expect(readFileSync(file, 'utf8')).toBe(saved);
    scratch.git('commit', '--quiet', '--all', '--message', 'by hand');
    await scratch.base.push({ again: false });

    const other = await scratch.clone('laptop');
    await other.remember({ id: (await page()).id, summary: 'From the laptop.' }, ME);
    await other.push({ again: false });
    other.close();
    await keep('- web');
    expect(await text()).toContain('\nFrom the laptop.\n');
    expect(await body()).toBe('- web\n# aish ends\n\nIn the editor.\n');
  });
});
