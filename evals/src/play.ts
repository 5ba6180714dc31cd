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
/** How long an api that does not answer is asked again. */
const AWAY_MS = 120_000;

export interface Player extends Omit<WorldOptions, 'signal'> {
  readonly client: ApiClient;
  readonly signal: AbortSignal;
  readonly preset?: string;
  readonly trust?: Trust;
  /** Of goals whose job names none: its instructions, preset and budgets are what is tried. */
  readonly space?: string;
  readonly proposeCheck?: boolean;
  /** Of the first repeat; each further one has the next. */
  readonly seed?: number;
  /** Called as soon as the goal exists, so that a run after a kill finds it. */
  readonly begun: (goal: number) => Promise<void>;
}

/** Plays a job once: makes its world, gives its goal, answers as its person, and looks at the world afterwards. */
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
    // Nobody answers for its goal any more, and its machine goes.
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

/** Each machine becomes a host of aish, as an admin makes it one. */
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

/** The goal's commands may use what its job gives, and reach the ports that this is for. */
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

/** Also when the run is stopped: no host that is gone and no secret of a job must stay in aish. */
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

/** Answers the goal's questions until it has ended; what takes longer than it may is cancelled. */
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

/** Ignores a question that was withdrawn, or answered by the broken request, and a goal that has ended. */
async function orGone(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.kind !== 'answered' || error.status !== 409) throw error;
  });
}

/** What is away comes back: kills are part of what is measured. */
async function insist<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const until = Date.now() + AWAY_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      // A workspace is not there for a moment between two of its commands.
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
    if (pieces.length === 0) throw new AishError('internal', 'The workspace came back as nothing');
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
