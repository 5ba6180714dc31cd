import type { MemoryCaller } from '@aish/contracts/memory';

/** Who calls: as much as what is offered needs to know. */
export interface Caller {
  /** The name of its token. */
  readonly name: string;
  /** Whose memory its token reaches; null for a token that reaches none. */
  readonly memory: MemoryCaller | null;
  /** Whether its token has this scope, or one of these. */
  readonly mayUse: (offered: { readonly needs: string | readonly string[] }) => boolean;
}
