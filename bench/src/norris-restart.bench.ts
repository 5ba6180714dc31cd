import { NewToken } from '@aish/contracts';
import { startScriptedModel } from '@aish/rehearsal';
import { ApiClient } from '@aish/tests/support/api.client';
import { eventually } from '@aish/tests/support/eventually';
import { plan, plans } from '@aish/tests/support/plan';
import type { Benchmark, Figures } from './benchmark.js';
import { readPassed } from './norris/passed.js';
import { withStack, type Aish } from './norris/with-stack.js';
import { now, percentile } from './statistics.js';

const TAKEOVERS = 3;
const HALTS = 2;

/** How soon a goal goes on after its worker, or everything, was killed. */
export const benchmark: Benchmark = {
  name: 'norris-restart',
  about:
    'Real services on a durable Postgres: a worker killed in a command, until another has taken it over; and a HALT answered ' +
    'by a second client after Postgres and every service were killed and started again, until its command starts.',
  goals: {
    takeover_max_ms: { op: '<=', value: 10_000 },
    halt_continues_max_ms: { op: '<=', value: 2_000 },
  },
  async run(progress) {
    const model = await startScriptedModel({
      script: plans({
        // It prints, so that the worker learns that it runs.
        killed: plan('CMD: echo begun; sleep 10', 'GOAL: complete'),
        halting: plan('CMD: rm -rf nothing', 'GOAL: complete'),
      }),
    });
    try {
      return await withStack(model, undefined, progress, async (aish) => ({
        ...(await takeovers(aish)),
        ...(await halts(aish)),
      }));
    } finally {
      await model.close();
    }
  },
};

/** From the kill of a worker in the middle of a command to another one's next act. */
async function takeovers({ stack, dir, progress }: Aish): Promise<Figures> {
  const samples: number[] = [];
  for (let round = 1; round <= TAKEOVERS; round += 1) {
    const { id } = await stack.client.createGoal(`killed ${round}`);
    const pid = await eventually(
      'the command runs',
      async () =>
        readPassed(dir)
          .get(id)
          ?.find(({ boundary }) => boundary === 'run.asked')?.pid,
    );
    const worker = stack.workers.find((each) => each.pid === pid);
    if (worker === undefined) throw new Error('norris: nobody drives the goal');
    const killedAt = now();
    await worker.kill('SIGKILL');
    await stack.client.until(id, 'done');
    // Workers write them now and then.
    const next = await eventually('the takeover is written', async () =>
      readPassed(dir)
        .get(id)
        ?.find((each) => each.pid !== pid && each.boundary === 'recover.before'),
    );
    samples.push(next.at - killedAt);
    progress(`takeover ${round}/${TAKEOVERS}: ${Math.round(next.at - killedAt)} ms`);
    await worker.start();
  }
  return { takeover_p50_ms: percentile(samples, 0.5), takeover_max_ms: Math.max(...samples) };
}

/** From the second client's answer to the model's next question, after every service was killed and started again. */
async function halts({ stack, model, postgres, progress }: Aish): Promise<Figures> {
  const { token } = await stack.client.json(NewToken, 'POST', '/v1/tokens', {
    name: 'phone',
    scopes: ['decide', 'observe'],
  });
  const phone = new ApiClient(stack.client.url, token);
  const samples: number[] = [];
  for (let round = 1; round <= HALTS; round += 1) {
    const text = `halting ${round}`;
    const { id } = await stack.client.createGoal(text);
    const { number } = await stack.client.decisionOf(id);
    await Promise.all([postgres.kill(), ...stack.services.map((service) => service.kill('SIGKILL'))]);
    await postgres.start();
    await Promise.all(stack.services.map((service) => service.start()));
    const decidedAt = now();
    await phone.decide(number, 'proceed');
    const goal = await stack.client.until(id, 'done');
    const started = Date.parse(goal.actions[0]?.startedAt ?? '');
    const asked = model.requests.findLast(({ messages }) => messages[1]?.content === text)?.at ?? Number.NaN;
    samples.push(started - decidedAt);
    progress(
      `HALT ${round}/${HALTS}: goes on after ${Math.round(started - decidedAt)} ms, asks after ${Math.round(asked - decidedAt)} ms`,
    );
  }
  return { halt_continues_p50_ms: percentile(samples, 0.5), halt_continues_max_ms: Math.max(...samples) };
}
