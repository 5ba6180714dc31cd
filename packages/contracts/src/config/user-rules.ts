import * as z from 'zod';
import { AishError } from '../problems.js';

const MAX_PATTERN = 200;

/**
 * A rule that the user configured (`safety.rules`). `commands` are matched against the command as it would run: name
 * and words joined by single spaces, without quotes and wrappers. A pattern is a glob (`*` any text, `?` one character)
 * or a regular expression between slashes.
 */
export const UserRule = z
  .object({
    id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
    title: z.string().min(1).max(200),
    reason: z.string().max(500).default(''),
    commands: z
      .array(
        z
          .string()
          .min(1)
          .max(MAX_PATTERN)
          .refine((text) => !isRegExp(text) || isPattern(text.slice(1, -1)), 'is not a valid regular expression'),
      )
      .min(1)
      .max(50),
    verdict: z.enum(['destructive', 'safe']).default('destructive'),
  })
  .meta({ id: 'UserRule' });
export type UserRule = z.infer<typeof UserRule>;

/** Whether a pattern is a regular expression between slashes rather than a glob. */
export const isRegExp = (text: string): boolean => text.length > 2 && text.startsWith('/') && text.endsWith('/');

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/**
 * Reads the user's rules from the configuration (`SAFETY_RULES`: a JSON array); empty if absent.
 *
 * @throws AishError `invalid_config` with every error.
 */
export function parseUserRules(text: string | undefined): readonly UserRule[] {
  if (text === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AishError('invalid_config', `SAFETY_RULES: must be JSON: ${error instanceof Error ? error.message : ''}`);
  }
  const parsed = z.array(UserRule).max(200).safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'it'}: ${issue.message}`);
  throw new AishError('invalid_config', `SAFETY_RULES: ${faults.join('; ')}`);
}
