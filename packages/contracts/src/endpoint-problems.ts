import type { ProblemCode } from './problems.js';

/** Errors that any route can answer with: the request is at fault, or a part of aish is down. */
export const ANY_ROUTE = [
  'invalid_body',
  'unauthorized',
  'forbidden',
  'not_found',
  'host_unknown',
  'payload_too_large',
  'unsupported_media_type',
  'too_many',
  'aborted',
  'internal',
  'service_stopping',
  'database_unreachable',
  'queue_unreachable',
  'sandbox_unreachable',
  'sandbox_interrupted',
  'engine_unavailable',
  'disk_full',
] as const satisfies readonly ProblemCode[];

/** Errors of routes that start a goal or a chat, or change what it may use. */
export const NEW_WORK = [
  'trust_not_allowed',
  'mount_not_allowed',
  'mount_missing',
  'host_folder_changed',
  'host_not_given',
  'runbook_faulty',
  'knowledge_missing',
  'busy',
] as const satisfies readonly ProblemCode[];

/** Errors of routes that run a command in a workspace. */
export const RUN = [
  'busy',
  'locked',
  'decision_waits',
  'workspace_held',
  'hold_unavailable',
  'execution_context_changed',
  'host_folder_changed',
  'mount_missing',
  'mount_not_allowed',
  'command_too_long',
  'image_missing',
  'runtime_missing',
  'engine_lacks',
  'run_lost',
] as const satisfies readonly ProblemCode[];

/** Errors of routes that ask a model. */
export const MODEL = [
  'model_unreachable',
  'model_loading',
  'model_timeout',
  'model_refused',
  'model_bad_stream',
  'model_context_overflow',
  'model_template',
  'model_grammar',
  'model_unparsed',
  'model_no_tools',
] as const satisfies readonly ProblemCode[];

/** Errors of routes that ask an MCP server. */
export const MCP = [
  'mcp_unreachable',
  'mcp_refused',
  'mcp_bad_answer',
  'mcp_timeout',
  'mcp_lost',
  'mcp_unauthorized',
  'mcp_not_connected',
  'stdio_ended',
] as const satisfies readonly ProblemCode[];

/** Errors of routes that read or write the knowledge base. */
export const KNOWLEDGE = [
  'knowledge_missing',
  'knowledge_invalid',
  'knowledge_dirty',
  'knowledge_diverged',
  'knowledge_lint',
  'knowledge_index',
  'knowledge_git',
  'locked',
] as const satisfies readonly ProblemCode[];

/** Whether a route declares an error, or any route can answer with it. */
export function declares({ problems = [] }: { readonly problems?: readonly ProblemCode[] }, code: string): boolean {
  return [...ANY_ROUTE, ...problems].some((each) => each === code);
}
