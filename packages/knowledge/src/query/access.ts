import type { KnowledgeVisibility } from '@aish/contracts/knowledge';

/** Which projects a reader may see and write; null is all of them: the owner's own tokens. */
export type ProjectScope = readonly string[] | null;

/** Belongs to everyone who may read at all. */
export const GENERAL = 'general';

/** @see KnowledgeVisibility */
export function mayRead(
  scope: ProjectScope,
  node: { readonly projects: readonly string[]; readonly visibility: KnowledgeVisibility },
): boolean {
  if (scope === null) return true;
  const own = node.projects.filter((project) => project !== GENERAL);
  if (own.some((project) => scope.includes(project))) return true;
  return node.visibility === 'shared' && node.projects.includes(GENERAL);
}

/** Who may read a node only because it is general may not change it. */
export function mayWrite(scope: ProjectScope, projects: readonly string[]): boolean {
  return scope === null || (projects.length > 0 && projects.every((project) => scope.includes(project)));
}
