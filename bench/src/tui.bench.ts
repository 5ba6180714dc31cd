import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Goal } from '@aish/contracts/goals';
import { sized, type Benchmark, type Figures } from './benchmark.js';
import { benchGoal } from './bench.goal.js';
import { PseudoTerminal, cpuSeconds, pssMb } from './pseudo.terminal.js';
import { startScriptedApi, type ScriptedApi } from './scripted.api.js';
import { now, percentile } from './statistics.js';
import { peerFile } from './peers.js';

const STARTS = sized(11, 1);
const TOKEN_MS = 5;
/** The time between two steps of any goal. */
const STEP_MS = 10;
const KEYS = sized(100, 5);
const KEY_GAP_MS = 97;
/** V8 still collects garbage from the start for more than a minute, in all its threads. */
const SETTLE_MS = sized(90_000, 1_000);
const IDLE_MS = sized(60_000, 1_000);
const HISTORY_LINES = sized(10_000, 500);
/** A minimal program that echoes keys. */
const PLAIN =
  'process.stdin.setRawMode(true).on("data", (key) => process.stdout.write(key)); process.stdout.write("ready");';
const ROUND = { exchange: 1, step: 1 } as const;

const client = fileURLToPath(new URL('../../clients/cli', import.meta.url));
const bundle = join(client, 'bundle', 'aish.mjs');

/** Measures the bundled terminal UI in a real pseudo-terminal, with a scripted api. */
export const benchmark: Benchmark = {
  name: 'tui',
  about:
    'start to first screen beside node -e 0 and pi (@mariozechner/pi-coding-agent) in turns; key to echo while 200 tokens ' +
    'a second stream in, and beside 20 goals that take 100 steps a second, in turns with a program that only echoes; CPU at rest over a minute; memory at rest and after 10 000 lines.',
  goals: {
    start_against_node_ratio: { op: '<=', value: 2 },
    start_against_peer_ratio: { op: '<=', value: 1 },
    echo_p95_ms: { op: '<=', value: 30 },
    // This is one frame of a 60 Hz screen.
    echo_beside_20_goals_p95_ms: { op: '<=', value: 1000 / 60 },
    idle_cpu_percent: { op: '<=', value: 0.05 },
    idle_pss_mb: { op: '<=', value: 80 },
  },
  async run(progress) {
    const home = mkdtempSync(join(tmpdir(), 'aish-bench-tui-'));
    writeFileSync(join(home, 'token'), 'aish_bench', { mode: 0o600 });
    const api = await startScriptedApi();
    const env = { HOME: home, AISH_URL: api.url, AISH_TOKEN_FILE: join(home, 'token') };
    try {
      progress('starts');
      const starts = await measureStarts(env);
      progress('typing while 200 tokens a second stream in');
      const terminal = PseudoTerminal.open(`${process.execPath} ${bundle}`, env);
      const plain = PseudoTerminal.open(`${process.execPath} -e '${PLAIN}'`, env);
      try {
        await Promise.all([terminal.wrote('online'), plain.wrote('ready')]);
        return { ...starts, ...(await measureRest(terminal, plain, api, progress)) };
      } finally {
        await Promise.all([terminal.close(), plain.close()]);
      }
    } finally {
      await api.close();
      rmSync(home, { recursive: true, force: true });
    }
  },
};

async function measureStarts(env: Readonly<Record<string, string>>): Promise<Figures> {
  const peer = peerFile('@mariozechner/pi-coding-agent', '0.73.1', 'dist/cli.js');
  const programs = {
    node: { command: `${process.execPath} -e 'process.stdout.write("first")'`, first: 'first' },
    aish: { command: `${process.execPath} ${bundle}`, first: 'Chat' },
    // Any output counts as the first screen of that program.
    peer: { command: `${process.execPath} ${peer} --offline --no-session`, first: /\S{3}/ },
  } as const;
  const times: Record<keyof typeof programs, number[]> = { node: [], aish: [], peer: [] };
  for (let round = 0; round < STARTS; round += 1) {
    for (const [name, { command, first }] of Object.entries(programs) as [
      keyof typeof programs,
      { command: string; first: string | RegExp },
    ][]) {
      const terminal = PseudoTerminal.open(command, env);
      times[name].push(await terminal.wrote(first));
      await terminal.close();
    }
  }
  const [node, aish, other] = [times.node, times.aish, times.peer].map((each) => percentile(each, 0.5)) as [
    number,
    number,
    number,
  ];
  return {
    node_start_ms: node,
    aish_start_ms: aish,
    peer_start_ms: other,
    start_against_node_ratio: aish / node,
    start_against_peer_ratio: aish / other,
  };
}

async function measureRest(
  terminal: PseudoTerminal,
  plain: PseudoTerminal,
  api: ScriptedApi,
  progress: (line: string) => void,
): Promise<Figures> {
  await pause(SETTLE_MS);
  progress('at rest for a minute');
  const idle = await measureIdle(terminal);
  terminal.type('go\r');
  await pause(1_500);
  api.happen({ type: 'message.received', exchange: 1, turn: 0, text: 'go', by: 'bench' });
  api.happen({ type: 'answer.started', ...ROUND, preset: 'fast', fallbackFrom: null });
  const tokens = setInterval(() => api.live({ type: 'answer.delta', ...ROUND, text: word() }), TOKEN_MS);
  const echoes = await echoesOf(terminal, plain);
  progress('typing beside 20 goals');
  let steps = 0;
  const goals = setInterval(() => api.goals(goalsAt((steps += 1))), STEP_MS);
  const [cpuBefore, from] = [cpuSeconds(terminal.pid), now()];
  const beside = await echoesOf(terminal, plain);
  const besideCpu = ((cpuSeconds(terminal.pid) - cpuBefore) / ((now() - from) / 1000)) * 100;
  clearInterval(goals);
  clearInterval(tokens);
  progress(`${HISTORY_LINES} lines`);
  for (let n = 0; n < HISTORY_LINES; n += 50) {
    const text = Array.from({ length: 50 }, (_, line) => `line ${n + line}`).join('  \n');
    endAnswer(api, 2 + n, text);
    await pause(5);
  }
  await pause(3_000);
  return {
    ...idle,
    echo_p50_ms: percentile(echoes.own, 0.5),
    echo_p95_ms: percentile(echoes.own, 0.95),
    plain_echo_p95_ms: percentile(echoes.plain, 0.95),
    echo_beside_20_goals_p50_ms: percentile(beside.own, 0.5),
    echo_beside_20_goals_p95_ms: percentile(beside.own, 0.95),
    plain_echo_beside_20_goals_p50_ms: percentile(beside.plain, 0.5),
    plain_echo_beside_20_goals_p95_ms: percentile(beside.plain, 0.95),
    cpu_beside_20_goals_percent: besideCpu,
    pss_after_10000_lines_mb: pssMb(terminal.pid),
  };
}

/**
 * Returns the milliseconds from each key press until its letter appears, alternating between the terminal UI and the
 * minimal program.
 */
async function echoesOf(
  terminal: PseudoTerminal,
  plain: PseudoTerminal,
): Promise<{ readonly own: readonly number[]; readonly plain: readonly number[] }> {
  const own: number[] = [];
  const others: number[] = [];
  for (let n = 0; n < KEYS; n += 1) {
    const key = String.fromCharCode(65 + (n % 26)); // the stream has no capital letters
    for (const [to, echoes] of [
      [terminal, own],
      [plain, others],
    ] as const) {
      await pause(KEY_GAP_MS);
      to.forget();
      const at = now();
      to.type(key);
      echoes.push(await to.wrote(key, at));
    }
  }
  return { own, plain: others };
}

/** Returns twenty goals after this many steps in total. */
function goalsAt(steps: number): readonly Goal[] {
  return Array.from({ length: 20 }, (_, n) => benchGoal(20 - n, Math.floor(steps / 20)));
}

async function measureIdle(terminal: PseudoTerminal): Promise<Figures> {
  const { pid } = terminal;
  const before = cpuSeconds(pid);
  await pause(IDLE_MS);
  const percent = ((cpuSeconds(pid) - before) / (IDLE_MS / 1000)) * 100;
  return { idle_cpu_percent: percent, idle_pss_mb: pssMb(pid) };
}

function endAnswer(api: ScriptedApi, exchange: number, text: string): void {
  api.happen({
    type: 'answer.ended',
    exchange,
    step: 1,
    turn: null,
    text,
    reasoning: '',
    toolCalls: [],
    end: 'whole',
    preset: 'fast',
    fallbackFrom: null,
    model: 'bench',
    usage: null,
    firstWordMs: 1,
    totalMs: 1,
    notes: [],
  });
}

let words = 0;
/** Returns text with some Markdown, without capital letters. */
function word(): string {
  words += 1;
  return words % 40 === 0 ? '\n\n- item **bold** ' : words % 9 === 0 ? '`code` ' : 'word ';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
