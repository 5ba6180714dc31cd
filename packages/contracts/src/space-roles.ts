import { AishError } from './problems.js';
import type { Space } from './spaces.js';
import { allows, type Scope } from './tokens.js';

/** `use`: create and steer goals and chats. `decide`: give verdicts. */
export type SpaceRole = 'use' | 'decide';

/** The claims of a token about its owner. */
interface Who {
  /** The name that spaces use for people. */
  readonly owner: string;
  readonly scopes: readonly Scope[];
  /** The app that the token belongs to; null for a person. An app is bound to one space. */
  readonly app: { readonly space: string } | null;
}

/** @throws AishError `forbidden` */
export function checkRole(space: Space, who: Who, role: SpaceRole): void {
  if (hasRole(space, who, role)) return;
  const { owner, app } = who;
  if (app !== null && app.space !== space.name) {
    throw new AishError('forbidden', `This token is bound to the space ${app.space}`);
  }
  const what = role === 'use' ? 'work' : 'give verdicts';
  throw new AishError('forbidden', `${owner} may not ${what} in the space ${space.name}`);
}

export function hasRole(space: Space, { owner, scopes, app }: Who, role: SpaceRole): boolean {
  if (app !== null && app.space !== space.name) return false;
  const people = role === 'use' ? space.users : space.deciders;
  return people === null || people.includes(owner) || allows(scopes, 'admin');
}
