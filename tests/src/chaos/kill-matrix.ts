import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Boundary } from '@aish/actions';
import { CreateGoal } from '@aish/contracts/goals';
import { advanceGoal } from '@aish/contracts/jobs';
import { connectDatabase } from '@aish/database/client';
import { inTransaction } from '@aish/database/transaction';
import { createGoal } from '@aish/sessions';
import { eventually } from '../support/eventually.js';
import type { Stack } from '../support/stack.js';
import type { KillPlace } from './kill-place.js';
import type { Kill, KillPoint, Outcome } from './kill-plan.js';

export interface KillResult extends Outcome {
  readonly point: KillPoint;
  /** Other faults, one line each. */
  readonly faults: readonly string[];
  /** The milliseconds from each kill until the goal ran again. The list is empty if nothing was left to do. */
  readonly againMs: readonly number[];
}

interface Passed {
  readonly boundary: string;
  readonly pid: number;
  readonly at: number;
}

const AT_ONCE = 3;
/**
 * This limit is long, because every worker may be killed when a goal needs one, and a start takes long on a busy
 * machine.
 */
export const HANG_MS = 240_000;
/** At these boundaries a runner begins something new. */
const BEGINS: ReadonlySet<string> = new Set<Boundary>(['lock.held', 'ask.before']);
const BEGINS_SOMETHING = /^(ask|classify|run|settle|recover)\./;

/** Kills a worker at each point, with one goal for each point, and reports how other workers continued. */
export async function killMatrix(
  place: KillPlace,
  points: readonly KillPoint[],
  progress: (line: string) => void = () => undefined,
): Promise<readonly KillResult[]> {
  const waiting = [...points];
  const results: KillResult[] = [];
  const next = async (): Promise<void> => {
    for (let point = waiting.shift(); point !== undefined; point = waiting.shift()) {
      const result = await killOnce(point, place);
      results.push(result);
      progress(`${results.length}/${points.length} ${result.againMs.join(' ')} ms: ${nameOf(point)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return points.map((point) => results.find((result) => result.point === point) ?? missing(point));
}

export function nameOf({ kills, when }: KillPoint): string {
  return `${kills.map(({ at }) => at).join(', ')} (${when})`;
}

function missing(point: KillPoint): never {
  throw new Error(`kill-matrix: no result of ${nameOf(point)}`);
}

async function killOnce(point: KillPoint, { stack, queue, model, dir }: KillPlace): Promise<KillResult> {
  const text = `${point.goal}: ${nameOf(point)}`;
  const db = connectDatabase(stack.database.url, { max: 1 });
  let goalId: string;
  let sessionId: string;
  try {
    const created = await inTransaction(db, (tx) =>
      createGoal(tx, { goal: CreateGoal.parse({ text }), createdBy: 'admin' }),
    );
    if (created === null) throw new Error('kill-matrix: the goal is there already');
    goalId = created.goal.id;
    sessionId = created.goal.sessionId;
  } finally {
    await db.close();
  }
  if (point.goal === 'holds') await putOld(stack, sessionId);
  // The plan is written before the goal gets a job, so that no worker runs it without the plan.
  await writeFile(join(dir, `${goalId}.plan`), JSON.stringify(point.kills));
  await queue.add(advanceGoal, { goalId });
  if (point.goal === 'halts') {
    const { number } = await stack.client.decisionOf(goalId);
    await eventually('it was killed', async () => (await leftOf(dir, goalId)) === 0);
    await stack.client.decide(number, 'proceed');
  }
  if (point.goal === 'holds') {
    const { number, difference } = await stack.client.decisionOf(goalId);
    if (difference === null) throw new Error('kill-matrix: a halt that is not about what was done');
    await stack.client.decide(number, 'proceed');
  }
  const goal = await eventually(
    `goal ${goalId} is done`,
    async () => {
      const now = await stack.client.goal(goalId);
      return now.state === 'done' ? now : null;
    },
    { timeoutMs: HANG_MS },
  );
  await eventually('it was killed', async () => (await leftOf(dir, goalId)) === 0);
  const [first, second] = goal.actions;
  const printed = (second?.outcome?.output ?? '').trim();
  const passed = await passedOf(dir, goalId);
  const requests = model.requests.filter(({ messages }) => messages[1]?.content === text).length;
  const asked = Math.max(Math.min(requests, point.asked), requests - lostRequests(passed, point.kills));
  const faults: string[] = [];
  const fault = (isWrong: boolean, what: string): void => void (isWrong && faults.push(what));
  fault(goal.stepsTaken !== 3 || goal.steps.length !== 3, `${goal.stepsTaken} steps taken, ${goal.steps.length} kept`);
  fault(goal.actions.length !== 2, `${goal.actions.length} actions`);
  fault(second?.state !== 'finished' || second.outcome?.exitCode !== 0, `the second command is ${second?.state}`);
  fault(!/^[01]$/.test(printed), `the first command ran ${printed} times`);
  const lastMessages = model.requests.findLast(({ messages }) => messages[1]?.content === text)?.messages ?? [];
  const isReported = lastMessages.some(({ content }) => /\[aish\] result lost: [^\n]*echo ran >> log/.test(content));
  fault(
    (first?.state === 'lost') !== isReported,
    `the command is ${first?.state}, and reported as lost: ${isReported}`,
  );
  fault(
    asked !== point.asked,
    `asked ${asked} times: ${passed.map((each) => `${each.pid} ${each.boundary}`).join(', ')}`,
  );
  return {
    point,
    asked,
    ran: printed === '1' ? 1 : 0,
    ends: first?.state === 'lost' ? 'lost' : 'finished',
    faults,
    againMs: againOf(passed),
  };
}

/** Creates a file of a person, which the goal's second command overwrites. */
async function putOld(stack: Stack, sessionId: string): Promise<void> {
  const path = `/v1/sessions/${sessionId}/files/file?path=old`;
  const put = await stack.client.request('PUT', path, 'old', { 'content-type': 'application/octet-stream' });
  if (!put.ok) throw new Error(`kill-matrix: ${put.status} ${await put.text()}`);
}

export async function leftOf(dir: string, goalId: string): Promise<number> {
  return (JSON.parse(await readFile(join(dir, `${goalId}.plan`), 'utf8')) as unknown[]).length;
}

async function passedOf(dir: string, goalId: string): Promise<readonly Passed[]> {
  const text = await readFile(join(dir, `${goalId}.passed`), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Passed);
}

/**
 * Returns the number of requests to the model whose answer was not stored although the runner was not killed. On a very
 * busy machine a runner may lose its lock, and the next one asks again.
 */
function lostRequests(passed: readonly Passed[], kills: readonly Kill[]): number {
  const killed: string[] = kills.map(({ at }) => at);
  return passed.filter(({ boundary, pid }, at) => {
    if (boundary !== 'ask.before') return false;
    const later = passed.slice(at).filter((each) => each.pid === pid && each.boundary !== 'job.taken');
    const end = later.findIndex((each, n) => n > 0 && BEGINS.has(each.boundary));
    const steps = (end === -1 ? later : later.slice(0, end)).map((each) => each.boundary);
    if (steps.includes('record.after')) return false;
    const kill = killed.indexOf(steps.at(-1) ?? '');
    if (kill !== -1) killed.splice(kill, 1);
    return kill === -1;
  }).length;
}

/** Returns the times from the last boundary that a worker passed to the first action of the next worker. */
function againOf(passed: readonly Passed[]): readonly number[] {
  const pids = [...new Set(passed.map(({ pid }) => pid))];
  return pids.slice(1).flatMap((pid, index) => {
    const died = passed.findLast((each) => each.pid === pids[index]);
    const acts = passed.find((each) => each.pid === pid && BEGINS_SOMETHING.test(each.boundary));
    return died === undefined || acts === undefined ? [] : [acts.at - died.at];
  });
}
