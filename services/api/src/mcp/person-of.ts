import { Scope } from '@aish/contracts/tokens';
import type { Caller } from '@aish/mcp';
import type { Person } from '../spaces/space-access.js';

/** Who calls over MCP, as the rules of spaces see it. */
export function personOf({ name, memory, mayUse }: Caller): Person {
  const scopes = Scope.options.filter((needs) => mayUse({ needs }));
  return { name, owner: memory?.owner ?? name, app: memory?.app ?? null, scopes };
}
