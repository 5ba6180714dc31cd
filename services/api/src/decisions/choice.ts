import { GiveVerdict } from '@aish/contracts/decisions';
import { z } from 'zod';

/**
 * The choices of a form. `carried` means proceed with the variables of earlier commands, and `window` means proceed
 * when the change window opens.
 */
export const Choice = z.enum([...GiveVerdict.shape.verdict.options, 'carried', 'window']);
export type Choice = z.infer<typeof Choice>;

export function verdictOf(chosen: Choice): GiveVerdict {
  if (chosen === 'carried') return { verdict: 'proceed', carried: true };
  return chosen === 'window' ? { verdict: 'proceed', inWindow: true } : { verdict: chosen };
}
