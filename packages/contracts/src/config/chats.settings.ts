import * as z from 'zod';
import { milliseconds } from './setting-types.js';
import { Tools } from './tools.settings.js';

export const Chats = z.object({
  ...Tools.shape,
  CONFIRM_CMD: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true')
    .describe(
      'Whether a CMD: line in a chat that does more than read is asked about before it runs; destructive ones always are',
    ),
  CONFIRM_READS: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('Whether a CMD: line in a chat that only reads is asked about, too'),
  AUTO_CONTINUE: z
    .enum(['true', 'reads', 'false'])
    .default('reads')
    .describe(
      'Whether the output of a command in a chat goes to the model at once. reads: of commands that only read and are not asked about; else it joins your next message',
    ),
  MAX_CHAT_STEPS: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(24)
    .describe(
      'Answers to one message of a chat with trust undoable, whose model continues by itself after each command; of other chats: 8',
    ),
  CHAT_COMMAND_TIMEOUT_MS: milliseconds.default(600_000).describe('Longest time for one command of a chat'),
});
