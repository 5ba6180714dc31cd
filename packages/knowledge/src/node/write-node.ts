import type { KnowledgeRelation, RememberNode } from '@aish/contracts/knowledge';
import { parseOrg, type OrgDocument } from '../org/org-document.js';
import { orgTimestamp } from '../org/timestamp.js';

export interface NewNode extends RememberNode {
  readonly id: string;
  readonly title: string;
  readonly createdBy: string;
  /** The owner of a private node. Default: the author. */
  readonly owner?: string | undefined;
  readonly now: Date;
  /** Paths under raw/ that the node was made from. */
  readonly sources: readonly string[];
}

/** Looks up the title of a linked node. */
export type TitleOf = (id: string) => string | null;

const DRAWER_WIDTH = 15;

/** Returns the text of a new node. */
export function newNodeText(input: NewNode, path: string, titleOf: TitleOf): string {
  const stamp = orgTimestamp(input.now);
  const properties: readonly (readonly [string, string])[] = [
    ['ID', input.id],
    ['CREATED', stamp],
    ['UPDATED', stamp],
    ['CREATED_BY', oneLine(input.createdBy)],
    ['CONFIDENCE', input.confidence ?? 'inferred'],
    ['VISIBILITY', input.visibility ?? 'shared'],
    ...(input.visibility === 'private' && input.owner !== undefined && input.owner !== input.createdBy
      ? [['OWNER', oneLine(input.owner)] as const]
      : []),
    ['PROJECTS', slugList(input.projects ?? ['general'])],
    ...(input.status === undefined || input.status === 'active' ? [] : [['STATUS', input.status] as const]),
  ];
  const head = [
    ':PROPERTIES:',
    ...properties.map(([key, value]) => propertyLine(key, value)),
    ':END:',
    `#+title: ${oneLine(input.title)}`,
    `#+filetags: ${slugList(input.types ?? ['observation'])}`,
  ].join('\n');
  const parts = [head];
  if (input.summary !== undefined) parts.push(prose(input.summary));
  if (input.body !== undefined && input.body.trim() !== '') parts.push(tidy(input.body));
  const links = linkLines(input.links ?? [], titleOf);
  const sources = input.sources.map((source) => sourceLine(source, path));
  const list = [...links, ...sources];
  if (list.length > 0) parts.push(list.join('\n'));
  return `${parts.join('\n\n')}\n`;
}

/** A change of a node's text. Text that the edit does not name or that aish does not understand stays. */
export interface NodeEdit extends Omit<RememberNode, 'id' | 'raw'> {
  readonly now: Date;
  readonly sources: readonly string[];
  readonly lastCurated?: Date;
  /** The new owner, if the node becomes private. */
  readonly owner?: string | undefined;
}

/** @returns the changed text, or the same text if the edit would change only the date. */
export function editNodeText(text: string, edit: NodeEdit, path: string, titleOf: TitleOf): string {
  let next = text;
  if (edit.title !== undefined) next = setKeyword(next, 'title', oneLine(edit.title));
  if (edit.types !== undefined) next = setTypes(next, edit.types);
  const properties: readonly (readonly [string, string | undefined])[] = [
    ['CONFIDENCE', edit.confidence],
    ['VISIBILITY', edit.visibility],
    ['OWNER', edit.visibility === 'private' && edit.owner !== undefined ? oneLine(edit.owner) : undefined],
    ['STATUS', edit.status],
    ['PROJECTS', edit.projects === undefined ? undefined : slugList(edit.projects)],
    ['LAST_CURATED', edit.lastCurated === undefined ? undefined : orgTimestamp(edit.lastCurated)],
  ];
  for (const [key, value] of properties) if (value !== undefined) next = setProperty(next, key, value);
  if (edit.summary !== undefined) next = setSummary(next, prose(edit.summary));
  if (edit.body !== undefined) next = setBody(next, edit.body);
  const known = new Set(parseOrg(next).links.map((link) => link.target.toLowerCase()));
  const list = [
    ...linkLines(
      (edit.links ?? []).filter(({ id }) => !known.has(id.toLowerCase())),
      titleOf,
    ),
    ...edit.sources.map((source) => sourceLine(source, path)),
  ];
  if (list.length > 0) next = append(next, list.join('\n'));
  return next === text ? text : setProperty(next, 'UPDATED', orgTimestamp(edit.now));
}

/** Replaces the ID in every link to an ID in `from`. Code and verbatim text stay unchanged. */
export function repointLinks(text: string, from: ReadonlySet<string>, to: string): string {
  return replaceLinks(text, (id) => (from.has(id) ? to : null));
}

/** Replaces links to `ids` by their descriptions, because the targets are gone. */
export function unlink(text: string, ids: ReadonlySet<string>): string {
  let next = text;
  for (const link of parseOrg(text).links.toReversed()) {
    if (link.type !== 'id' || !ids.has(link.target.toLowerCase())) continue;
    const start = link.span.start - '[[id:'.length;
    const end = next.indexOf(']]', link.span.end);
    if (end !== -1) next = next.slice(0, start) + (link.description ?? link.target) + next.slice(end + 2);
  }
  return next;
}

function replaceLinks(text: string, to: (id: string) => string | null): string {
  let next = text;
  for (const link of parseOrg(text).links.toReversed()) {
    const target = link.type === 'id' ? to(link.target.toLowerCase()) : null;
    if (target !== null) next = next.slice(0, link.span.start) + target + next.slice(link.span.end);
  }
  return next;
}

export function setProperty(text: string, key: string, value: string): string {
  const { drawer } = parseOrg(text);
  if (drawer === null) return `:PROPERTIES:\n${propertyLine(key, value)}\n:END:\n${text}`;
  const found = drawer.properties.find((property) => property.key === key);
  if (found !== undefined) {
    const gap = found.value === '' && !/\s$/.test(text.slice(0, found.span.start)) ? ' ' : '';
    return text.slice(0, found.span.start) + gap + value + text.slice(found.span.end);
  }
  const end = text.lastIndexOf('\n', drawer.span.end - 2) + 1;
  return `${text.slice(0, end)}${propertyLine(key, value)}\n${text.slice(end)}`;
}

function setKeyword(text: string, key: string, value: string): string {
  const document = parseOrg(text);
  const found = document.keywords.find((keyword) => keyword.key === key);
  if (found === undefined) {
    const at = document.drawer?.span.end ?? 0;
    return `${text.slice(0, at)}#+${key}: ${value}\n${text.slice(at)}`;
  }
  const gap = text[found.span.start - 1] === ':' ? ' ' : '';
  return text.slice(0, found.span.start) + gap + value + text.slice(found.span.end);
}

/** Sets the types. Other tags belong to the person, and stay. */
function setTypes(text: string, types: readonly string[]): string {
  const { keywords } = parseOrg(text);
  const tags = (keywords.find(({ key }) => key === 'filetags')?.value ?? '')
    .split(/[:\s]+/)
    .filter((tag) => tag !== '');
  const kept = tags.filter((tag) => !TYPES.has(tag));
  return setKeyword(text, 'filetags', slugList([...types, ...kept]));
}

const TYPES: ReadonlySet<string> = new Set(['principle', 'preference', 'procedure', 'observation', 'reference']);

function setSummary(text: string, summary: string): string {
  const document = parseOrg(text);
  const span = document.summary;
  if (span !== null) return text.slice(0, span.start) + summary + text.slice(span.end);
  const head = text.slice(0, document.body.start).trimEnd();
  const rest = text.slice(document.body.start);
  return `${head}\n\n${summary}\n${rest === '' ? '' : `\n${rest}`}`;
}

function setBody(text: string, body: string): string {
  const document: OrgDocument = parseOrg(text);
  const head = text.slice(0, document.body.start).trimEnd();
  return body.trim() === '' ? `${head}\n` : `${head}\n\n${tidy(body)}\n`;
}

function append(text: string, lines: string): string {
  const trimmed = text.trimEnd();
  const joins = /(?:^|\n)- [^\n]*$/.test(trimmed);
  return `${trimmed}${joins ? '\n' : '\n\n'}${lines}\n`;
}

function propertyLine(key: string, value: string): string {
  return `${`:${key}:`.padEnd(DRAWER_WIDTH - 1)} ${value}`;
}

function linkLines(
  links: readonly { readonly relation: KnowledgeRelation; readonly id: string }[],
  titleOf: TitleOf,
): string[] {
  return links.map(({ relation, id }) => `- ${relation} [[id:${id.toLowerCase()}][${description(titleOf(id) ?? id)}]]`);
}

/** Returns the line for a source. Its path is relative to the node's folder, so that Emacs can follow it. */
function sourceLine(source: string, path: string): string {
  const up = '../'.repeat(path.split('/').length - 1);
  return `- DERIVED_FROM [[file:${up}${source}][${description(source.split('/').at(-1) ?? source)}]]`;
}

/** Returns the description of a link without brackets, which would end the link. */
export function description(text: string): string {
  return oneLine(text).replaceAll('[', '(').replaceAll(']', ')');
}

export function slugList(slugs: readonly string[]): string {
  return `:${[...new Set(slugs)].join(':')}:`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/**
 * Formats a text so that Emacs sees one paragraph. An invisible character precedes a first character that would begin a
 * list or headline.
 */
function prose(text: string): string {
  const line = oneLine(text);
  return /^(?:\*+ |[-+] |\d+[.)] |\||#|:|\[fn:)/.test(line) ? `\u200b${line}` : line;
}

/** Removes trailing spaces, carriage returns, and empty lines at both ends. */
function tidy(body: string): string {
  return body
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .replaceAll(/[ \t]+$/gm, '')
    .replace(/^\n+/, '')
    .trimEnd();
}
