import { Agent, request } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AddedEventSource, EventReceipt, EventRule, ReceivedEventList } from '@aish/contracts/incoming-events';
import { sized, type Benchmark, type Figures } from './benchmark.js';
import { startLastingDatabase } from './lasting-database.js';
import { startLoneApi } from './lone-api.js';
import { cpuMs } from './relay/process.js';
import { percentile } from './statistics.js';

const PER_SECOND = 1_000;
const SECONDS = sized(10, 1);
const KEYS = 50;

/** Measures bursts of events. Each event is authenticated, stored and answered. */
export const benchmark: Benchmark = {
  name: 'events',
  about:
    `${PER_SECOND} events a second for ${SECONDS} s, over HTTP to one api with a Postgres that syncs, from the same machine: all ` +
    `the same, and ${KEYS} kinds in turn. How long a sender waits from the moment its event was due; what was answered is counted ` +
    'against what the database has. All the same: one goal, and the rest is counted.',
  goals: {
    same_p99_ms: { op: '<=', value: 50 },
    kinds_p99_ms: { op: '<=', value: 50 },
    same_lost: { op: '<=', value: 0 },
    same_goals: { op: '<=', value: 1 },
    kinds_lost: { op: '<=', value: 0 },
  },
  async run(progress) {
    const dir = await mkdtemp(join(tmpdir(), 'aish-bench-events-'));
    const database = await startLastingDatabase();
    const { api, client } = await startLoneApi(database.url, dir);
    try {
      const figures: Figures[] = [];
      for (const [name, kinds] of [['same', 1], ['kinds', KEYS]] as const) {
        const source = await client.json(AddedEventSource, 'POST', '/v1/event-sources', { name });
        const rule = { source: name, key: ['kind'], atMost: 100, goal: { text: 'see {{kind}}' } };
        await client.json(EventRule, 'POST', '/v1/event-rules', rule);
        await burst(client.url, source, kinds, 200); // this is the warm-up
        const before = await counted(client, name);
        const spent = cpuMs(api.pid ?? 0);
        const took = await burst(client.url, source, kinds, PER_SECOND * SECONDS);
        const perEvent = ((cpuMs(api.pid ?? 0)) - spent) / took.length;
        const lost = took.length - ((await counted(client, name)) - before);
        progress(`${name}: ${took.length} answered, ${lost} lost`);
        figures.push({
          [`${name}_p50_ms`]: percentile(took, 0.5),
          [`${name}_p99_ms`]: percentile(took, 0.99),
          [`${name}_cpu_us`]: perEvent * 1_000,
          [`${name}_goals`]: await goalsOf(client, name),
          [`${name}_lost`]: lost + (PER_SECOND * SECONDS - took.length),
        });
      }
      return Object.assign({}, ...figures) as Figures;
    } catch (error) {
      progress(api.log);
      throw error;
    } finally {
      await api.kill('SIGTERM');
      await database.drop();
      await rm(dir, { recursive: true, force: true });
    }
  },
}; // prettier-ignore

/** @returns how long each response took after its event was due, in milliseconds */
async function burst(url: string, source: AddedEventSource, kinds: number, count: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const began = performance.now();
  const answers: Promise<number>[] = [];
  for (let n = 0; n < count; n += 1) {
    const due = began + (n * 1000) / PER_SECOND;
    if (due > performance.now() + 1) await sleep(due - performance.now());
    const body = JSON.stringify({ kind: `k${n % kinds}`, n, labels: { instance: 'nas', job: 'node' } });
    answers.push(
      post(agent, `${url}/v1/events/${source.name}`, source.secret, body).then(() => performance.now() - due),
    );
  }
  const took = await Promise.all(answers);
  agent.destroy();
  return took;
}

function post(agent: Agent, url: string, secret: string, body: string): Promise<EventReceipt> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` };
    const sent = request(url, { method: 'POST', agent, headers, timeout: 30_000 }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (answer.statusCode === 202) resolve(EventReceipt.parse(JSON.parse(text)));
        else reject(new Error(`${answer.statusCode} ${text}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Returns the number of goals that the events of a source created. */
async function goalsOf(client: Awaited<ReturnType<typeof startLoneApi>>['client'], name: string): Promise<number> {
  const { items } = await client.json(ReceivedEventList, 'GET', `/v1/events?source=${name}&limit=200`);
  return items.filter(({ outcome }) => outcome === 'goal').length;
}

/** Returns the number of events of a source in the database. */
async function counted(client: Awaited<ReturnType<typeof startLoneApi>>['client'], name: string): Promise<number> {
  const { items } = await client.json(ReceivedEventList, 'GET', `/v1/events?source=${name}&limit=200`);
  return items.reduce((sum, { repeats }) => sum + 1 + repeats, 0);
}
