import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { INTAKE_BOUNDARIES, type IntakeBoundary } from '@aish/actions';
import { GoalList, isTerminal, type Goal } from '@aish/contracts/goals';
import { AddedEventSource, EventReceipt, EventRule, ReceivedEventList } from '@aish/contracts/incoming-events';
import { eventually } from '../support/eventually.js';
import { HANG_MS, leftOf } from './kill-matrix.js';
import type { KillPlace } from './kill-place.js';
import { KILL_POINTS, NEXT_PLAN, type Kill } from './kill-plan.js';

/** The result of an event during which a process was killed. */
export interface IntakeResult {
  readonly name: string;
  /** The faults, one line each. */
  readonly faults: readonly string[];
}

/** The way in which an event is sent: to the api that is killed and then to the other, or to both at once. */
type Way = 'alone' | 'at-once';

interface Sent {
  readonly name: string;
  /** The outcomes of all deliveries to both apis. */
  readonly outcomes: readonly EventReceipt['outcome'][];
  readonly unanswered: number;
  readonly faults: readonly string[];
}

/** The event goes to both apis at once. The second api waits for the first, or finds the rows that it wrote. */
const API_KILLS = [
  ...[...INTAKE_BOUNDARIES, 'answered' as const].map((at) => [at, 'alone'] as const),
  ...(['intake.locked', 'intake.written', 'intake.committed'] as const).map((at) => [at, 'at-once'] as const),
];

/** These are the worker boundaries that a goal passes until its first command has ended. */
const WORKER_KILLS: readonly Kill[] = KILL_POINTS.filter(({ goal, kills }) => goal === 'plain' && kills.length === 1)
  .flatMap(({ kills }) => kills)
  .filter(({ at, pass }) => pass === 1 && !/^(drive.left|lock.freed)$/.test(at));

/**
 * Kills the api at each boundary of an event, and workers until its goal has made its first step. A sender that gets no
 * response sends the event again. Each event must create exactly one goal, and no answered event may be lost.
 */
export async function intakeKills(
  place: KillPlace,
  progress: (line: string) => void = () => undefined,
): Promise<readonly IntakeResult[]> {
  const sent: Sent[] = [];
  for (const [at, way] of API_KILLS) {
    const one = await killApi(place, at, way);
    sent.push(one);
    progress(`${one.name}: ${one.outcomes.join(', ')}`);
  }
  const over = await killCancelling(place);
  progress(over.name);
  const results = await Promise.all(sent.map((each) => resultOf(place, each)));
  // The crowd starts only now, because earlier goals would take the plans meant for these.
  const crowd = await killWorkers(place);
  progress(`${crowd.length} goals whose workers were killed`);
  return [...results, over, ...crowd];
}

async function killApi(place: KillPlace, at: IntakeBoundary | 'answered', way: Way): Promise<Sent> {
  const { stack, dir } = place;
  // The boundary `answered` comes after the sender has its response.
  const name = `${at.replace('.', '-')}-${way}`;
  const faults: string[] = [];
  // One sender numbers its deliveries, and the other does not.
  const from = await source(place, name, way === 'alone' ? 'token' : 'github');
  await rule(place, name, 'plain');
  const first = (): Promise<EventReceipt | null> => send(stack.client.url, from);
  const other = (lost?: string[]): Promise<EventReceipt | null> => send(stack.secondClient.url, from, { lost });
  if (at !== 'answered') await plan(dir, name, [{ at, pass: 1, pid: stack.api.pid ?? 0 }]);
  const survivor = stack.secondApi?.pid;
  const answers = await Promise.all(way === 'alone' ? [first()] : [first(), other(faults)]);
  if (at === 'answered') await stack.api.kill('SIGKILL');
  else if (answers[0] !== null) faults.push('the sender was answered by an api that was killed');
  else if ((await leftOf(dir, name)) > 0) faults.push('nobody was killed');
  const again = [];
  for (const to of [() => other(), first]) {
    again.push(await eventually(`${name} is answered`, to, { timeoutMs: HANG_MS }));
  }
  if (stack.secondApi?.pid !== survivor) faults.push(`the other api has ended: ${stack.secondApi?.log.slice(-2_000)}`);
  const all = [...answers, ...again];
  return {
    name,
    outcomes: all.flatMap((each) => each?.outcome ?? []),
    unanswered: all.filter((each) => each === null).length,
    faults,
  };
}

/**
 * Checks that the end of an event cancels its goal even if the api was killed after recording the cancellation and
 * before carrying it out.
 */
async function killCancelling(place: KillPlace): Promise<IntakeResult> {
  const { stack, dir } = place;
  const name = 'cancelling';
  const from = await source(place, name, 'github');
  await rule(place, name, 'halts', { resolved: { status: 'resolved' }, onResolved: 'cancel' });
  const begun = await send(stack.secondClient.url, from);
  const goal = await goalOf(place, name);
  await eventually('it halts', async () => (await stack.secondClient.goal(goal?.id ?? '')).state === 'halted');
  await plan(dir, name, [{ at: 'intake.committed', pass: 1, pid: stack.api.pid ?? 0 }]);
  const killed = await send(stack.client.url, from, { status: 'resolved' });
  const again = await send(stack.secondClient.url, from, { status: 'resolved' });
  const { state } = await stack.secondClient.goal(goal?.id ?? '');
  const late = await eventually('it is up again', () => send(stack.client.url, from, { status: 'resolved' }), {
    timeoutMs: HANG_MS,
  });
  const seen = [begun?.outcome, killed?.outcome ?? 'no answer', again?.outcome, state, late?.outcome].join(', ');
  const isRight = seen === 'goal, no answer, replayed, aborted, replayed';
  return { name, faults: isRight ? [] : [seen] };
}

async function killWorkers(place: KillPlace): Promise<readonly IntakeResult[]> {
  const { stack, dir } = place;
  await Promise.all(
    WORKER_KILLS.map((kill, at) => writeFile(join(dir, `${NEXT_PLAN}${at}`), JSON.stringify([{ ...kill, pass: 1 }]))),
  );
  const sent = await Promise.all(
    WORKER_KILLS.map(async ({ at }): Promise<Sent> => {
      const name = `crowd-${at.replace('.', '-')}`;
      const from = await source(place, name, 'token');
      await rule(place, name, 'plain');
      const both = await Promise.all([stack.client, stack.secondClient].map(({ url }) => send(url, from)));
      const outcomes = both.flatMap((each) => each?.outcome ?? []);
      return { name, outcomes, unanswered: 0, faults: outcomes.length === 2 ? [] : ['not answered'] };
    }),
  );
  const results = await Promise.all(sent.map((each) => resultOf(place, each)));
  const goals = await Promise.all(sent.map(({ name }) => goalOf(place, name)));
  const left = await Promise.all(goals.map((goal) => leftOf(dir, goal?.id ?? '')));
  return results.map((result, at) =>
    left[at] === 0 ? result : { ...result, faults: [...result.faults, 'no worker was killed'] },
  );
}

/** Waits until the goal of an event has ended. */
async function resultOf(place: KillPlace, { name, outcomes, unanswered, faults: before }: Sent): Promise<IntakeResult> {
  const { secondClient: client } = place.stack;
  const faults = [...before];
  const fault = (isWrong: boolean, what: string): void => void (isWrong && faults.push(what));
  const { items: events } = await client.json(ReceivedEventList, 'GET', `/v1/events?source=${name}&limit=200`);
  const given = await goalsOf(place, name);
  fault(given.length !== 1, `${given.length} goals`);
  fault(events.length !== 1 || events[0]?.outcome !== 'goal', `events: ${events.map(({ outcome }) => outcome).join()}`);
  fault(events[0]?.goal !== given[0]?.number, 'the event names another goal');
  // The response of a killed api does not show which rows it wrote.
  const wasWritten = outcomes.filter((outcome) => outcome === 'goal').length;
  fault(wasWritten > 1 || wasWritten + unanswered < 1, `answered: ${outcomes.join()}`);
  const counted = outcomes.filter((outcome) => outcome === 'repeated').length;
  const repeats = events[0]?.repeats ?? 0;
  fault(repeats < counted || repeats > counted + unanswered, `${counted} answered as repeated, ${repeats} counted`);
  const id = given[0]?.id ?? '';
  const goal = await eventually(
    `the goal of ${name} has ended`,
    async () => {
      const now = await client.goal(id);
      return isTerminal(now.state) && now;
    },
    { timeoutMs: HANG_MS },
  );
  const [first, second] = goal.actions;
  fault(goal.state !== 'done' || goal.stepsTaken !== 3, `${goal.state} after ${goal.stepsTaken} steps`);
  const ran = (second?.outcome?.output ?? '').trim();
  fault(ran !== (first?.state === 'lost' ? '0' : '1'), `the first command is ${first?.state} and ran ${ran} times`);
  return { name, faults };
}

/** Sends an event. Returns null if there was no response, and `lost` then receives the reason. */
async function send(
  url: string,
  from: AddedEventSource,
  { status = 'firing', lost }: { readonly status?: string; readonly lost?: string[] | undefined } = {},
): Promise<EventReceipt | null> {
  const body = JSON.stringify({ kind: from.name, status });
  const signature = createHmac('sha256', from.secret).update(body).digest('hex');
  const proof =
    from.proof === 'token'
      ? { authorization: `Bearer ${from.secret}` }
      : { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-delivery': status };
  try {
    const answer = await fetch(`${url}/v1/events/${from.name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...proof },
      body,
      signal: AbortSignal.timeout(30_000),
    });
    if (answer.status === 202) return EventReceipt.parse(await answer.json());
    throw new Error(`${answer.status} ${await answer.text()}`);
  } catch (error) {
    // The api was killed, or is not running again yet.
    if (!(error instanceof TypeError)) throw error;
    lost?.push(`no answer: ${error.cause instanceof Error ? error.cause.message : error.message}`);
    await sleep(50);
    return null;
  }
}

function source({ stack }: KillPlace, name: string, proof: string): Promise<AddedEventSource> {
  return stack.secondClient.json(AddedEventSource, 'POST', '/v1/event-sources', { name, proof });
}

function rule({ stack }: KillPlace, name: string, script: string, more: object = {}): Promise<EventRule> {
  const goal = { text: `${script}: an event of ${name} with {{kind}}` };
  const body = { source: name, key: ['kind'], match: { status: 'firing' }, goal, ...more };
  return stack.secondClient.json(EventRule, 'POST', '/v1/event-rules', body);
}

async function plan(dir: string, id: string, kills: readonly Kill[]): Promise<void> {
  await writeFile(join(dir, `${id}.plan`), JSON.stringify(kills));
}

async function goalsOf({ stack }: KillPlace, name: string): Promise<readonly Goal[]> {
  const { items } = await stack.secondClient.json(GoalList, 'GET', '/v1/goals?limit=200');
  return items.filter(({ text }) => text.endsWith(`with "${name}"`));
}

async function goalOf(place: KillPlace, name: string): Promise<Goal | undefined> {
  return (await goalsOf(place, name))[0];
}
