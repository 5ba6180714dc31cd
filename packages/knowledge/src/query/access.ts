import type { KnowledgeVisibility } from '@aish/contracts/knowledge';
import { AishError } from '@aish/contracts/problems';

/** A person, by the names that their nodes may bear: who owns their tokens, then the token's own. */
interface Person {
  readonly person: readonly string[];
}

/**
 * What somebody may see and write. A list: these projects. A person: everything except the private nodes of others.
 * Null: everything, like a person who has the files.
 */
export type ProjectScope = readonly string[] | Person | null;

/** Who asks: what is written down as the author, whose private nodes they make, and what they may see and change. */
export interface Caller {
  readonly name: string;
  readonly owner?: string | undefined;
  readonly scope: ProjectScope;
}

/** Belongs to everyone who may read at all. */
export const GENERAL = 'general';

/** Of what is said by projects alone: lists, checks and curation show all of them. */
export function isBound(scope: ProjectScope): scope is readonly string[] {
  return scope !== null && !('person' in scope);
}

/** What a token may see: its projects, or what its person may. */
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

/** Who may read a node only because it is general may not change it. */
export function mayWrite(scope: ProjectScope, projects: readonly string[]): boolean {
  return !isBound(scope) || (projects.length > 0 && projects.every((project) => scope.includes(project)));
}

/** @throws AishError `forbidden` for a token that may not write for these projects. */
export function allow(scope: ProjectScope, projects: readonly string[]): void {
  if (mayWrite(scope, projects)) return;
  throw new AishError(
    'forbidden',
    `This token writes for ${isBound(scope) && scope.length > 0 ? scope.join(', ') : 'no project'} only`,
    {
      projects,
    },
  );
}
