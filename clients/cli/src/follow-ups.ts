import type { CreateGoal } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import type { z } from 'zod';

interface Wanted {
  readonly retry?: number | undefined;
  readonly retryAfter?: number | undefined;
  readonly onFailed?: string | undefined;
}

/** What is to follow a goal that fails. @throws AishError `invalid_body` for `--retry-after` alone */
export function followUps({
  retry,
  retryAfter,
  onFailed,
}: Wanted): Pick<z.input<typeof CreateGoal>, 'retry' | 'onFailed'> {
  if (retryAfter !== undefined && retry === undefined) {
    throw new AishError('invalid_body', '--retry-after needs --retry');
  }
  const after = retryAfter === undefined ? {} : { afterMs: retryAfter };
  return {
    ...(retry === undefined ? {} : { retry: { times: retry, ...after } }),
    ...(onFailed === undefined ? {} : { onFailed: { text: onFailed } }),
  };
}
