import type { HistoryTurn } from '@aish/contracts/chat';
import { AishError } from '@aish/contracts/problems';
import { TurnMeta, type Provenance, type TurnRole } from '@aish/contracts/sessions';
import type { ToolCall } from '@aish/contracts/tools';

/** A turn as it is imported. */
export interface ImportedTurn {
  readonly role: TurnRole;
  /** aish cannot know who wrote a file: nothing in it counts as a person's words. */
  readonly provenance: Extract<Provenance, 'model' | 'tool'>;
  readonly content: string;
  readonly meta: TurnMeta | null;
}

export interface ImportedSession {
  readonly meta: Readonly<Record<string, unknown>>;
  readonly turns: readonly ImportedTurn[];
}

const TURNS_MAX = 20_000;

/**
 * A session as JSON lines: a header `{"meta": …}`, then a line for each turn with `role`, `content`, and where they are
 * `tool_calls` (`id`, `name`, `arguments`) and `tool_call_id`. Command output and notices have role `user` and a `kind`,
 * as the model sees them. Sources: Phase 2 manifest, sections 3 and 5; Phase 4 manifest, section 4.
 */
export function toJsonLines(meta: Readonly<Record<string, unknown>>, turns: readonly HistoryTurn[]): string {
  const lines = turns.map((turn) => ({
    role: turn.role === 'output' || turn.role === 'notice' ? 'user' : turn.role,
    content: turn.content,
    ...(turn.role === 'output' || turn.role === 'notice' ? { kind: turn.role } : {}),
    ...(turn.toolCalls.length === 0 ? {} : { tool_calls: turn.toolCalls }),
    ...(turn.toolCallId === null ? {} : { tool_call_id: turn.toolCallId }),
    ...(turn.isError ? { is_error: true } : {}),
    ...(turn.end === null || turn.end === 'whole' ? {} : { end: turn.end }),
    ...(turn.reasoning === '' ? {} : { reasoning: turn.reasoning }),
    ts: turn.at,
  }));
  return [{ meta }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/**
 * Reads such lines. Calls may also be in the form of OpenAI; system turns are left out, for they are aish's own.
 * @throws AishError `invalid_body` that names the line; nothing is half-read.
 */
export function fromJsonLines(text: string): ImportedSession {
  let meta: Record<string, unknown> = {};
  const turns: ImportedTurn[] = [];
  const names = new Map<string, string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const value = readLine(line, at + 1);
    if (typeof value['meta'] === 'object' && value['meta'] !== null && value['role'] === undefined) {
      meta = value['meta'] as Record<string, unknown>;
      continue;
    }
    if (value['role'] === 'system') continue;
    if (turns.length >= TURNS_MAX) throw fault(at + 1, `there are more than ${TURNS_MAX} turns`);
    turns.push(readTurn(value, at + 1, names));
  }
  if (turns.length === 0) throw fault(1, 'there are no turns');
  return { meta, turns };
}

function readLine(line: string, number: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw fault(number, 'it is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fault(number, 'it is no object');
  return value as Record<string, unknown>;
}

function readTurn(value: Readonly<Record<string, unknown>>, line: number, names: Map<string, string>): ImportedTurn {
  const { role, kind, content, tool_call_id: callId, tool_calls: rawCalls, is_error: isError, reasoning, end } = value;
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') {
    throw fault(line, 'role must be user, assistant or tool');
  }
  if (content !== undefined && content !== null && typeof content !== 'string')
    throw fault(line, 'content must be text');
  const calls = rawCalls === undefined || rawCalls === null ? [] : readCalls(rawCalls, line);
  for (const call of calls) names.set(call.id, call.name);
  if (role === 'tool' && typeof callId !== 'string') throw fault(line, 'a tool turn needs tool_call_id');
  const toolName = typeof callId === 'string' ? names.get(callId) : undefined;
  const meta = TurnMeta.safeParse({
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(typeof callId === 'string' ? { toolCallId: callId } : {}),
    ...(toolName === undefined ? {} : { toolName }),
    ...(isError === true ? { isError } : {}),
    ...(typeof reasoning === 'string' ? { reasoning } : {}),
    ...(typeof end === 'string' ? { end } : {}),
  });
  if (!meta.success) throw fault(line, 'it holds a field that is not understood');
  const asKind = role === 'user' && (kind === 'output' || kind === 'notice') ? kind : role;
  const provenance = role === 'assistant' ? 'model' : 'tool';
  return {
    role: asKind,
    provenance,
    content: content ?? '',
    meta: Object.keys(meta.data).length === 0 ? null : meta.data,
  };
}

function readCalls(raw: unknown, line: number): readonly ToolCall[] {
  if (!Array.isArray(raw)) throw fault(line, 'tool_calls must be a list');
  return raw.map((each: unknown): ToolCall => {
    const call = (each ?? {}) as Record<string, unknown>;
    const inner = (
      typeof call['function'] === 'object' && call['function'] !== null ? call['function'] : call
    ) as Record<string, unknown>;
    const { id } = call;
    const { name, arguments: args } = inner;
    if (typeof id !== 'string' || typeof name !== 'string') throw fault(line, 'each of tool_calls needs id and name');
    return { id, name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) };
  });
}

function fault(line: number, message: string): AishError {
  return new AishError('invalid_body', `Line ${line} cannot be imported: ${message}`, {
    errors: [{ path: `line ${line}`, message }],
  });
}
