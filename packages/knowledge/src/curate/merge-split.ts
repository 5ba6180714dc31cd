import { createHash } from 'node:crypto';
import { nodePath, type KnowledgeNodeFile } from '../node/node.js';
import { readNode } from '../node/read-node.js';
import { SECRETS_ALLOWED } from '../lint/allowed-secrets.js';
import { editNodeText, newNodeText, setProperty } from '../node/write-node.js';
import { parseOrg } from '../org/org-document.js';

interface Part {
  readonly node: KnowledgeNodeFile;
  readonly text: string;
}

/** Returns the target's text with the other nodes as sections, and the projects and tags of all of them. */
export function mergedText(text: string, target: KnowledgeNodeFile, parts: readonly Part[], now: Date): string {
  const sections = parts.map(({ node, text: from }) => {
    const { document } = readNode(from, node.path);
    const body = from.slice(document.body.start).trimEnd();
    const summary = document.summary === null ? '' : `${document.summary.text}\n`;
    return `* ${node.title}\n${summary}${body === '' ? '' : `\n${shift(body, 1)}\n`}`.trimEnd();
  });
  const body = [text.slice(parseOrg(text).body.start).trimEnd(), ...sections]
    .filter((part) => part !== '')
    .join('\n\n');
  const all = [target, ...parts.map(({ node }) => node)];
  const merged = editNodeText(
    text,
    {
      now,
      sources: [],
      body,
      projects: [...new Set(all.flatMap(({ projects }) => projects))],
      types: [...new Set(all.flatMap(({ types }) => types))],
      // If one of the nodes was private, the result is private.
      ...all
        .filter(({ visibility }) => visibility === 'private')
        .slice(0, 1)
        .map(({ visibility, owner }) => ({ visibility, owner }))[0],
    },
    target.path,
    () => null,
  );
  const allowed = all.flatMap(({ properties }) =>
    properties.flatMap(([key, value]) => (key === SECRETS_ALLOWED ? value : [])),
  );
  return allowed.length === 0
    ? merged
    : setProperty(merged, SECRETS_ALLOWED, [...new Set(allowed.join(' ').split(' '))].join(' '));
}

/** Makes a node of each of the top-level headlines, and keeps the rest in the old node. */
export function splitTexts(
  text: string,
  node: KnowledgeNodeFile,
  wanted: readonly string[],
  now: Date,
): {
  readonly kept: string;
  readonly parts: readonly { readonly path: string; readonly title: string; readonly text: string }[];
} {
  const document = parseOrg(text);
  const chosen = document.headlines.filter(
    ({ level, title }) => level === 1 && title !== '' && (wanted.length === 0 || wanted.includes(title)),
  );
  let kept = text;
  const parts = chosen.map((headline) => {
    const section = text.slice(headline.span.start, headline.span.end);
    const own = text.slice(text.indexOf('\n', headline.span.start) + 1 || headline.span.end, headline.span.end);
    const drawer = /^[ \t]*:PROPERTIES:[ \t]*\n((?:[ \t]*:[^\n]*\n)*?)[ \t]*:END:[ \t]*\n?/i.exec(own);
    const givenId = /^[ \t]*:ID:[ \t]+([0-9a-f-]{36})[ \t]*$/im.exec(drawer?.[1] ?? '')?.[1]?.toLowerCase();
    const id = givenId ?? derivedId(`${node.id}\0${section}`);
    const path = nodePath(id, headline.title, new Date(node.created));
    const { projects, types, visibility, confidence, createdBy, owner } = node;
    const input = {
      id,
      title: headline.title,
      body: shift(drawer === null ? own : own.slice(drawer[0].length), -1),
      projects: [...projects],
      types: [...types],
      visibility,
      confidence,
      createdBy,
      owner,
      now,
      sources: [],
      links: [{ relation: 'DERIVED_FROM' as const, id: node.id }],
    };
    return { id, path, title: headline.title, text: newNodeText(input, path, () => node.title), span: headline.span };
  });
  for (const { span } of parts.toReversed()) kept = kept.slice(0, span.start) + kept.slice(span.end);
  const links = parts.map(({ id }) => ({ relation: 'RELATES_TO' as const, id }));
  const titles = new Map(parts.map(({ id, title }) => [id, title]));
  kept = editNodeText(`${kept.trimEnd()}\n`, { now, sources: [], links }, node.path, (id) => titles.get(id) ?? null);
  return { kept, parts };
}

/** Moves headlines one level down or up. A headline of the first level cannot move up. */
function shift(body: string, by: 1 | -1): string {
  const { headlines } = parseOrg(body);
  const starts = new Set(headlines.map(({ span }) => span.start));
  let offset = 0;
  return body
    .split('\n')
    .map((line) => {
      const start = offset;
      offset += line.length + 1;
      if (!starts.has(start)) return line;
      return by === 1 ? `*${line}` : line.startsWith('**') ? line.slice(1) : line;
    })
    .join('\n');
}

/**
 * Derives an ID for a section. It is always the same for the same section, so that a plan and its execution name the
 * same node.
 */
function derivedId(of: string): string {
  const hex = createHash('sha256').update(of).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
