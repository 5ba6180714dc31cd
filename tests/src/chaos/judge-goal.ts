import { actionText, type Action } from '@aish/contracts/actions';
import type { GoalDetail } from '@aish/contracts/goals';
import type { Database } from '@aish/database/client';
import type { ApiClient } from '../support/api.client.js';
import type { ChaosGoal } from './chaos-goal.js';
import type { ChaosPlace } from './chaos-place.js';

interface Judged {
  readonly faults: readonly string[];
  readonly commands: number;
  readonly lost: number;
}

const JUDGED_AT_ONCE = 4;

/** Adds up the results of all goals. */
export async function judgeGoals(
  { stack, db }: Pick<ChaosPlace, 'stack' | 'db'>,
  given: ReadonlyMap<string, ChaosGoal>,
): Promise<{ readonly counts: Readonly<Record<string, number>>; readonly faults: readonly string[] }> {
  const faults: string[] = [];
  const counts = { goals: given.size, commands: 0, lost: 0 };
  const left = [...given];
  const judge = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const judged = await judgeGoal(stack.client, db, next[1], next[0]);
      faults.push(...judged.faults);
      counts.commands += judged.commands;
      counts.lost += judged.lost;
    }
  };
  // Reading the files of a goal takes a container, so only a few goals are judged at a time.
  await Promise.all(Array.from({ length: JUDGED_AT_ONCE }, judge));
  return { counts, faults };
}

/**
 * Checks that a goal ended as its script says, with each side effect at most once. Each effect must exist at least once
 * unless its command is `lost` and the model was told.
 */
async function judgeGoal(client: ApiClient, db: Database, given: ChaosGoal, id: string): Promise<Judged> {
  const goal = await client.goal(id);
  const faults: string[] = [];
  const fault = (isWrong: boolean, what: string): void => void (isWrong && faults.push(`${given.text}: ${what}`));
  fault(goal.state !== given.endsAs, `it is ${goal.state} (${goal.reason}), not ${given.endsAs}`);
  const lostChecks = goal.actions.filter((action) => isCheck(action) && action.state === 'lost');
  const steps = given.steps + lostChecks.length;
  fault(goal.stepsTaken !== steps || goal.steps.length !== steps, `${goal.stepsTaken} steps taken, not ${steps}`);
  fault(given.more.verify !== undefined && !goal.verified, 'it is done and not verified');

  const log = await linesOf(client, goal.sessionId);
  const turns = await turnsOf(db, goal.sessionId);
  const [commands, lost] = judgeLines(given, goal, log, turns, fault);
  const { rows } = await db.pool.query<{ count: number; last: number }>(
    'select count(*)::int, coalesce(max(seq), 0)::int as last from events where session_id = $1',
    [goal.sessionId],
  );
  fault(rows[0]?.count !== rows[0]?.last, `events have gaps: ${rows[0]?.count} up to ${rows[0]?.last}`);
  return { faults, commands, lost };
}

function judgeLines(
  { lines }: ChaosGoal,
  { actions }: GoalDetail,
  log: readonly string[],
  turns: readonly string[],
  fault: (isWrong: boolean, what: string) => void,
): readonly [commands: number, lost: number] {
  const commands = actions.filter((action) => !isCheck(action));
  fault(commands.length !== lines.length, `${commands.length} commands, not ${lines.length}`);
  for (const line of log) fault(!lines.includes(line), `it wrote "${line}", which nobody asked for`);
  let lost = 0;
  for (const [n, line] of lines.entries()) {
    const action = commands[n];
    const times = log.filter((each) => each === line).length;
    fault(times > 1, `"${line}" was written ${times} times`);
    switch (action?.state) {
      case 'finished':
        fault(times !== 1, `"${line}" is finished and was written ${times} times`);
        break;
      case 'skipped':
        fault(times !== 0, `"${line}" is skipped and was written all the same`);
        break;
      case 'lost': {
        lost += 1;
        const command = actionText(action);
        const isReported = turns.some((turn) => turn.startsWith('[aish]') && turn.includes(command));
        fault(!isReported, `"${line}" is lost, and the model was not told`);
        break;
      }
      case 'pending':
      case 'approved':
      case 'halted':
      case 'started':
      case undefined:
        fault(true, `the command of "${line}" is ${action?.state ?? 'missing'}`);
    }
  }
  return [commands.length, lost];
}

function isCheck(action: Action): boolean {
  return action.kind === 'command' && action.isCheck === true;
}

/** Returns the lines of a file in a goal's workspace, or none if the file does not exist. */
export async function linesOf(client: ApiClient, sessionId: string, path = 'log'): Promise<readonly string[]> {
  const response = await client.request('GET', `/v1/sessions/${sessionId}/files/file?path=${path}`);
  const text = await response.text();
  // The goal's only command was lost before it wrote anything.
  if (response.status === 404) return [];
  if (!response.ok) throw new Error(`${path} of ${sessionId}: ${response.status} ${text}`);
  return text.split('\n').filter((line) => line !== '');
}

async function turnsOf(db: Database, sessionId: string): Promise<readonly string[]> {
  const { rows } = await db.pool.query<{ content: string }>(
    'select content from turns where session_id = $1 order by seq',
    [sessionId],
  );
  return rows.map(({ content }) => content);
}
