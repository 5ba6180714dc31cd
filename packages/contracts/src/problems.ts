import type { Problem } from './problem-document.js';

/** Every error code with its HTTP status and title. Clients check the code, never the text. */
export const PROBLEMS = {
  invalid_body: { status: 400, title: 'The request is not valid' },
  invalid_config: { status: 500, title: 'The configuration is not valid' },
  unauthorized: { status: 401, title: 'A valid token is required' },
  forbidden: { status: 403, title: 'This token is not allowed to do that' },
  host_unknown: { status: 421, title: 'Browsers cannot use aish under this host name' },
  config_changed: { status: 409, title: 'The configuration has changed since it was shown' },
  decision_changed: { status: 409, title: 'The decision has changed since it was shown' },
  not_found: { status: 404, title: 'Not found' },
  finding_gone: { status: 409, title: 'The finding no longer exists' },
  payload_too_large: { status: 413, title: 'The request is too large' },
  unsupported_media_type: { status: 415, title: 'The request body must be JSON' },
  decision_taken: { status: 409, title: 'The decision already has a verdict' },
  needs_another_person: { status: 403, title: 'Another person has to approve this' },
  name_taken: { status: 409, title: 'The name is taken' },
  last_admin: { status: 409, title: 'This is the last admin token' },
  grant_forbidden: { status: 403, title: 'Grants are not allowed here' },
  grant_revoked: { status: 409, title: 'The grant was revoked' },
  goal_not_ended: { status: 409, title: 'The goal has not ended' },
  goal_done: { status: 409, title: 'The goal is done' },
  goal_ended: { status: 409, title: 'The goal has ended' },
  epoch_superseded: { status: 409, title: 'Another worker has taken over this goal' },
  busy: { status: 409, title: 'The session is busy with another message' },
  locked: { status: 409, title: 'Another process holds the lock' },
  lock_lost: { status: 409, title: 'The lock was lost because its connection was closed' },
  database_unreachable: { status: 503, title: 'The database does not respond' },
  database_older: { status: 500, title: 'The database must be migrated to this version first' },
  database_newer: { status: 500, title: 'The database belongs to a newer version' },
  sign_in_off: { status: 404, title: 'Sign-in is not set up' },
  sign_in_failed: { status: 403, title: 'The sign-in failed' },
  authorization_pending: { status: 400, title: 'The login has not been approved yet' },
  slow_down: { status: 400, title: 'The client polls too often' },
  access_denied: { status: 400, title: 'The login was rejected' },
  expired_token: { status: 400, title: 'The login is unknown or has expired' },
  notification_refused: { status: 502, title: 'The channel did not accept the notification' },
  messenger_refused: { status: 502, title: 'The messenger refused its token or room' },
  messengers_off: { status: 404, title: 'No messenger is set up' },
  link_invalid: { status: 404, title: 'The link is not valid' },
  not_empty: { status: 409, title: 'The target is not empty' },
  backup_broken: { status: 400, title: 'The backup is incomplete or damaged' },
  migration_failed: { status: 500, title: 'A migration of the database failed' },
  hosts_off: { status: 404, title: 'Hosts are not set up' },
  network_full: { status: 409, title: 'The network policy is full' },
  host_not_given: { status: 400, title: 'This host is not available here' },
  host_unreachable: { status: 502, title: 'The host does not respond' },
  event_unproven: { status: 403, title: 'The event has no valid proof of its origin' },
  too_many: { status: 429, title: 'Too many requests at once' },
  internal: { status: 500, title: 'An unexpected error occurred' },
  model_unreachable: { status: 503, title: 'The model endpoint does not respond' },
  model_loading: { status: 503, title: 'The model is still loading' },
  model_timeout: { status: 504, title: 'The model endpoint took too long' },
  model_refused: { status: 502, title: 'The model endpoint refused the request' },
  model_bad_stream: { status: 502, title: 'The model endpoint sent an unreadable response' },
  model_context_overflow: { status: 502, title: 'The session does not fit into the model’s context' },
  model_template: { status: 502, title: 'The model’s chat template does not support these messages' },
  model_grammar: { status: 502, title: 'The model endpoint cannot build a grammar for these tools' },
  model_unparsed: { status: 502, title: 'The model endpoint could not parse the model’s answer' },
  model_no_tools: { status: 502, title: 'The model endpoint does not support tools' },
  queue_unreachable: { status: 503, title: 'The queue does not respond' },
  sandbox_unreachable: { status: 503, title: 'The sandbox service does not respond' },
  run_lost: { status: 410, title: 'The outcome of this run is unknown' },
  sandbox_interrupted: { status: 503, title: 'The connection to the sandbox was lost during a run' },
  engine_unavailable: { status: 503, title: 'The Docker engine does not respond' },
  image_missing: { status: 503, title: 'The sandbox image is missing' },
  runtime_missing: { status: 503, title: 'The engine does not have the requested runtime' },
  release_unsigned: { status: 403, title: 'No known signer has signed this release' },
  engine_lacks: { status: 501, title: 'The engine does not support this' },
  disk_full: { status: 507, title: 'The disk is full' },
  trust_not_allowed: { status: 403, title: 'This level of trust is not allowed' },
  mount_not_allowed: { status: 400, title: 'This host folder may not be mounted' },
  host_folder_changed: { status: 409, title: 'A host folder has changed' },
  mount_missing: { status: 503, title: 'A host folder is missing' },
  command_too_long: { status: 400, title: 'The command is too long' },
  mcp_unreachable: { status: 503, title: 'The MCP server does not respond' },
  mcp_refused: { status: 502, title: 'The MCP server refused the request' },
  mcp_bad_answer: { status: 502, title: 'The MCP server sent an unusable response' },
  mcp_timeout: { status: 504, title: 'The MCP server took too long' },
  mcp_lost: { status: 502, title: 'The outcome of this MCP tool call is unknown' },
  mcp_unauthorized: { status: 502, title: 'The MCP server requires authorization' },
  mcp_not_connected: { status: 503, title: 'The MCP server is not connected' },
  stdio_ended: { status: 502, title: 'The stdio program has exited' },
  mcp_configured: { status: 409, title: 'This MCP server comes from the configuration' },
  mcp_alias_taken: { status: 409, title: 'An MCP server with this name already exists' },
  knowledge_missing: { status: 404, title: 'There is no knowledge base here' },
  knowledge_invalid: { status: 409, title: 'The knowledge base is not valid' },
  knowledge_dirty: { status: 409, title: 'The knowledge base has uncommitted changes from elsewhere' },
  knowledge_diverged: { status: 409, title: 'The knowledge base and its remote have diverged' },
  knowledge_lint: { status: 422, title: 'The change does not pass the checks (lint)' },
  knowledge_index: { status: 503, title: 'The index of the knowledge base cannot be used' },
  knowledge_git: { status: 503, title: 'A Git operation failed' },
  runbook_faulty: { status: 422, title: 'The runbook has errors' },
  knowledge_plan_changed: { status: 409, title: 'The knowledge base has changed since the plan was made' },
  candidate_taken: { status: 409, title: 'The candidate has already been reviewed' },
  version_changed: { status: 409, title: 'Someone else has changed this in the meantime' },
  file_not_found: { status: 404, title: 'The file does not exist' },
  file_too_large: { status: 413, title: 'The files are too large to transfer at once' },
  path_not_allowed: { status: 400, title: 'This path is not allowed' },
  execution_context_changed: { status: 409, title: 'The execution context has changed' },
  decision_waits: { status: 409, title: 'A decision in this session is waiting for a person' },
  workspace_held: { status: 409, title: 'Held changes in this workspace are waiting for a verdict' },
  hold_unavailable: { status: 409, title: 'The changes of this command cannot be held' },
  preview_too_large: { status: 413, title: 'The workspace is too large for a preview' },
  snapshot_too_large: { status: 413, title: 'The workspace is too large for a snapshot' },
  snapshot_not_found: { status: 404, title: 'The snapshot does not exist' },
  changes_not_kept: { status: 410, title: 'The changes to individual files are no longer stored' },
  undo_overlaps: { status: 409, title: 'Later commands have changed the same files' },
  aborted: { status: 499, title: 'Cancelled' },
  service_stopping: { status: 503, title: 'The service is stopping' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/**
 * The base class of all errors that aish throws on purpose. Clients get `facts` beside the code, so they must not
 * contain secrets. `cause` appears only in the log.
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

/** The problem document of an error. Any other error becomes `internal`, and its message stays secret. */
export function toProblem(error: unknown, instance?: string): Problem {
  const known =
    error instanceof AishError
      ? error
      : new AishError('internal', 'An unexpected error occurred. See the log of the service.');
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
