import type { LikelySecret } from '@aish/contracts/memory';
import { findSecrets } from '@aish/secrets';

/** What looks like a secret in a text of the memory: its reader is told, and it is kept all the same. */
export async function likelySecrets(text: string): Promise<LikelySecret[]> {
  return (await findSecrets(text)).map(({ rule, title, span }) => ({ rule, title, span: [...span] }));
}
