import type { KnowledgeVisibility } from '@aish/contracts/knowledge';
import { AishError } from '@aish/contracts/problems';

/** A person, identified by the names on their nodes: the owner of their tokens, or the token's own name. */
interface Person {
  readonly person: readonly string[];
}

/**
 * The access of a caller. A list limits it to these projects. A person may access everything except the private nodes
 * of others. Null allows everything, like access to the files.
 */
export type ProjectScope = readonly string[] | Person | null;

/** The caller: the author's name for the record, the owner of their private nodes, and the scope of their access. */
export interface Caller {
  readonly name: string;
  readonly owner?: string | undefined;
  readonly scope: ProjectScope;
}

/** The project that everyone with read access may read. */
export const GENERAL = 'general';

/** Whether the scope is a list of projects. Lists, checks and curation show all of them. */
export function isBound(scope: ProjectScope): scope is readonly string[] {
  return scope !== null && !('person' in scope);
}

/** Returns the scope of a token: its projects, or its person's access. */
export function scopeOf(token: {
  readonly name: string;
  readonly owner: string;
  readonly projects: readonly string[] | null;
}): ProjectScope {
  return token.projects ?? { person: [...new Set([token.owner, token.name])] };
}

/** @see KnowledgeVisibility */
export function mayRead(
  scope: ProjectScope,
  node: { readonly projects: readonly string[]; readonly visibility: KnowledgeVisibility; readonly owner: string },
): boolean {
  if (scope === null) return true;
  if (!isBound(scope)) return node.visibility === 'shared' || scope.person.includes(node.owner);
  const own = node.projects.filter((project) => project !== GENERAL);
  if (own.some((project) => scope.includes(project))) return true;
  return node.visibility === 'shared' && node.projects.includes(GENERAL);
}

/**
 * Whether a caller may change a node with these projects. A caller who may read a node only because it is general may
 * not change it.
 */
export function mayWrite(scope: ProjectScope, projects: readonly string[]): boolean {
  return !isBound(scope) || (projects.length > 0 && projects.every((project) => scope.includes(project)));
}

/** @throws AishError `forbidden` for a token that may not write for these projects. */
export function allow(scope: ProjectScope, projects: readonly string[]): void {
  if (mayWrite(scope, projects)) return;
  throw new AishError(
    'forbidden',
    `This token may write only for ${isBound(scope) && scope.length > 0 ? scope.join(', ') : 'no project'}`,
    {
      projects,
    },
  );
}
