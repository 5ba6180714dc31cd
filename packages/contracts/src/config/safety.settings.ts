import * as z from 'zod';
import { PresetName } from '../goals.js';
import { Trust } from '../trust.js';

export const Safety = z.object({
  SAFETY_SECOND_OPINION: z
    .enum(['auto', 'always', 'off'])
    .default('auto')
    .describe(
      'Whether a model is asked about commands that the rules let pass: auto leaves out what only reads and what can change only its workspace',
    ),
  SAFETY_PRESET: PresetName.default('fast').describe('Preset that gives second opinions'),
  SAFETY_RULES: z.string().optional().describe('Rules of your own, as JSON; docs/safety.md'),
  SAFETY_TOOLS: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((glob) => glob !== ''))
    .optional()
    .describe('Names of tools that are always asked about, with commas between: instead of *__shell, *__write_file, …'),
});
export type Safety = z.infer<typeof Safety>;

export const Grants = z.object({
  GRANTS: z
    .enum(['allow', 'forbid'])
    .default('allow')
    .describe('Whether a person may let the same action run for the rest of a goal without being asked again'),
  TRUST_MAX: Trust.default('undoable').describe(
    'The most that may be left to commands without a question: undoable is what can be taken back, ask nothing more than the rules say',
  ),
});
