import { describe, expect, it } from '@jest/globals';
import {
  KNOWLEDGE_LIMITS,
  KnowledgeRelation,
  KnowledgeType,
  ProjectSlug,
  RememberNode,
} from '@aish/contracts/knowledge';
import * as fc from 'fast-check';
import { GOOD_NODE } from '../testing/fatal-fixtures.js';
import { readNode } from './read-node.js';
import { editNodeText, newNodeText, repointLinks, unlink } from './write-node.js';

const PATH = 'nodes/3f/20260524033000-x.org';
const NOW = new Date('2026-05-24T03:30:00Z');
const nobody = () => null;
/** One-line texts of people and models: words, org markup, brackets, line breaks, other scripts. */
const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('* ', '- ', ':END:', ':PROPERTIES:', '#+title: x', '[[id:', ']]', '][', '|', '\n', '\r\n', '\t', '#', '=[[id:a]]=', '[fn:1]', '1. '),
); // prettier-ignore
const text = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
const words = text.filter((each) => /[\p{L}\p{N}]/u.test(each));
const id = fc.uuid({ version: 4 });
const oneLine = (line: string) => line.replaceAll(/\s+/g, ' ').trim();
const input = fc.record(
  {
    title: words,
    summary: words,
    types: fc.uniqueArray(fc.constantFrom(...KnowledgeType.options), { minLength: 1 }),
    projects: fc.uniqueArray(fc.constantFrom('general', 'emacs', 'home_lab', 'a@b'), { minLength: 1 }),
    links: fc.uniqueArray(fc.record({ relation: fc.constantFrom(...KnowledgeRelation.options), id }), {
      selector: ({ relation, id: other }) => `${relation} ${other}`,
      maxLength: 3,
    }),
  },
  { requiredKeys: ['title'] },
);

describe('the text of a new node', () => {
  it('a new node with any text can be read back as it was given', () => {
    fc.assert(
      fc.property(input, id, words, (given, own, createdBy) => {
        const written = newNodeText({ ...given, id: own, createdBy, now: NOW, sources: ['raw/a.txt'] }, PATH, nobody);
        const { node, findings } = readNode(written, PATH);
        expect(findings.filter(({ fatal }) => fatal)).toEqual([]);
        expect(node).toMatchObject({
          id: own,
          title: oneLine(given.title),
          createdBy: oneLine(createdBy),
          types: given.types ?? ['observation'],
          projects: given.projects ?? ['general'],
          created: NOW.toISOString(),
          sources: ['raw/a.txt'],
        });
        expect(node?.links).toEqual(expect.arrayContaining(given.links ?? []));
        if (given.summary !== undefined) {
          // An invisible character precedes a first character that would begin a list.
          expect(node?.summary.replace(/^\u200b/, '')).toBe(oneLine(given.summary));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('no body can change the ID, the title or the properties of a new node', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), id, (pieces, own) => {
        const given = { title: 'One thing', summary: 'Said.', body: pieces.join('') };
        const read = readNode(newNodeText({ ...given, id: own, createdBy: 'me', now: NOW, sources: [] }, PATH, nobody), PATH);
        expect([read.id, read.document.keywords.find(({ key }) => key === 'title')?.value]).toEqual([own, 'One thing']);
        expect(read.document.drawer?.properties.map(({ key }) => key)).toEqual([
          'ID', 'CREATED', 'UPDATED', 'CREATED_BY', 'CONFIDENCE', 'VISIBILITY', 'PROJECTS',
        ]);
      }),
      { numRuns: 300 },
    );
  }); // prettier-ignore
});

/** A node that was written by hand, with syntax that aish does not write. */
const byHand = fc
  .array(fc.oneof(piece, fc.constantFrom('\n', '\n* Headline :tag:\n', '\n| a | b |\n', '\n#+begin_src sh\n* no\n#+end_src\n')), {
    maxLength: 12,
  })
  .map((pieces) => `${GOOD_NODE.text}\n${pieces.join('')}\n`); // prettier-ignore

describe('a change of a node', () => {
  const edit = fc.record(
    {
      title: words,
      status: fc.constantFrom('active' as const, 'contested' as const),
      projects: fc.constantFrom<string[][]>(['general'], ['emacs', 'general']),
    },
    { requiredKeys: [] },
  );

  it('an edit of a node touches only the changed lines, and repeating it changes nothing', () => {
    fc.assert(
      fc.property(byHand, edit, (before, change) => {
        const apply = (from: string) => editNodeText(from, { ...change, now: NOW, sources: [] }, PATH, nobody);
        const after = apply(before);
        const [old, changed] = [before, after].map((each) => each.split('\n')) as [string[], string[]];
        const about = /^(?::UPDATED:|:STATUS:|:PROJECTS:|#\+title:)/i;
        expect(changed.filter((line) => !old.includes(line) && !about.test(line))).toEqual([]);
        expect(old.filter((line) => !changed.includes(line) && !about.test(line))).toEqual([]);
        expect(apply(after)).toBe(after);
      }),
      { numRuns: 300 },
    );
  });

  it('an edit sets or replaces the summary of a node and does not change its body', () => {
    fc.assert(
      fc.property(fc.boolean(), words, (hasSummary, summary) => {
        const start = newNodeText({ id: GOOD_NODE.text.match(/[0-9a-f-]{36}/)?.[0] ?? '', title: 'T', createdBy: 'me', now: NOW, sources: [], body: '* Part\ntext', ...(hasSummary ? { summary: 'Old.' } : {}) }, PATH, nobody);
        const { node } = readNode(editNodeText(start, { summary, now: NOW, sources: [] }, PATH, nobody), PATH);
        expect([node?.summary.replace(/^\u200b/, ''), node?.body]).toEqual([oneLine(summary), '* Part\ntext']);
      }),
    );
  }); // prettier-ignore
});

describe('links', () => {
  const ids = ['a', 'b', 'c'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`);
  const [gone = '', target = '', other = ''] = ids;
  const body = fc
    .array(fc.oneof(piece, fc.constantFrom(...ids).map((each) => ` [[id:${each}][Its title]] `), fc.constantFrom(...ids).map((each) => `[[id:${each.toUpperCase()}]]`)), { maxLength: 14 })
    .map((pieces) => `${GOOD_NODE.text}\n${pieces.join('')}\n`); // prettier-ignore
  const linksOf = (from: string) =>
    readNode(from, PATH).document.links.flatMap((link) => (link.type === 'id' ? [link.target.toLowerCase()] : []));

  it('repointLinks changes the target of links and nothing else', () => {
    fc.assert(
      fc.property(body, (before) => {
        const after = repointLinks(before, new Set([gone]), target);
        expect(linksOf(after)).toEqual(linksOf(before).map((each) => (each === gone ? target : each)));
        expect(after.length).toBe(before.length);
        expect(repointLinks(after, new Set([gone]), target)).toBe(after);
      }),
      { numRuns: 300 },
    );
  });

  it('unlink turns links to a removed target into plain text and keeps other links', () => {
    fc.assert(
      fc.property(body, (before) => {
        const after = unlink(before, new Set([gone]));
        expect(linksOf(after).filter((each) => each === gone)).toEqual([]);
        for (const each of [target, other]) {
          // The text is checked, because without the link the rest of a line may have another meaning.
          expect(after.toLowerCase().split(`[[id:${each}]`).length).toBe(before.toLowerCase().split(`[[id:${each}]`).length);
        }
      }),
      { numRuns: 300 },
    );
  }); // prettier-ignore
});

it('the documented limits of a node are enforced', () => {
  const node = (more: object) => RememberNode.safeParse({ title: 'x', ...more }).success;
  expect(node({ body: 'x'.repeat(KNOWLEDGE_LIMITS.bodyMaxChars) })).toBe(true);
  expect(node({ body: 'x'.repeat(KNOWLEDGE_LIMITS.bodyMaxChars + 1) })).toBe(false);
  expect([ProjectSlug.safeParse('home lab').success, ProjectSlug.safeParse('home_lab').success]).toEqual([false, true]);
});
