import { Action, ActionRequest, RunOutcome, actionText } from '@aish/contracts/actions';
import { Step, Usage } from '@aish/contracts/goals';
import { ToolResult, type PendingInput } from '@aish/contracts/tools';
import type { StepRow, ActionRow as Row } from '../generated/rows.js';
import type { Tx } from '../tx.js';
import { storable } from './storable.js';

export type ActionRow = Omit<Row, 'session_id' | 'digest'>;

/** Returns the newest step of a session and its actions, or null before the first step. */
export async function newestStep(tx: Tx, sessionId: string): Promise<{ step: StepRow; actions: ActionRow[] } | null> {
  const steps = await tx.$queryRaw<StepRow[]>`
    select * from steps where session_id = ${sessionId}::uuid order by n desc limit 1`;
  const step = steps[0];
  if (step === undefined) return null;
  const actions = await tx.$queryRaw<ActionRow[]>`
    select * from actions where session_id = ${sessionId}::uuid and step_number = ${step.n}::int order by n`;
  return { step, actions };
}

export async function listSteps(tx: Tx, sessionId: string): Promise<Step[]> {
  const rows = await tx.$queryRaw<StepRow[]>`select * from steps where session_id = ${sessionId}::uuid order by n`;
  return rows.map((row) => ({
    n: row.n,
    text: row.text,
    model: row.model,
    usage: row.usage === null ? null : Usage.parse(row.usage),
    notes: Step.shape.notes.parse(row.notes),
    startedAt: row.started_at.toISOString(),
    answeredAt: row.answered_at?.toISOString() ?? null,
  }));
}

/**
 * Returns the session of a command and its access; null if the action does not exist or is not a command. It may be a
 * person's own command.
 */
export async function findCommand(
  tx: Tx,
  actionId: string,
): Promise<{
  /** The goal; null in a chat. */
  readonly goalId: string | null;
  readonly sessionId: string;
  /** The step; null if a person ran the command. */
  readonly step: number | null;
  readonly command: string;
  /** The host folders of the session's commands. */
  readonly hostFolders: readonly string[];
  /** Other hosts that the commands may use. */
  readonly hosts: readonly string[];
} | null> {
  const rows = await tx.$queryRaw<
    {
      goal_id: string | null;
      session_id: string;
      step_number: number | null;
      command: string;
      host_folders: string[] | null;
      hosts: string[] | null;
    }[]
  >`
    with run as (
      select session_id, step_number, command from actions where id = ${actionId}::uuid and kind = 'command'
      union all
      select session_id, null, payload ->> 'command' from events
      where type = 'command.started' and payload ->> 'commandId' = ${actionId}::text
    )
    select g.id as goal_id, r.session_id, r.step_number, r.command, coalesce(c.host_folders, g.host_folders) as host_folders,
           coalesce(c.hosts, g.hosts) as hosts
    from run r left join goals g on g.session_id = r.session_id left join chats c on c.session_id = r.session_id`;
  const row = rows[0];
  if (row === undefined) return null;
  const { goal_id: goalId, session_id: sessionId, step_number: step, command, host_folders: hostFolders, hosts } = row;
  return { goalId, sessionId, step, command, hostFolders: hostFolders ?? [], hosts: hosts ?? [] };
}

/**
 * Returns the stored output of an action. For a long output, these are its beginning and its end. Null if the action
 * does not exist.
 */
export async function findOutput(
  tx: Tx,
  actionId: string,
): Promise<{
  readonly sessionId: string;
  readonly action: string;
  readonly isCommand: boolean;
  readonly output: string;
  readonly omittedBytes: number;
} | null> {
  const [row] = await tx.$queryRaw<(ActionRow & { session_id: string })[]>`
    select * from actions where id = ${actionId}::uuid`;
  if (row === undefined) return null;
  const outcome = row.outcome === null ? null : RunOutcome.parse(row.outcome);
  const result = row.result === null ? null : ToolResult.parse(row.result);
  return {
    sessionId: row.session_id,
    action: actionText(toActionRequest(row)),
    isCommand: row.kind === 'command',
    output: outcome?.output ?? result?.text ?? '',
    omittedBytes: (outcome ?? result)?.omittedBytes ?? 0,
  };
}

export async function listActions(tx: Tx, sessionId: string): Promise<Action[]> {
  const rows = await tx.$queryRaw<ActionRow[]>`
    select * from actions where session_id = ${sessionId}::uuid order by step_number, n`;
  return rows.map((row) =>
    Action.parse({
      ...toActionRequest(row),
      id: row.id,
      stepNumber: row.step_number,
      n: row.n,
      state: row.state,
      classification: row.classification,
      outcome: row.outcome,
      result: row.result,
      ...(row.skip_reason === null ? {} : { skipReason: row.skip_reason }),
      startedAt: row.started_at?.toISOString() ?? null,
      endedAt: row.ended_at?.toISOString() ?? null,
    }),
  );
}

export function toActionRequest(row: ActionRow): ActionRequest {
  return ActionRequest.parse(
    row.kind === 'command'
      ? { kind: row.kind, command: row.command, isCheck: row.is_check }
      : {
          kind: row.kind,
          callId: row.call_id,
          tool: row.tool,
          label: row.label,
          arguments: row.arguments,
          readOnly: row.read_only,
        },
  );
}

/** Returns the open questions of a tool call and the answers so far; null if it waits for none. */
export function pendingOf({ state, result }: ActionRow): PendingInput | null {
  if (result === null || (state !== 'halted' && state !== 'approved' && state !== 'started')) return null;
  return ToolResult.parse(result).pending ?? null;
}

/** Replaces an action that has not started yet. */
export async function editAction(tx: Tx, actionId: string, request: ActionRequest): Promise<void> {
  const command = request.kind === 'command' ? storable(request.command) : null;
  const args = request.kind === 'tool' ? storable(request.arguments) : null;
  await tx.$executeRaw`
    update actions set command = coalesce(${command}::text, command), arguments = coalesce(${args}::text, arguments),
      classification = null
    where id = ${actionId}::uuid`;
}

/**
 * Returns the newest ended actions of a session, oldest first, with a digest of their results.
 *
 * @param fromStep omits actions of earlier steps.
 */
export async function recentActions(
  tx: Tx,
  sessionId: string,
  limit: number,
  fromStep = 1,
): Promise<
  {
    readonly request: ActionRequest;
    readonly digest: string;
    readonly startedAt: Date | null;
    readonly endedAt: Date | null;
    /** The outcome of a command, with its changes. */
    readonly outcome: unknown;
  }[]
> {
  const rows = await tx.$queryRaw<(ActionRow & { digest: string | null })[]>`
    select id, kind, command, is_check, call_id, tool, label, arguments, read_only, state, digest, started_at, ended_at,
      outcome - 'output' as outcome
    from actions
    where session_id = ${sessionId}::uuid and state in ('finished', 'skipped', 'lost')
      and step_number >= ${fromStep}::int
    order by step_number desc, n desc limit ${limit}::int`;
  return rows
    .map((row) => ({
      request: toActionRequest(row),
      digest: row.digest ?? row.state,
      startedAt: row.started_at,
      endedAt: row.ended_at,
      outcome: row.outcome,
    }))
    .toReversed();
}
