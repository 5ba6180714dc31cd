import * as z from 'zod';
import { DEFAULT_STEP_BUDGET, STEP_BUDGET_MAX } from '../limits.js';
import { milliseconds } from './setting-types.js';

const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()])));

export const Tools = z.object({
  AUTO_APPROVE: list.describe('Tools that run without asking: server.tool or server.*, separated by commas'),
  TOOL_SHARE: z.coerce
    .number()
    .min(0.01)
    .max(0.5)
    .default(0.1)
    .describe('Maximum share of the context window for tool descriptions; tool_search finds the other tools'),
  MAX_NORRIS_STEPS: z.coerce
    .number()
    .int()
    .min(1)
    .max(STEP_BUDGET_MAX)
    .default(DEFAULT_STEP_BUDGET)
    .describe('Maximum steps of a goal, unless the goal or its space sets them'),
  ELICITATION_WAIT_MS: milliseconds
    .default(600_000)
    .describe(
      'How long a call to an MCP server of protocol 2025 stays open while its question waits for an answer; newer servers need no open call',
    ),
});
