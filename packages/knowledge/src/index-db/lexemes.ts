import type { KnowledgeNodeFile } from '../node/node.js';
import { GENERAL, isBound, type ProjectScope } from '../query/access.js';
import { FIELD_WEIGHTS, wordsOf, type Field } from '../query/searchable.js';
import { isBeginning } from '../query/terms.js';

/*
 * The `tsvector` by which a search finds a node. The first letter of a lexeme is the field of the word (`abackup`: in
 * the title). Weights would not help, because the inverted index does not store them, so PostgreSQL would read every
 * node. Filters are lexemes, too: `phomelab`, `treference`, `sactive`, `v` for nodes that everyone may see, `x` and
 * `oanna` for private nodes and their owner.
 */

export const FIELDS = Object.keys(FIELD_WEIGHTS) as Field[];

export function lexemesOf(node: KnowledgeNodeFile): string {
  const words = [...wordsOf(node)].map(([word, field]) => lexeme(word, field));
  const filters = [
    ...node.projects.map((project) => `p${project}`),
    ...node.types.map((type) => `t${type}`),
    `s${node.status}`,
    ...(node.visibility === 'private' ? ['x', ownedBy(node.owner)] : node.projects.includes(GENERAL) ? ['v'] : []),
  ];
  return [...words, ...filters].map(quoted).join(' ');
}

/** Returns the lexeme for an owner. Postgres accepts lexemes of at most 2 kB. */
function ownedBy(person: string): string {
  return `o${person.slice(0, 400)}`;
}

export function lexeme(word: string, field: Field): string {
  return `${field.toLowerCase()}${word}`;
}

/** Whether only the word itself matches, or every word that begins with it. */
export type Form = 'exact' | 'prefix';

/** Returns a `tsquery` for a word in any field. */
export function anywhere(term: string, form: Form): string {
  return `(${FIELDS.map((field) => inField(term, field, form)).join(' | ')})`;
}

/** Returns a `tsquery` for a word in one field. */
export function inField(term: string, field: Field, form: Form): string {
  return `${quoted(lexeme(term, field))}${form === 'prefix' && isBeginning(term) ? ':*' : ''}`;
}

/**
 * Returns, for each possible score of nodes with all these words, best first, a `tsquery` that finds those nodes. A
 * word counts only in the best field of a node, so no node is found twice. One word makes four queries, three words
 * make twenty.
 */
export function byScore(terms: readonly string[]): string[] {
  const combinations = terms.reduce<{ readonly score: number; readonly parts: readonly string[] }[]>(
    (all, term) =>
      all.flatMap(({ score, parts }) =>
        FIELDS.map((field) => ({
          score: score + FIELD_WEIGHTS[field],
          parts: [...parts, inField(term, field, 'exact')],
        })),
      ),
    [{ score: 0, parts: [] }],
  );
  const scores = [...new Set(combinations.map(({ score }) => score))].toSorted((a, b) => b - a);
  return scores.map((each) =>
    combinations.flatMap(({ score, parts }) => (score === each ? [`(${parts.join(' & ')})`] : [])).join(' | '),
  );
}

/**
 * Returns a `tsquery` for the nodes that the reader may see and has asked for; null for all nodes. It matches the same
 * nodes as `mayRead` and `fits`.
 */
export function filterOf(
  {
    project,
    type,
    status,
  }: {
    readonly project?: string | undefined;
    readonly type?: string | undefined;
    readonly status?: string | undefined;
  },
  scope: ProjectScope,
): string | null {
  const parts = [
    ...(scope === null ? [] : [`(${visibleTo(scope)})`]),
    ...(project === undefined ? [] : [quoted(`p${project}`)]),
    ...(type === undefined ? [] : [quoted(`t${type}`)]),
    ...(status === undefined ? [] : [quoted(`s${status}`)]),
  ];
  return parts.length === 0 ? null : parts.join(' & ');
}

/** Returns a `tsquery` for all nodes that the reader may see. */
export function visibleTo(scope: Exclude<ProjectScope, null>): string {
  if (!isBound(scope)) return [`!${quoted('x')}`, ...scope.person.map((name) => quoted(ownedBy(name)))].join(' | ');
  const own = scope.filter((each) => each !== GENERAL);
  return [quoted('v'), ...own.map((each) => quoted(`p${each}`))].join(' | ');
}

function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
