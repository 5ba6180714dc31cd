import type { Classification } from '@aish/contracts';
import { PATTERNS } from './patterns.js';

/**
 * Whether `command`, run exactly as written, could delete, overwrite or irreversibly modify something.
 * Source: Phase 3 manifest, section 5 (static pattern list).
 */
export function classify(command: string): Classification {
  for (const pattern of PATTERNS) {
    const match = pattern.expression.exec(command);
    if (match === null) continue;
    return {
      verdict: 'destructive',
      reason: pattern.title,
      ruleId: pattern.id,
      span: [match.index, match.index + match[0].trimEnd().length],
      by: 'rule',
    };
  }
  return { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };
}
