import * as z from 'zod';
import { PresetName } from '../goals.js';
import { Trust } from '../trust.js';

export const Safety = z.object({
  SAFETY_SECOND_OPINION: z
    .enum(['auto', 'always', 'off'])
    .default('auto')
    .describe(
      'Whether a model also checks commands that the rules allow. auto: all except those that only read or can change only their workspace',
    ),
  SAFETY_PRESET: PresetName.default('fast').describe('Preset that gives second opinions'),
  SAFETY_RULES: z.string().optional().describe('Your own rules, as JSON; see docs/safety-rules.md'),
  SAFETY_TOOLS: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((glob) => glob !== ''))
    .optional()
    .describe('Names of tools that always ask, separated by commas; replaces *__shell, *__write_file, …'),
});
export type Safety = z.infer<typeof Safety>;

export const Grants = z.object({
  GRANTS: z
    .enum(['allow', 'forbid'])
    .default('allow')
    .describe('Whether a person may grant an action for the rest of a goal, so that aish does not ask again'),
  TRUST_MAX: Trust.default('undoable').describe(
    'Highest trust level that may be given. undoable: commands whose changes can be undone run without asking; ask: only what the rules allow',
  ),
});
