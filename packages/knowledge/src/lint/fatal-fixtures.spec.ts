import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { KnowledgeQuery } from '@aish/contracts/knowledge';
import { KNOWLEDGE_CHECKS, type KnowledgeCheck } from '@aish/contracts/knowledge-lint';
import { KINDS } from '@aish/secrets/testing';
import { FATAL_FIXTURES, GOOD_NODE } from '../testing/fatal-fixtures.js';
import { ScratchBase } from '../testing/scratch-base.js';

const ME = { name: 'craig', scope: null };
let scratch: ScratchBase;

let start: string;

beforeAll(async () => {
  scratch = await ScratchBase.make();
  scratch.commitByHand({ [GOOD_NODE.path]: GOOD_NODE.text });
  await scratch.base.regenerateIndex();
  start = scratch.git('rev-parse', 'HEAD').trim();
}, 60_000);
afterEach(() => void scratch.git('reset', '--quiet', '--hard', start));
afterAll(() => scratch.remove());

const codes = async (): Promise<KnowledgeCheck[]> =>
  [...new Set((await scratch.base.lint()).findings.filter(({ fatal }) => fatal).map(({ code }) => code))].toSorted();

describe('fatal checks', () => {
  it.each(FATAL_FIXTURES.map((fixture) => [`${fixture.code}: ${fixture.name}`, fixture] as const))(
    'the lint refuses a fatal fault and accepts the repaired files (%s)',
    async (_, fixture) => {
      // The fault is committed by hand, as with Emacs or an editor. The lint of the whole base reports it, and a write
      // on top of it is refused.
      scratch.commitByHand(fixture.broken);
      const head = scratch.git('rev-parse', 'HEAD');
      expect(await codes()).toContain(fixture.code);
      await expect(scratch.base.remember({ title: 'Another' }, ME)).rejects.toMatchObject({
        code: 'knowledge_lint',
        facts: { findings: expect.arrayContaining([expect.objectContaining({ code: fixture.code, fatal: true })]) },
      });
      expect([scratch.git('rev-parse', 'HEAD'), scratch.status()]).toEqual([head, '']);
      // Once the same files are repaired, the write succeeds, and the lint finds nothing.
      scratch.git('rm', '--quiet', ...Object.keys(fixture.broken));
      scratch.commitByHand(fixture.mended);
      await expect(scratch.base.remember({ title: 'Another' }, ME)).resolves.toMatchObject({
        commit: expect.any(String),
      });
      expect([await codes(), scratch.status()]).toEqual([[], '']);
    },
  );

  it('every fatal check of the lint has a fixture', () => {
    const covered = new Set<string>([...FATAL_FIXTURES.map(({ code }) => code), 'index-missing', 'index-stale']);
    const fatal = Object.entries(KNOWLEDGE_CHECKS).flatMap(([code, { fatal: is }]) => (is ? [code] : []));
    expect(fatal.filter((code) => !covered.has(code))).toEqual([]);
  });

  it('a missing or wrong row of the index is reported, and the next write repairs both', async () => {
    const path = 'nodes/7b/20260102000000-new.org';
    const text = GOOD_NODE.text
      .replace('00000000-0000-4000-8000-000000000001', '7b000000-0000-4000-8000-000000000001')
      .replace('The good one', 'New');
    scratch.commitByHand({ [path]: text });
    expect(await codes()).toEqual(['index-missing', 'index-stale']);
    scratch.commitByHand({ [GOOD_NODE.path]: GOOD_NODE.text.replace('What it is about', 'What it is about now') });
    expect(scratch.git('show', 'HEAD:index.org')).not.toContain('What it is about now');
    await scratch.base.remember({ title: 'Another' }, ME);
    expect(await codes()).toEqual([]);
    expect(scratch.git('show', 'HEAD:index.org')).toContain('What it is about now');
    const hits = await scratch.base.query(KnowledgeQuery.parse({ text: 'new' }), null);
    expect(hits.items.map(({ title }) => title)).toEqual(['New']);
  });

  it('an overwritten index is rebuilt with kb index or with the next write', async () => {
    await scratch.base.remember({ title: 'Before' }, ME);
    const acts = [() => scratch.base.regenerateIndex(), () => scratch.base.remember({ title: 'Another' }, ME)];
    for (const act of acts) {
      scratch.commitByHand({ 'index.org': '#+title: mine\n' });
      expect(await codes()).toEqual(['index-stale']);
      await act();
      expect([await codes(), scratch.status()]).toEqual([[], '']);
    }
  });

  it.each(['Password login is off.', 'Logging in with a password is switched off', 'the password manager is down'])(
    'a node with the text %j is accepted',
    async (summary) => {
      const { warnings } = await scratch.base.remember({ title: 'Login', summary }, ME);
      expect(warnings.filter(({ code }) => code.startsWith('secret'))).toEqual([]);
    },
  );

  it('a word that may be a secret passes with a warning', async () => {
    const remember = (summary: string) => scratch.base.remember({ title: 'Login', summary }, ME);
    const { warnings } = await remember('the password is rosebud');
    expect(warnings.map(({ code, fatal }) => [code, fatal])).toContainEqual(['secret-suspected', false]);
  });

  it.each(KINDS)('$kind in a node is refused, and similar texts are accepted', async ({ secrets, harmless }) => {
    const remember = (body: string) => scratch.base.remember({ title: 'Login', summary: 'How to get in.', body }, ME);
    for (const secret of secrets) await expect(remember(secret)).rejects.toMatchObject({ code: 'knowledge_lint' });
    await remember(harmless.join('\n\n'));
  });

  it('a problem of style in a node passes with a warning', async () => {
    const warned = await scratch.base.remember({ title: 'No summary' }, ME);
    expect(warned.warnings.map(({ code, fatal }) => [code, fatal])).toEqual([['summary-missing', false]]);
  });
});
