import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GoalList } from '@aish/contracts/goals';
import { startJobs, type CommandResult, type RunningCommand } from '../support/aish.command.js';
import { JOBS, jobsModel, type JobTexts } from '../support/jobs.model.js';
import type { Stack } from '../support/stack.js';
import { atChaosPlace, type ChaosPlace } from './chaos-place.js';
import { roll, type ChaosReport } from './goals-chaos.js';
import { linesOf } from './judge-goal.js';
import { raiseFallen, startAgain } from './victims.js';

export interface JobsChaos {
  readonly names: readonly string[];
  readonly kills: number;
  readonly seed: number;
}

const RUN_MAX_MS = 60 * 60_000;
/** Besides services, the runner itself is killed. It continues when it is restarted. */
const RUNNER = 'npm run jobs -- run';

/** This file in a goal's workspace lists the commands that ran, one line for each run. */
const RAN = '.ran';
const MARK = /; echo (\d+) >> \/workspace\/\.ran$/;

/**
 * Makes a command record in the workspace that it ran, because the world of a machine is not the workspace. A command
 * that ends in a here-document cannot do so.
 */
function marked(command: string, n: number, { world }: JobTexts): string {
  return world === 'host' && !command.includes('<<') ? `${command}; echo ${n} >> /workspace/${RAN}` : command;
}

/** Plays jobs that their solutions must solve despite all kills. Their commands must not run twice. */
export async function jobsChaos(
  { names, kills, seed }: JobsChaos,
  progress: (line: string) => void,
): Promise<ChaosReport> {
  const env = { CONFIRM_CMD: 'false', HOSTS_CA_KEY: 'the key of this run that signs for hosts, long' };
  return atChaosPlace({ script: await jobsModel('reference', marked), workers: 2, env }, async (place) => {
    const dir = await mkdtemp(join(tmpdir(), 'aish-jobs-chaos-'));
    const out = join(dir, 'run');
    try {
      const killed: Record<string, number> = {};
      const faults: string[] = [];
      const runner = new Runner(place.stack, out, names);
      for (let n = 0; n < kills && !runner.isOver; n += 1) {
        await sleep(2_000 + 4_000 * roll(seed, n, 'when'));
        if (runner.isOver) break;
        const all = [...place.victims.map((victim) => victim.name), RUNNER];
        const name = all[Math.floor(roll(seed, n, 'who') * all.length)] ?? RUNNER;
        killed[name] = (killed[name] ?? 0) + 1;
        progress(`kill ${n + 1}: ${name}`);
        if (name === RUNNER) await runner.kill();
        else await killOne(place, name, faults);
      }
      const { code, stderr } = await runner.ended();
      if (code !== 0) faults.push(`${RUNNER} exited with code ${code}: ${stderr.slice(-1_000)}`);
      return { counts: { ...(await judged(place, out, faults)), ...counted(killed) }, faults };
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
}

/** Runs `npm run jobs -- run`, which is killed and restarted. */
class Runner {
  private running: RunningCommand;
  isOver = false;

  constructor(
    private readonly stack: Stack,
    private readonly out: string,
    private readonly names: readonly string[],
  ) {
    this.running = this.start();
  }

  async kill(): Promise<void> {
    const before = this.running;
    before.kill();
    await before.ended();
    this.running = this.start();
  }

  ended(): Promise<CommandResult> {
    return this.running.ended();
  }

  private start(): RunningCommand {
    const connection = { url: this.stack.client.url, tokenFile: join(this.stack.dir, 'token') };
    const args = ['run', ...this.names, '--jobs', JOBS, '--out', this.out];
    const started = startJobs(connection, args, {}, RUN_MAX_MS);
    const over = async (): Promise<void> => {
      await started.ended();
      if (this.running === started) this.isOver = true;
    };
    void over();
    return started;
  }
}

async function killOne({ victims }: ChaosPlace, name: string, faults: string[]): Promise<void> {
  const victim = victims.find((each) => each.name === name);
  if (victim === undefined) return;
  await victim.kill();
  await sleep(500);
  await startAgain(victim);
  faults.push(...(await raiseFallen(victims)));
}

const counted = (killed: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(killed).map(([name, times]) => [`killed ${name}`, times]));

/** Checks that every job is solved, that no command ran twice, and that each command that has ended did run. */
async function judged({ stack }: ChaosPlace, out: string, faults: string[]): Promise<Record<string, number>> {
  const { results } = JSON.parse(await readFile(join(out, 'results.json'), 'utf8')) as {
    results: { job: string; solved: boolean; why: string; state: string }[];
  };
  for (const { job, solved, why, state } of results)
    if (!solved) faults.push(`${job} is not solved (${state}): ${why}`);
  const { items } = await stack.client.json(GoalList, 'GET', '/v1/goals?limit=500');
  let [commands, marks, lost] = [0, 0, 0];
  for (const { number } of items) {
    const { actions, sessionId } = await stack.client.goal(number);
    const ran = await linesOf(stack.client, sessionId, RAN);
    commands += actions.length;
    marks += ran.length;
    lost += actions.filter(({ state }) => state === 'lost').length;
    for (const line of new Set(ran)) {
      const times = ran.filter((each) => each === line).length;
      if (times > 1) faults.push(`command ${line} of goal ${number} ran ${times} times`);
    }
    for (const action of actions) {
      const mark = action.kind === 'command' ? MARK.exec(action.command)?.[1] : undefined;
      if (action.state === 'finished' && mark !== undefined && !ran.includes(mark))
        faults.push(`command ${mark} of goal ${number} is finished and has not run`);
    }
  }
  if (marks === 0) faults.push('no command has said that it ran: nothing tells whether one ran twice');
  return { jobs: results.length, solved: results.filter(({ solved }) => solved).length, commands, marks, lost };
}
