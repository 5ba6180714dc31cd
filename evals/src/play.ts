import { hostsApi, secretsApi } from '@aish/contracts/endpoints/access';
import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { networkApi } from '@aish/contracts/endpoints/sessions';
import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal, type CreateGoalInput, type GoalDetail } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import type { Trust } from '@aish/contracts/trust';
import type { ApiClient } from '@aish/client/api.client';
import { ApiError } from '@aish/client/api.error';
import { machinesOf, type Job } from './job.js';
import { answerTo, type Answered } from './questions.js';
import { resultOf, type JobResult } from './result.js';
import { World, type WorldOptions } from './world.js';

const POLL_MS = 200;
/** Requests to an unavailable api are retried for this long. */
const AWAY_MS = 120_000;

export interface Player extends Omit<WorldOptions, 'signal'> {
  readonly client: ApiClient;
  readonly signal: AbortSignal;
  readonly preset?: string;
  readonly trust?: Trust;
  /**
   * The space for goals whose job names none. The test is about the instructions, the preset and the budgets of this
   * space.
   */
  readonly space?: string;
  readonly proposeCheck?: boolean;
  /** The seed of the first repeat. Each further repeat adds 1. */
  readonly seed?: number;
  /** Called as soon as the goal exists, so that a run that was killed can find the goal. */
  readonly begun: (goal: number) => Promise<void>;
}

/** Plays a job once: creates its world, gives its goal, answers as its person, and checks the world afterwards. */
export async function playJob(job: Job, attempt: number, player: Player): Promise<JobResult> {
  const { client, signal } = player;
  const world = await World.make(job, player);
  let given: number | null = null;
  try {
    const before = await world.kept(signal);
    if (job.world !== 'files') await join(world, player);
    const from = performance.now();
    const { number, sessionId } = await insist(
      () => client.call(goalsApi.create, { body: goalOf(job, attempt, world.address, player) }, signal),
      signal,
    );
    given = number;
    await player.begun(number);
    await give(job, world.address, sessionId, player);
    if (job.world === 'files') {
      const tar = await world.pack(signal);
      await insist(() => client.pushFile(sessionId, '', 'archive', streamOf(tar), signal), signal);
    }
    await insist(() => client.call(goalsApi.resume, { params: { ref: String(number) } }, signal), signal);
    const { goal, answered } = await accompany(job, String(number), player);
    const wallMs = performance.now() - from;
    if (job.world === 'files') await world.unpack(await pulled(sessionId, player), signal);
    const verdict = await world.verify(signal);
    const after = await world.kept(signal);
    return resultOf({ job, attempt, address: world.address, goal, answered, verdict, before, after, wallMs });
  } finally {
    // Nobody answers for this goal any more, and its machine is removed.
    if (given !== null && signal.aborted) {
      const sent = { params: { ref: String(given) } };
      await orGone(client.call(goalsApi.cancel, sent, AbortSignal.timeout(10_000)));
    }
    await leave(job, client);
    await world.remove();
  }
}

function goalOf({ goal: text, ...job }: Job, attempt: number, address: string, player: Player): CreateGoalInput {
  return {
    text: text.replaceAll('{address}', address),
    paused: true,
    stepBudget: job.steps,
    timeBudgetMs: job.minutes * 60_000,
    hosts: machinesOf(job).map(({ host }) => host),
    ...spaceOf(job.space ?? player.space),
    ...(player.preset === undefined ? {} : { preset: player.preset }),
    ...(player.trust === undefined ? {} : { trust: player.trust }),
    ...(player.proposeCheck === true ? { proposeCheck: true } : {}),
    ...(player.seed === undefined ? {} : { seed: player.seed + attempt - 1 }),
  };
}

const spaceOf = (space: string | undefined) => (space === undefined ? {} : { space });

/** Adds each machine as a host, as an admin would. */
async function join(world: World, { client, signal }: Player): Promise<void> {
  for (const part of world.parts) {
    const [name, { address }] = [part.host, part];
    const { host, seen } = await insist(() => client.call(hostsApi.add, { body: { name, address } }, signal), signal);
    await world.authorize(part, host.authorizedKeys, signal);
    const keys = seen.map(({ key }) => key);
    await insist(() => client.call(hostsApi.trust, { params: { name }, body: { keys } }, signal), signal);
  }
}

const SECRET = { targets: [], exposed: false, body: false, certificate: null };

/** Gives the goal's commands the secrets of its job, and access to the ports for these secrets. */
async function give({ gives }: Job, address: string, sessionId: string, { client, signal }: Player): Promise<void> {
  const names = Object.keys(gives);
  if (names.length === 0) return;
  for (const [name, { value, port }] of Object.entries(gives)) {
    const goes = port === undefined ? { exposed: true } : { targets: [{ host: address, port, tls: false }] };
    await insist(
      () => client.call(secretsApi.set, { params: { name }, body: { ...SECRET, ...goes, value } }, signal),
      signal,
    );
  }
  const ports = Object.values(gives).flatMap(({ port }) => port ?? []);
  if (ports.length > 0) {
    const rules = [{ host: address, ports, private: true }];
    await insist(
      () => client.call(networkApi.set, { params: { id: sessionId }, body: { mode: 'allow', rules } }, signal),
      signal,
    );
  }
  await insist(() => client.call(secretsApi.give, { params: { id: sessionId }, body: { names } }, signal), signal);
}

/** Removes the hosts and the secrets of a job, also when the run is stopped, because aish must not keep them. */
export async function leave(job: Job, client: ApiClient): Promise<void> {
  const signal = AbortSignal.timeout(10_000);
  const gone = (error: unknown): void => {
    if (!(error instanceof ApiError)) throw error;
  };
  for (const { host: name } of machinesOf(job))
    await client.call(hostsApi.remove, { params: { name } }, signal).catch(gone);
  for (const secret of Object.keys(job.gives))
    await client.call(secretsApi.remove, { params: { name: secret } }, signal).catch(gone);
}

/** Answers the goal's decisions until it has ended, and cancels it at its time limit. */
async function accompany(
  job: Job,
  reference: string,
  { client, signal }: Player,
): Promise<{ readonly goal: GoalDetail; readonly answered: readonly Answered[] }> {
  const until = Date.now() + job.minutes * 60_000;
  const answered = new Map<string, Answered>();
  for (;;) {
    const goal = await insist(() => client.call(goalsApi.show, { params: { ref: reference } }, signal), signal);
    if (isTerminal(goal.state)) return { goal, answered: [...answered.values()] };
    if (Date.now() > until)
      await insist(() => orGone(client.call(goalsApi.cancel, { params: { ref: reference } }, signal)), signal);
    for (const decision of goal.decisions.filter(({ state }) => state === 'pending')) {
      const { verdict, answered: given } = answerTo(decision, job);
      await insist(
        () => orGone(client.call(decisionsApi.decide, { params: { ref: decision.id }, body: verdict }, signal)),
        signal,
      );
      answered.set(decision.id, given);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/**
 * Ignores errors about a decision that was withdrawn or answered by the interrupted request, and about a goal that has
 * ended.
 */
async function orGone(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.kind !== 'answered' || error.status !== 409) throw error;
  });
}

/** Retries while a service is unavailable, because kills are part of the measurement. */
async function insist<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const until = Date.now() + AWAY_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      // A workspace is missing for a moment between two of its commands.
      const isAway =
        error instanceof ApiError &&
        (error.kind === 'unreachable' || error.status === 503 || error.code === 'file_not_found');
      if (!isAway || Date.now() > until) throw error;
      await sleep(POLL_MS, undefined, { signal });
    }
  }
}

async function pulled(sessionId: string, { client, signal }: Player): Promise<Uint8Array> {
  return insist(async () => {
    const pieces: Uint8Array[] = [];
    for await (const piece of client.pullFile(sessionId, '', 'archive', signal)) pieces.push(piece);
    if (pieces.length === 0) throw new AishError('internal', 'The workspace came back empty');
    return Buffer.concat(pieces);
  }, signal);
}

const streamOf = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
