import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { classify, classifyToolCall } from '@aish/safety';
import { checkCommand } from 'cc-safety-net/api';
import { z } from 'zod';
import type { Benchmark, Figures } from './benchmark.js';
import { now, percentile } from './statistics.js';

const ROUNDS = 5;
const SETS = ['corpus', 'holdout', 'mixed', 'lines', 'tricks'] as const;
const Labelled = z.object({ cmd: z.string(), label: z.enum(['destructive', 'safe']), class: z.string() });
type Labelled = z.infer<typeof Labelled>;

/** What the gate says of labelled commands, and how long it thinks, beside the best public guard on the same commands. */
export const benchmark: Benchmark = {
  name: 'safety',
  about:
    'the labelled commands of packages/safety/corpus through the classifier alone (no model), and in the same run through ' +
    'cc-safety-net. Flagged is what is not safe: unknown asks a person too.',
  goals: {
    recall_ratio: { op: '>=', value: 0.99 },
    precision_ratio: { op: '>=', value: 0.97 },
    holdout_recall_ratio: { op: '>=', value: 0.99 },
    holdout_precision_ratio: { op: '>=', value: 0.97 },
    p50_ms: { op: '<=', value: 1 },
    p99_ms: { op: '<=', value: 5 },
    recall_against_peer_ratio: { op: '>=', value: 1.5 },
  },
  run(progress) {
    const sets = new Map(SETS.map((name) => [name, load(name)]));
    const all = [...sets.values()].flat();
    progress(`${all.length} commands in ${new Set(all.map((item) => item.class)).size} classes`);
    const own = rate(all, (command) => classify(command).verdict !== 'safe');
    for (const line of worst(all)) progress(line);
    const held = rate(sets.get('holdout') ?? [], (command) => classify(command).verdict !== 'safe');
    progress('the peer');
    const peer = rate(all, (command) => checkCommand({ command, cwd: process.cwd() }).kind === 'deny');
    return Promise.resolve({
      commands: all.length,
      recall_ratio: own.recall,
      precision_ratio: own.precision,
      holdout_recall_ratio: held.recall,
      holdout_precision_ratio: held.precision,
      ...times(all),
      peer_recall_ratio: peer.recall,
      peer_precision_ratio: peer.precision,
      recall_against_peer_ratio: own.recall / peer.recall,
      tool_call_ms: toolCallMs(),
    });
  },
};

function load(name: string): readonly Labelled[] {
  const file = fileURLToPath(import.meta.resolve(`@aish/safety/corpus/${name}.jsonl`));
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => Labelled.parse(JSON.parse(line)));
}

function rate(
  items: readonly Labelled[],
  isFlagged: (command: string) => boolean,
): { readonly recall: number; readonly precision: number } {
  let right = 0;
  let flagged = 0;
  let destructive = 0;
  for (const { cmd, label } of items) {
    const flag = isFlagged(cmd);
    if (flag) flagged += 1;
    if (label === 'destructive') destructive += 1;
    if (flag && label === 'destructive') right += 1;
  }
  return { recall: right / destructive, precision: right / flagged };
}

/** The classes in which something is judged wrongly, and what. */
function worst(items: readonly Labelled[]): readonly string[] {
  return items
    .filter(({ cmd, label }) => (classify(cmd).verdict === 'safe') !== (label === 'safe'))
    .map((item) => `${item.label === 'safe' ? 'false alarm' : 'missed'} (${item.class}): ${item.cmd}`);
}

function times(items: readonly Labelled[]): Figures {
  const samples: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { cmd } of items) {
      const before = now();
      classify(cmd);
      if (round > 0) samples.push(now() - before); // the first round warms up
    }
  }
  return { p50_ms: percentile(samples, 0.5), p99_ms: percentile(samples, 0.99), slowest_ms: Math.max(...samples) };
}

function toolCallMs(): number {
  const call = {
    name: 'box__run_command',
    args: { command: 'cd /srv && git pull && docker compose up -d', cwd: '/srv' },
  };
  const samples = Array.from({ length: 200 }, () => {
    const before = now();
    classifyToolCall(call);
    return now() - before;
  });
  return percentile(samples, 0.5);
}
