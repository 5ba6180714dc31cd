import {
  KnowledgeConfidence,
  KnowledgeRelation,
  KnowledgeStatus,
  KnowledgeType,
  KnowledgeVisibility,
  ProjectSlug,
} from '@aish/contracts/knowledge';
import { KNOWLEDGE_CHECKS, type KnowledgeCheck, type KnowledgeFinding } from '@aish/contracts/knowledge-lint';
import { parseOrg, type OrgDocument, type OrgProperty } from '../org/org-document.js';
import { timestampIso } from '../org/timestamp.js';
import { RAW_DIR, type KnowledgeNodeFile, type NodeLink } from './node.js';

export interface ReadNode {
  readonly document: OrgDocument;
  /** The node; null if the file has a fatal fault. */
  readonly node: KnowledgeNodeFile | null;
  /** The ID, if there is a valid one. The node may have other faults. */
  readonly id: string | null;
  readonly findings: readonly KnowledgeFinding[];
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const SUMMARY_GOOD_CHARS = 300;

export function finding(code: KnowledgeCheck, path: string, line: number | null, message: string): KnowledgeFinding {
  return { code, fatal: KNOWLEDGE_CHECKS[code].fatal, path, line, message };
}

/** Parses a node's file, and returns all findings about the file alone. It never throws. */
export function readNode(text: string, path: string): ReadNode {
  const document = parseOrg(text);
  const findings: KnowledgeFinding[] = [];
  const say = (code: KnowledgeCheck, line: number | null, message: string): void => {
    findings.push(finding(code, path, line, message));
  };
  for (const fault of document.faults) {
    say(fault.kind === 'drawer' ? 'drawer-malformed' : 'org-invalid', fault.line, fault.message);
  }
  const properties = document.drawer?.properties ?? [];
  const property = (key: string): OrgProperty | undefined => properties.find((each) => each.key === key);
  const id = readId(property('ID'), properties, say);
  const title = document.keywords.find(({ key, value }) => key === 'title' && value !== '')?.value ?? null;
  if (title === null) say('title-missing', null, 'there is no #+title: before the first headline');

  const date = (key: string): string | null => {
    const found = property(key);
    if (found === undefined || found.value === '') return missing(key);
    const iso = timestampIso(found.value);
    if (iso === null) say('property-invalid', found.line, `:${key}: ${found.value.slice(0, 60)} is not a date`);
    return iso;
  };
  const missing = (key: string): null => {
    // If the drawer is missing, only that is reported, because one fault should give one finding.
    if (document.drawer !== null) say('property-missing', null, `:${key}: is missing or empty`);
    return null;
  };
  const oneOf = <T extends string>(key: string, options: readonly T[], otherwise: T | null): T | null => {
    const found = property(key);
    if (found === undefined || found.value === '') return otherwise ?? missing(key);
    const value = options.find((option) => option === found.value.toLowerCase());
    if (value === undefined) {
      say('property-invalid', found.line, `:${key}: ${found.value.slice(0, 60)} is not one of ${options.join(', ')}`);
    }
    return value ?? null;
  };
  const created = date('CREATED');
  const updated = date('UPDATED');
  const curated = property('LAST_CURATED');
  const lastCurated = curated === undefined || curated.value === '' ? null : date('LAST_CURATED');
  const createdBy = property('CREATED_BY')?.value || missing('CREATED_BY');
  const confidence = oneOf('CONFIDENCE', KnowledgeConfidence.options, null);
  const visibility = oneOf('VISIBILITY', KnowledgeVisibility.options, null);
  const status = oneOf('STATUS', KnowledgeStatus.options, 'active');
  const projects = readProjects(property('PROJECTS'), missing, say);
  const tags = [
    ...new Set(document.keywords.filter(({ key }) => key === 'filetags').flatMap(({ value }) => slugs(value))),
  ];
  const types = tags.flatMap((tag) => KnowledgeType.safeParse(tag).data ?? []);
  if (types.length === 0) say('type-missing', null, `#+filetags: needs one of ${KnowledgeType.options.join(', ')}`);
  styleOf(document, say);

  const fatal = findings.some((each) => each.fatal);
  const complete =
    id !== null &&
    title !== null &&
    created !== null &&
    updated !== null &&
    createdBy !== null &&
    confidence !== null &&
    visibility !== null &&
    status !== null &&
    projects !== null;
  if (fatal || !complete) return { document, node: null, id, findings };
  const node: KnowledgeNodeFile = {
    id,
    path,
    title,
    summary: document.summary?.text ?? '',
    body: text.slice(document.body.start).trimEnd(),
    types,
    tags,
    projects,
    status,
    visibility,
    confidence,
    createdBy,
    owner: property('OWNER')?.value || createdBy,
    created,
    updated,
    lastCurated,
    links: linksOf(document, say),
    sources: sourcesOf(document, path),
    properties: properties.map(({ key, value }) => [key, value] as const),
  };
  return { document, node, id, findings };
}

type Say = (code: KnowledgeCheck, line: number | null, message: string) => void;

function readId(found: OrgProperty | undefined, properties: readonly OrgProperty[], say: Say): string | null {
  if (found === undefined || found.value === '') {
    say('id-missing', null, 'the file has no :ID: in a property drawer at its top');
    return null;
  }
  if (properties.filter(({ key }) => key === 'ID').length > 1)
    say('id-duplicate', found.line, 'there are two :ID: lines');
  if (!UUID.test(found.value)) {
    say('id-invalid', found.line, `${found.value.slice(0, 60)} is not a UUID`);
    return null;
  }
  return found.value.toLowerCase();
}

/** Splits slugs, written as `:emacs:general:` or as separate words. */
function slugs(value: string): string[] {
  return value.split(/[:\s]+/).filter((slug) => slug !== '');
}

function readProjects(found: OrgProperty | undefined, missing: (key: string) => null, say: Say): string[] | null {
  if (found === undefined) return missing('PROJECTS');
  const all = slugs(found.value);
  if (all.length === 0) return missing('PROJECTS');
  for (const slug of all) {
    if (!ProjectSlug.safeParse(slug).success) {
      say('project-invalid', found.line, `${slug.slice(0, 60)} is not a project slug (a-z, 0-9, _ and @)`);
    }
  }
  return [...new Set(all)];
}

function linksOf(document: OrgDocument, say: Say): NodeLink[] {
  const links: NodeLink[] = [];
  for (const link of document.links) {
    if (link.type !== 'id') continue;
    const relation = KnowledgeRelation.safeParse(link.label ?? 'RELATES_TO').data;
    if (relation === undefined && link.label?.includes('_') === true) {
      say('relation-unknown', link.line, `${link.label} is not one of ${KnowledgeRelation.options.join(', ')}`);
    }
    const found = { relation: relation ?? ('RELATES_TO' as const), id: link.target.toLowerCase() };
    if (!links.some(({ relation: other, id }) => other === found.relation && id === found.id)) links.push(found);
  }
  return links;
}

/**
 * Returns links to files under raw/. They are written from the node's folder, as Emacs follows them, or from the root.
 */
function sourcesOf(document: OrgDocument, path: string): string[] {
  const folder = path.split('/').slice(0, -1);
  const found = document.links.flatMap((link) => {
    if (link.type !== 'file') return [];
    const target = link.target.split('::')[0] ?? '';
    if (target.startsWith(`${RAW_DIR}/`)) return [target];
    const parts = [...folder];
    for (const part of target.split('/')) {
      if (part === '..') parts.pop();
      else if (part !== '.') parts.push(part);
    }
    return parts[0] === RAW_DIR && parts.length > 1 ? [parts.join('/')] : [];
  });
  return [...new Set(found)];
}

function styleOf(document: OrgDocument, say: Say): void {
  const { summary, text } = document;
  if (summary === null) say('summary-missing', null, 'no paragraph between the keywords and the first headline');
  else if (summary.text.length > SUMMARY_GOOD_CHARS) {
    say('summary-long', null, `${summary.text.length} characters; ${SUMMARY_GOOD_CHARS} should be enough`);
  }
  if (/[ \t]+\r?$/m.test(text)) say('whitespace-trailing', null, 'some lines end with spaces');
  if (text.includes('\r')) say('line-ends', null, 'lines end with CR LF');
}
