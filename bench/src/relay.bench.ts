import { spawn, type ChildProcess } from 'node:child_process';
import { eventually } from '@aish/tests/support/eventually';
import { Stack } from '@aish/tests/support/stack';
import { freePort } from '@aish/tests/support/service.process';
import { sized, type Benchmark, type Figures } from './benchmark.js';
import { startLastingDatabase } from './lasting-database.js';
import { Bare } from './relay/bare.js';
import { startEndpoint, type Endpoint } from './relay/endpoint.js';
import { cpuMs, peakMb } from './relay/process.js';
import { aishWords, measure, openAiWords, type Measured, type Way } from './relay/streams.js';
import { percentile } from './statistics.js';
import { peerFile } from './peers.js';

const TOKENS = sized(150, 10);
const TOKENS_PER_SECOND = 50;
const MOST = sized(200, 4);
/**
 * The numbers of rounds. One stream has few first tokens, and with 20 streams the differences between two paths are
 * smaller than between two rounds of one path. Therefore each measurement is repeated.
 */
const ROUNDS: Readonly<Record<number, number>> = {
  1: sized(20, 1),
  16: sized(3, 1),
  20: sized(6, 1),
  200: sized(3, 1),
};
const QUESTION = [{ role: 'user', content: 'Write the time.' }];

interface Relay extends Way {
  /** The process ID of the relay, or null for the path without one. */
  readonly pid: number | null;
}

/**
 * Measures the overhead that aish adds to a model's answer, compared with the endpoint itself, a minimal program of the
 * same kind and another gateway.
 */
export const benchmark: Benchmark = {
  name: 'relay',
  about:
    'Answers streamed by a scripted endpoint at 50 tokens/s each: straight, through the api of aish (a chat, everything written down), ' +
    'through a bare NestJS on Fastify that first writes the message in the same one statement, and through @portkey-ai/gateway (which keeps nothing), taking turns in ' +
    'one run; Postgres as npm start has it, with fsync. Added times are differences to straight.',
  goals: {
    aish_1_added_token_p50_ms: { op: '<=', value: 1 },
    aish_16_token_p99_ms: { op: '<=', value: 5 },
    aish_200_throughput_ratio: { op: '>=', value: 0.88 },
    aish_peak_mb: { op: '<=', value: 250 },
    // Less is better: below 1, aish is faster. The minimal program is the lower limit.
    first_token_against_bare_1_ratio: { op: '<=', value: 1.75 },
    first_token_against_portkey_1_ratio: { op: '<=', value: 1 },
    token_against_portkey_20_ratio: { op: '<=', value: 1 },
  },
  async run(progress) {
    const children: ChildProcess[] = [];
    let stack: Stack | null = null;
    let bare: Bare | null = null;
    try {
      const endpoint = await startEndpoint(TOKENS, TOKENS_PER_SECOND);
      children.push(endpoint.child);
      const portkey = await startPortkey(children);
      stack = await Stack.start({
        database: await startLastingDatabase(),
        modelUrl: endpoint.url,
        model: 'relay',
        workers: 0,
        ownProcesses: true,
        env: { REQUESTS_PER_MINUTE: '1000000', LOG_LEVEL: 'warn' },
      });
      bare = await Bare.start(endpoint.url, stack.database.url);
      const ways = [straight(endpoint.url), aish(stack), throughBare(bare), through(portkey, endpoint.url)];
      for (const way of ways) await measure(way, 4); // this warm-up also probes the model
      const figures: Record<string, number> = {};
      for (const streams of [1, 16, 20, 200]) {
        const results = await rounds(ways, streams, progress);
        Object.assign(figures, compare(results, streams));
      }
      return {
        ...figures,
        first_token_against_bare_1_ratio: ratio(figures, 'aish_1_first_token_p50_ms', 'bare_1_first_token_p50_ms'),
        first_token_against_portkey_1_ratio: ratio(
          figures,
          'aish_1_added_first_token_p50_ms',
          'portkey_1_added_first_token_p50_ms',
        ),
        token_against_portkey_20_ratio: ratio(figures, 'aish_20_token_p50_ms', 'portkey_20_token_p50_ms'),
        aish_peak_mb: peakMb(stack.api.pid ?? 0),
        portkey_peak_mb: peakMb(portkey.child.pid ?? 0),
      };
    } finally {
      await bare?.stop();
      await stack?.stop();
      for (const child of children) child.kill('SIGKILL');
    }
  },
};

interface Result {
  readonly measured: readonly Measured[];
  /** The CPU milliseconds of the relay, or 0 if there is none. */
  readonly cpuMs: number;
}

async function rounds(
  ways: readonly Relay[],
  streams: number,
  progress: (line: string) => void,
): Promise<ReadonlyMap<string, Result>> {
  const results = new Map<string, { measured: Measured[]; cpuMs: number }>();
  for (let round = 0; round < (ROUNDS[streams] ?? 1); round += 1) {
    for (const way of ways) {
      progress(`${streams} streams, round ${round + 1}: ${way.name}`);
      const result = results.get(way.name) ?? { measured: [], cpuMs: 0 };
      const before = way.pid === null ? 0 : cpuMs(way.pid);
      result.measured.push(await measure(way, Math.min(streams, MOST)));
      if (way.pid !== null) result.cpuMs += cpuMs(way.pid) - before;
      results.set(way.name, result);
    }
  }
  return results;
}

function compare(results: ReadonlyMap<string, Result>, streams: number): Figures {
  const of = (name: string) => {
    const { measured, cpuMs: cpu } = results.get(name) ?? { measured: [], cpuMs: Number.NaN };
    const first = measured.flatMap(({ firstTokenMs }) => firstTokenMs);
    const tokens = measured.flatMap(({ tokenMs }) => tokenMs);
    const count = measured.reduce((sum, each) => sum + each.tokens, 0);
    const seconds = measured.reduce((sum, each) => sum + each.totalMs, 0) / 1_000;
    return {
      first50: percentile(first, 0.5),
      first99: percentile(first, 0.99),
      token50: percentile(tokens, 0.5),
      token99: percentile(tokens, 0.99),
      throughput: count / seconds,
      cpuPerThousand: (cpu / count) * 1_000,
    };
  };
  const direct = of('straight');
  const figures: Record<string, number> = {
    [`straight_${streams}_first_token_p50_ms`]: direct.first50,
    [`straight_${streams}_token_p50_ms`]: direct.token50,
    [`straight_${streams}_token_p99_ms`]: direct.token99,
  };
  for (const name of ['aish', 'bare', 'portkey']) {
    const way = of(name);
    figures[`${name}_${streams}_first_token_p50_ms`] = way.first50;
    figures[`${name}_${streams}_added_first_token_p50_ms`] = way.first50 - direct.first50;
    figures[`${name}_${streams}_added_token_p50_ms`] = way.token50 - direct.token50;
    figures[`${name}_${streams}_token_p50_ms`] = way.token50;
    figures[`${name}_${streams}_token_p99_ms`] = way.token99;
    figures[`${name}_${streams}_cpu_per_1000_tokens_ms`] = way.cpuPerThousand;
    figures[`${name}_${streams}_throughput_ratio`] = way.throughput / direct.throughput;
  }
  return figures;
}

function ratio(figures: Figures, a: string, b: string): number {
  return (figures[a] ?? Number.NaN) / (figures[b] ?? Number.NaN);
}

async function startPortkey(children: ChildProcess[]): Promise<Endpoint> {
  const port = await freePort();
  const main = peerFile('@portkey-ai/gateway', '1.15.2', 'build/start-server.js');
  const lenient = new URL('relay/lenient-headers.main.js', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', lenient, main, `--port=${port}`, '--headless'], {
    stdio: 'ignore',
    env: { ...process.env, NODE_ENV: 'production' },
  });
  children.push(child);
  const url = `http://127.0.0.1:${port}`;
  await eventually('the gateway answers', () => fetch(url, { signal: AbortSignal.timeout(1_000) }));
  return { child, url };
}

function straight(url: string): Relay {
  return {
    name: 'straight',
    pid: null,
    wordsOf: openAiWords,
    request: async () => chatRequest(`${url}/v1/chat/completions`, {}),
  };
}

function throughBare(bare: Bare): Relay {
  const body = JSON.stringify({ text: QUESTION[0]?.content });
  return {
    name: 'bare',
    pid: bare.pid,
    wordsOf: openAiWords,
    request: async () => ({ url: await bare.newChatUrl(), headers: {}, body }),
  };
}

function through({ url, child }: Endpoint, endpoint: string): Relay {
  const headers = {
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${endpoint}/v1`,
    authorization: 'Bearer none',
  };
  return {
    name: 'portkey',
    pid: child.pid ?? 0,
    wordsOf: openAiWords,
    request: async () => chatRequest(`${url}/v1/chat/completions`, headers),
  };
}

function chatRequest(url: string, headers: Record<string, string>) {
  const body = JSON.stringify({
    model: 'relay',
    messages: QUESTION,
    stream: true,
    stream_options: { include_usage: true },
  });
  return { url, headers, body };
}

/**
 * Returns the path through aish. Each stream uses a new chat, because the other paths have no earlier conversation
 * either.
 */
function aish({ client, api }: Stack): Relay {
  const headers = { authorization: `Bearer ${client.token}` };
  const body = JSON.stringify({ text: QUESTION[0]?.content });
  return {
    name: 'aish',
    pid: api.pid ?? 0,
    wordsOf: aishWords,
    request: async () => {
      const created = await client.request('POST', '/v1/sessions', {});
      const { id } = (await created.json()) as { id: string };
      return { url: `${client.url}/v1/sessions/${id}/messages`, headers, body };
    },
  };
}
