import { describe, expect, it } from '@jest/globals';
import { KnowledgeQuery } from '@aish/contracts/knowledge';
import * as fc from 'fast-check';
import type { KnowledgeNodeFile } from '../node/node.js';
import { isBound, mayRead, mayWrite, type ProjectScope } from './access.js';
import { searchNodes } from './search-nodes.js';
import { tokensOf } from './terms.js';

const WORDS = ['nginx', 'reload', 'restart', 'Backup', 'disk', 'disks', 'the', 'is', 'naïve', 'straße'];
const words = (most: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: most }).map((all) => all.join(' '));
const node: fc.Arbitrary<KnowledgeNodeFile> = fc
  .record({
    id: fc.uuid({ version: 4 }),
    title: words(3),
    summary: words(4),
    body: words(6),
    projects: fc.uniqueArray(fc.constantFrom('general', 'emacs', 'homelab'), { minLength: 1 }),
    visibility: fc.constantFrom('shared' as const, 'private' as const),
    status: fc.constantFrom('active' as const, 'superseded' as const),
    updated: fc.integer({ min: 0, max: 20 }).map((day) => new Date(day * 86_400_000).toISOString()),
  })
  .map((each) => ({
    ...each,
    path: `nodes/${each.id}.org`,
    types: ['reference' as const],
    tags: ['reference'],
    confidence: 'stated' as const,
    createdBy: 'me',
    owner: each.id < '8' ? 'me' : 'you',
    created: each.updated,
    lastCurated: null,
    links: [],
    sources: [],
    properties: [],
  }));
const nodes = fc.uniqueArray(node, { selector: ({ id }) => id, maxLength: 25 });
const ask = (text: string, more: object = {}) => KnowledgeQuery.parse({ text, limit: 50, ...more });
const ids = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

describe('searching nodes in memory', () => {
  it('the pages of a search together give the same nodes as one list, each node once', () => {
    fc.assert(
      fc.property(nodes, words(3), fc.integer({ min: 1, max: 7 }), (all, text, limit) => {
        const whole = ids(searchNodes(all, ask(text), null).items);
        const paged: string[] = [];
        for (let offset = 0; offset < whole.length; offset += limit) {
          paged.push(...ids(searchNodes(all, ask(text, { limit, offset }), null).items));
        }
        expect(paged).toEqual(whole);
        expect(new Set(whole).size).toBe(whole.length);
      }),
    );
  });

  it('the result of a search does not depend on the order of the files', () => {
    fc.assert(
      fc.property(nodes, words(3), (all, text) => {
        expect(searchNodes(all.toReversed(), ask(text), null)).toEqual(searchNodes(all, ask(text), null));
      }),
    );
  });

  it('the search returns exactly the nodes that the reader may read', () => {
    const person = fc.constantFrom({ person: ['me', 'mine'] }, { person: ['you'] });
    const scope: fc.Arbitrary<ProjectScope> = fc.oneof(
      fc.constant(null),
      person,
      fc.uniqueArray(fc.constantFrom('emacs', 'homelab', 'other')),
    );
    fc.assert(
      fc.property(nodes, scope, (all, reader) => {
        const seen = new Set(ids(searchNodes(all, ask(''), reader).items));
        for (const each of all) {
          const isShared = each.visibility === 'shared';
          const isTheirs = reader !== null && 'person' in reader && (isShared || reader.person.includes(each.owner));
          const projects: readonly string[] = isBound(reader) ? reader : [];
          const isOfThem = each.projects.some((project) => project !== 'general' && projects.includes(project));
          const isOpen = isBound(reader) && each.projects.includes('general') && isShared;
          expect(seen.has(each.id)).toBe(reader === null || isTheirs || isOfThem || isOpen);
          expect(mayRead(reader, each)).toBe(seen.has(each.id));
          if (isBound(reader) && mayWrite(reader, each.projects)) expect(seen.has(each.id)).toBe(true);
        }
      }),
    );
  });

  it('the search puts every node with all the words before any node without them', () => {
    fc.assert(
      fc.property(nodes, words(3), (all, text) => {
        const holds = ({ title, summary, body, projects, tags }: KnowledgeNodeFile): boolean => {
          const its = new Set(tokensOf([title, summary, body, ...projects, ...tags].join(' ')));
          return tokensOf(text).every((word) => its.has(word));
        };
        const expected = all.filter(holds);
        const { items, relaxed } = searchNodes(all, ask(text), null);
        const first = new Set(ids(items).slice(0, expected.length));
        if (expected.length > 0) expect(relaxed).toBe(false);
        for (const { id } of expected) expect(first.has(id)).toBe(true);
      }),
    );
  });

  it('the search ranks the ID first, then the title, then words in the title, then the newest', () => {
    const [base] = fc.sample(node, { numRuns: 1, seed: 1 }) as [KnowledgeNodeFile];
    const make = (n: number, more: Partial<KnowledgeNodeFile>): KnowledgeNodeFile => ({
      ...base, title: 'other', summary: 'other', body: 'other', status: 'active', projects: ['general'], id: `${n}`.repeat(8) + base.id.slice(8), ...more,
    }); // prettier-ignore
    const all = [
      make(1, { body: 'nginx reload', updated: '2026-01-01T00:00:00.000Z' }),
      make(2, { body: 'nginx reload', updated: '2026-01-02T00:00:00.000Z' }),
      make(3, { title: 'how to reload nginx' }),
      make(4, { title: 'nginx reload' }),
      make(5, { summary: 'nginx reload' }),
      make(6, { body: 'nginxes reloaded' }),
      make(7, { body: 'nginx' }),
    ];
    const order = ids(searchNodes(all, ask('nginx reload'), null).items).map((id) => id[0]);
    expect(order).toEqual(['4', '3', '5', '2', '1', '6']);
    expect(ids(searchNodes(all, ask('77777777'), null).items)[0]?.[0]).toBe('7');
    const some = searchNodes(all, ask('nginx of the reload zebra'), null);
    expect([some.relaxed, some.items.length > 0]).toEqual([true, true]);
    // Some words are missing from every node, so the rarest word counts most, in any field.
    const rarest = ids(
      searchNodes([...all, make(8, { body: 'a yak in the cellar' })], ask('why a yak nginx'), null).items,
    );
    expect(rarest[0]?.[0]).toBe('8');
    expect(searchNodes(all, ask('zebra'), null)).toEqual({ items: [], relaxed: false, fits: false });
    expect(searchNodes(all, ask('?!'), null)).toEqual({ items: [], relaxed: false, fits: false });
  });
});
