import { z } from 'zod';

/** What a token may do. `admin` may do everything; `decide` gives verdicts; `app` is for programs and never decides. */
export const Scope = z.enum(['admin', 'operate', 'observe', 'decide', 'app']);
export type Scope = z.infer<typeof Scope>;

const GRANTS: Readonly<Record<Scope, readonly Scope[]>> = {
  admin: ['admin', 'operate', 'observe', 'decide', 'app'],
  operate: ['operate', 'observe'],
  observe: ['observe'],
  decide: ['decide', 'observe'],
  app: ['app'],
};

/** Whether a token with `scopes` may do what needs `wanted`. */
export function allows(scopes: readonly Scope[], wanted: Scope): boolean {
  return scopes.some((scope) => GRANTS[scope].includes(wanted));
}
