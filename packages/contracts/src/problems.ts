import type { Problem } from './problem-document.js';

/** Every code an error may carry, with its HTTP status and title. Clients switch on the code, never on text. */
export const PROBLEMS = {
  invalid_body: { status: 400, title: 'The request is not valid' },
  invalid_config: { status: 500, title: 'The configuration is not valid' },
  unauthorized: { status: 401, title: 'A valid token is needed' },
  forbidden: { status: 403, title: 'This token may not do that' },
  host_unknown: { status: 421, title: 'Browsers may not use aish under this name' },
  decision_changed: { status: 409, title: 'The decision is not the one that was shown' },
  not_found: { status: 404, title: 'There is no such thing' },
  finding_gone: { status: 409, title: 'The finding is gone' },
  payload_too_large: { status: 413, title: 'The request is too large' },
  unsupported_media_type: { status: 415, title: 'The request body must be JSON' },
  decision_taken: { status: 409, title: 'Already decided' },
  needs_another_person: { status: 403, title: 'Another person has to let this run' },
  name_taken: { status: 409, title: 'The name is taken' },
  last_admin: { status: 409, title: 'This is the last admin token' },
  grant_forbidden: { status: 403, title: 'Grants are not allowed here' },
  grant_revoked: { status: 409, title: 'The grant was revoked' },
  goal_not_ended: { status: 409, title: 'The goal has not ended' },
  goal_done: { status: 409, title: 'The goal is done' },
  goal_ended: { status: 409, title: 'The goal has ended' },
  epoch_superseded: { status: 409, title: 'Another worker drives this goal now' },
  busy: { status: 409, title: 'The session is at work on another message' },
  locked: { status: 409, title: 'Someone else holds the lock' },
  lock_lost: { status: 409, title: 'The lock was lost with its connection' },
  database_unreachable: { status: 503, title: 'The database does not answer' },
  database_older: { status: 500, title: 'The database has not been migrated to this version' },
  database_newer: { status: 500, title: 'The database belongs to a newer version' },
  sign_in_off: { status: 404, title: 'Signing in is not set up' },
  sign_in_failed: { status: 403, title: 'Not signed in' },
  authorization_pending: { status: 400, title: 'Nobody has said yes yet' },
  slow_down: { status: 400, title: 'Asked too soon' },
  access_denied: { status: 400, title: 'Somebody has said no' },
  expired_token: { status: 400, title: 'The login is unknown or took too long' },
  notice_refused: { status: 502, title: 'The channel did not take the notice' },
  link_invalid: { status: 404, title: 'The link is not valid' },
  not_empty: { status: 409, title: 'There is something already' },
  backup_broken: { status: 400, title: 'The backup is not whole' },
  migration_failed: { status: 500, title: 'A migration of the database failed' },
  hosts_off: { status: 404, title: 'Hosts are not set up' },
  network_full: { status: 409, title: 'No more ways out fit' },
  host_not_given: { status: 400, title: 'There is no such host' },
  host_unreachable: { status: 502, title: 'The host does not answer' },
  event_unproven: { status: 403, title: 'The event does not prove where it comes from' },
  too_many: { status: 429, title: 'Too many at once' },
  internal: { status: 500, title: 'Something went wrong here' },
  model_unreachable: { status: 503, title: 'The model endpoint does not answer' },
  model_loading: { status: 503, title: 'The model is still loading' },
  model_timeout: { status: 504, title: 'The model endpoint took too long' },
  model_refused: { status: 502, title: 'The model endpoint refused the request' },
  model_bad_stream: { status: 502, title: 'The model endpoint sent something unreadable' },
  model_context_overflow: { status: 502, title: 'The conversation does not fit into the model’s context' },
  model_template: { status: 502, title: 'The chat template of the model does not take this conversation' },
  model_grammar: { status: 502, title: 'The model endpoint cannot make a grammar of these tools' },
  model_unparsed: { status: 502, title: 'The model endpoint could not read what its model wrote' },
  model_no_tools: { status: 502, title: 'The model endpoint takes no tools' },
  queue_unreachable: { status: 503, title: 'The queue does not answer' },
  sandbox_unreachable: { status: 503, title: 'The sandbox service does not answer' },
  run_lost: { status: 410, title: 'Nobody knows how this run ended' },
  sandbox_interrupted: { status: 503, title: 'The connection to the sandbox broke during a run' },
  engine_unavailable: { status: 503, title: 'No Docker engine answers' },
  image_missing: { status: 503, title: 'The sandbox image is missing' },
  runtime_missing: { status: 503, title: 'The engine lacks the runtime that is asked for' },
  disk_full: { status: 507, title: 'The disk is full' },
  trust_not_allowed: { status: 403, title: 'Commands may not be trusted this far' },
  mount_not_allowed: { status: 400, title: 'This host folder may not be mounted' },
  host_folder_changed: { status: 409, title: 'A folder of the host is not what it was' },
  mount_missing: { status: 503, title: 'A host folder is not there' },
  command_too_long: { status: 400, title: 'The command is too long' },
  mcp_unreachable: { status: 503, title: 'The MCP server does not answer' },
  mcp_refused: { status: 502, title: 'The MCP server refused the request' },
  mcp_bad_answer: { status: 502, title: 'The MCP server sent something unusable' },
  mcp_timeout: { status: 504, title: 'The MCP server took too long' },
  mcp_lost: { status: 502, title: 'Nobody knows how this call of an MCP tool ended' },
  mcp_unauthorized: { status: 502, title: 'The MCP server asks for an authorization' },
  mcp_not_connected: { status: 503, title: 'The MCP server is not connected' },
  stdio_ended: { status: 502, title: 'The program over stdin and stdout has ended' },
  mcp_configured: { status: 409, title: 'The configuration has this MCP server' },
  mcp_alias_taken: { status: 409, title: 'There is an MCP server of that name' },
  knowledge_missing: { status: 404, title: 'There is no knowledge base here' },
  knowledge_invalid: { status: 409, title: 'The knowledge base is not in order' },
  knowledge_dirty: { status: 409, title: 'The knowledge base holds changes that are not ours' },
  knowledge_diverged: { status: 409, title: 'The knowledge base and its remote have diverged' },
  knowledge_lint: { status: 422, title: 'The change does not pass the lint' },
  knowledge_index: { status: 503, title: 'The index of the knowledge base cannot be used' },
  knowledge_git: { status: 503, title: 'Git could not do it' },
  runbook_faulty: { status: 422, title: 'The runbook is not in order' },
  knowledge_plan_changed: { status: 409, title: 'The knowledge base has changed since this was planned' },
  candidate_taken: { status: 409, title: 'Already reviewed' },
  version_changed: { status: 409, title: 'Another writer was faster' },
  file_not_found: { status: 404, title: 'There is no such file' },
  file_too_large: { status: 413, title: 'That is more than may be moved at once' },
  path_not_allowed: { status: 400, title: 'This path may not be used' },
  surroundings_changed: { status: 409, title: 'What surrounds the command is not what was expected' },
  decision_waits: { status: 409, title: 'A decision about this session waits for a person' },
  workspace_held: { status: 409, title: 'What a command did to this workspace waits for a verdict' },
  hold_unavailable: { status: 409, title: 'What this command does could not be taken back' },
  preview_too_large: { status: 413, title: 'The workspace is too large for a preview' },
  snapshot_too_large: { status: 413, title: 'The workspace is too large for a snapshot' },
  snapshot_not_found: { status: 404, title: 'There is no such snapshot' },
  changes_not_kept: { status: 410, title: 'What it did to single files is not kept' },
  undo_overlaps: { status: 409, title: 'Others have touched the same files since' },
  aborted: { status: 499, title: 'Cancelled' },
  service_stopping: { status: 503, title: 'The service is stopping' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

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
