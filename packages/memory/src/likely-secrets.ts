import type { LikelySecret } from '@aish/contracts/memory';
import { findSecrets } from '@aish/secrets';

/** Finds suspected secrets in a text of the memory. The caller gets a warning, and the text is stored anyway. */
export async function likelySecrets(text: string): Promise<LikelySecret[]> {
  return (await findSecrets(text)).map(({ rule, title, span }) => ({ rule, title, span: [...span] }));
}
