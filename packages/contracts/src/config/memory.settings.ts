import * as z from 'zod';
import { PresetName } from '../goals.js';
import { InjectMode } from '../memory.js';

export const Memory = z.object({
  MEMORY_INJECT: InjectMode.default('newest').describe(
    'Which memory items a chat begins with: the newest, those relevant to its first message, or off',
  ),
  MEMORY_PRESET: PresetName.default('fast').describe('Preset that summarizes sessions and compacts documents'),
  MEMORY_SUMMARIZE_AT_END: z
    .stringbool()
    .default(false)
    .describe('Whether a model proposes memories when a session ends; they wait for review'),
  MEMORY_SUMMARIZE_EVERY: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('Propose memories each time a person has sent this many messages in a chat; 0: never automatically'),
  MEMORY_PRUNE_OLDER_THAN_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe('Forget items older than this, once a day; unset: never'),
  MEMORY_COMPACT_ABOVE_KB: z.coerce
    .number()
    .int()
    .min(1)
    .default(100)
    .describe('Memory documents larger than this are compacted after a goal or chat, KiB'),
});
