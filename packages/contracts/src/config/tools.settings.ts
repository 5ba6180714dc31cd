import * as z from 'zod';
import { DEFAULT_STEP_BUDGET, STEP_BUDGET_MAX } from '../limits.js';
import { milliseconds } from './setting-types.js';

const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()])));

export const Tools = z.object({
  AUTO_APPROVE: list.describe('Tools that need no confirmation, as server.tool or server.*, separated by commas'),
  TOOL_SHARE: z.coerce
    .number()
    .min(0.01)
    .max(0.5)
    .default(0.1)
    .describe('Share of the context window that descriptions of tools may take; tool_search finds the others'),
  MAX_NORRIS_STEPS: z.coerce
    .number()
    .int()
    .min(1)
    .max(STEP_BUDGET_MAX)
    .default(DEFAULT_STEP_BUDGET)
    .describe('Steps that a goal may take where neither it nor its space says how many'),
  ELICITATION_WAIT_MS: milliseconds
    .default(600_000)
    .describe(
      'How long the call of an MCP server of 2025 is kept open for the answer to its question; later ones wait without',
    ),
});
