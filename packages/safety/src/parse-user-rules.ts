import { AishError } from '@aish/contracts/problems';
import { z } from 'zod';
import { UserRule } from './user-rules.js';

/**
 * The rules of a configuration (`SAFETY_RULES`: a JSON array), none when it is absent.
 * @throws AishError `invalid_config` with every fault.
 */
export function parseUserRules(text: string | undefined): readonly UserRule[] {
  if (text === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AishError('invalid_config', `SAFETY_RULES: not JSON: ${error instanceof Error ? error.message : ''}`);
  }
  const parsed = z.array(UserRule).max(200).safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'it'}: ${issue.message}`);
  throw new AishError('invalid_config', `SAFETY_RULES: ${faults.join('; ')}`);
}
