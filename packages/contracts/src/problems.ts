import { z } from 'zod';

/** Every code an error may carry, with its HTTP status and title. Clients switch on the code, never on text. */
export const PROBLEMS = {
  invalid_body: { status: 400, title: 'The request is not valid' },
  invalid_config: { status: 500, title: 'The configuration is not valid' },
  unauthorized: { status: 401, title: 'A valid token is needed' },
  forbidden: { status: 403, title: 'This token may not do that' },
  not_found: { status: 404, title: 'There is no such thing' },
  payload_too_large: { status: 413, title: 'The request is too large' },
  unsupported_media_type: { status: 415, title: 'The request body must be JSON' },
  decision_taken: { status: 409, title: 'Already decided' },
  goal_ended: { status: 409, title: 'The goal has ended' },
  epoch_superseded: { status: 409, title: 'Another worker drives this goal now' },
  locked: { status: 409, title: 'Someone else holds the lock' },
  lock_lost: { status: 409, title: 'The lock was lost with its connection' },
  database_newer: { status: 500, title: 'The database belongs to a newer version' },
  migration_failed: { status: 500, title: 'A migration of the database failed' },
  too_many: { status: 429, title: 'Too many at once' },
  internal: { status: 500, title: 'Something went wrong here' },
  model_unreachable: { status: 503, title: 'The model endpoint does not answer' },
  model_loading: { status: 503, title: 'The model is still loading' },
  model_timeout: { status: 504, title: 'The model endpoint took too long' },
  model_refused: { status: 502, title: 'The model endpoint refused the request' },
  model_bad_stream: { status: 502, title: 'The model endpoint sent something unreadable' },
  model_context_overflow: { status: 502, title: 'The conversation does not fit into the model’s context' },
  queue_unreachable: { status: 503, title: 'The queue does not answer' },
  sandbox_unreachable: { status: 503, title: 'The sandbox service does not answer' },
  run_lost: { status: 410, title: 'Nobody knows how this run ended' },
  sandbox_interrupted: { status: 503, title: 'The connection to the sandbox broke during a run' },
  engine_unavailable: { status: 503, title: 'No Docker engine answers' },
  image_missing: { status: 503, title: 'The sandbox image is missing' },
  runtime_missing: { status: 503, title: 'The engine lacks the runtime that is asked for' },
  disk_full: { status: 507, title: 'The disk is full' },
  command_too_long: { status: 400, title: 'The command is too long' },
  aborted: { status: 499, title: 'Cancelled' },
  service_stopping: { status: 503, title: 'The service is stopping' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The body of every error answer: `application/problem+json` (RFC 9457) with a stable `code`. */
export const Problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    detail: z.string().optional(),
    instance: z.string().optional(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;

/**
 * The root of all errors that aish throws on purpose. `facts` are sent to clients beside the code, so they hold
 * nothing secret; `cause` stays in the log.
 */
export class AishError extends Error {
  constructor(
    readonly code: ProblemCode,
    message: string,
    readonly facts: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'AishError';
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** Whether `error` is an AishError, with one of the given codes if any are given. */
export function isAishError(error: unknown, ...codes: readonly ProblemCode[]): error is AishError {
  return error instanceof AishError && (codes.length === 0 || codes.includes(error.code));
}

/** The problem document of an error. Anything but an AishError is `internal` and keeps its message to itself. */
export function toProblem(error: unknown, instance?: string): Problem {
  const known = error instanceof AishError ? error : new AishError('internal', 'The log of the service says more');
  return {
    ...known.facts,
    type: `urn:aish:problem:${known.code}`,
    title: PROBLEMS[known.code].title,
    status: known.status,
    code: known.code,
    detail: known.message,
    ...(instance === undefined ? {} : { instance }),
  };
}
