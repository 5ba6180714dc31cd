import * as z from 'zod';

/** A code that binds the account that sends it to the bot. It works once. */
export const MessengerCode = z
  .object({
    code: z.string(),
    expiresAt: z.iso.datetime(),
    /** The messengers that are set up. */
    messengers: z.array(z.enum(['telegram', 'matrix'])),
  })
  .meta({ id: 'MessengerCode' });
export type MessengerCode = z.infer<typeof MessengerCode>;
