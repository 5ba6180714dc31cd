import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type Docker from 'dockerode';
import { sized, type Benchmark, type Figures } from './benchmark.js';
import { exec, idleContainer } from './sandbox.bench.js';
import { Place } from './effects/place.js';
import { now, percentile } from './statistics.js';

/** With 30 rounds, the ratios of two runs would differ by a tenth. */
const ROUNDS = sized(100, 10);
const WRITE = 'echo $RANDOM > file';
/** A command begins only after the leftovers of the previous one are removed, as if a model had thought in between. */
const REST_MS = 250;
const IN_A_ROW = 10;
const LOOKS = sized(5, 1);
const COMMANDS = sized(50, 3);
/** The command creates 100,000 files of 100 bytes in 100 folders, in bash. */
const IN_A_FOLDER = sized(1_000, 10);
const FILL = `mkdir big && cd big && for d in {1..100}; do mkdir $d && (cd $d && seq -f "%099.0f" ${IN_A_FOLDER} | split -l 1 -a 3 -); done`;
const TEN = 'for d in {1..10}; do echo changed > /workspace/big/$d/xaaa; done';
const READS = { find: 'find big -type f', grep: 'grep -r nowhere big', git_status: 'git -C big status --short' };

/** Compares the cost and the benefit of a layer for every command with git and with a copy. */
export const benchmark: Benchmark = {
  name: 'effects',
  about:
    'A command that writes a file, with its layer and without (SANDBOX_LAYERS=off), taking turns, each after a moment of rest; ' +
    'the same at once, ten in a row (at_once_); then in a workspace of ' +
    '100,000 files: 10 changed, its difference, undo of rm -rf, a stack of 50 commands against one layer; git and cp beside.',
  goals: {
    layer_to_none_p50_ratio: { op: '<=', value: 1.15 },
    layer_to_exec_p50_ratio: { op: '<=', value: 0.5 },
    difference_ms: { op: '<=', value: 25 },
    undo_ms: { op: '<=', value: 300 },
    deep_find_ratio: { op: '<=', value: 1.2 },
    deep_grep_ratio: { op: '<=', value: 1.2 },
    deep_git_status_ratio: { op: '<=', value: 1.2 },
  },
  async run(progress) {
    const [layered, plain] = [await Place.start('on'), await Place.start('off')];
    const idle = await idleContainer(layered.instance);
    try {
      progress(`a command with its layer, without, and exec: ${ROUNDS} rounds`);
      const costs = await costOfCommands(layered, plain, idle);
      progress('100,000 files');
      const big = await bigWorkspace(layered);
      progress('rm -rf and undo, git and cp');
      const gone = await undoOfAll(layered, big);
      const beside = await gitAndCopy(plain);
      progress(`${COMMANDS} commands on top of each other`);
      return { ...costs, ...big.figures, ...gone, ...beside, ...(await deep(layered, big.id)) };
    } finally {
      await Promise.all([layered.end(), plain.end(), idle.remove({ force: true })]);
    }
  },
};

async function costOfCommands(layered: Place, plain: Place, idle: Docker.Container): Promise<Figures> {
  const [one, other] = [randomUUID(), randomUUID()];
  const ways = {
    layer: async () => {
      await layered.prepare(one);
      return async () => void (await layered.run(one, WRITE));
    },
    none: async () => {
      await plain.prepare(other);
      return async () => void (await plain.run(other, WRITE));
    },
    exec: async () => () => exec(idle),
  };
  const rest = await taken(ways, ROUNDS, 1, REST_MS);
  const { layer, none } = ways;
  const atOnce = await taken({ layer, none }, ROUNDS / IN_A_ROW, IN_A_ROW, 0);
  const p50 = (samples: readonly number[] | undefined) => percentile(samples ?? [], 0.5);
  return {
    ...Object.fromEntries(
      Object.entries(rest).flatMap(([name, samples]) =>
        [50, 95].map((p) => [`${name}_p${p}_ms`, percentile(samples, p / 100)] as const),
      ),
    ),
    layer_to_none_p50_ratio: p50(rest['layer']) / p50(rest['none']),
    layer_to_exec_p50_ratio: p50(rest['layer']) / p50(rest['exec']),
    at_once_layer_p50_ms: p50(atOnce['layer']),
    at_once_none_p50_ms: p50(atOnce['none']),
    at_once_layer_to_none_p50_ratio: p50(atOnce['layer']) / p50(atOnce['none']),
  };
}

/**
 * Measures each method in milliseconds. The methods alternate in both orders, so that none always follows the same one.
 */
async function taken(
  ways: Readonly<Record<string, () => Promise<() => Promise<void>>>>,
  rounds: number,
  inARow: number,
  restMs: number,
): Promise<Record<string, number[]>> {
  const names = Object.keys(ways);
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  for (let round = -1; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      for (let n = 0; n < inARow; n += 1) {
        const once = await ways[name]?.();
        if (restMs > 0) await pause(restMs);
        const ms = await timed(async () => once?.());
        if (round >= 0) samples[name]?.push(ms);
      }
    }
  }
  return samples;
}

/** Measures the cost of detecting 10 changes among 100,000 files, and among 10 files for comparison. */
async function bigWorkspace(place: Place): Promise<{ id: string; figures: Figures }> {
  const [id, small] = [randomUUID(), randomUUID()];
  await place.run(id, FILL);
  await place.run(small, 'for d in {1..10}; do mkdir -p big/$d; echo 1 > big/$d/xaaa; done');
  const samples: Record<string, number[]> = { [id]: [], [small]: [] };
  for (let round = 0; round < LOOKS * 2; round += 1) {
    for (const each of [id, small]) {
      await place.prepare(each);
      samples[each]?.push(await timed(() => place.run(each, TEN)));
    }
  }
  const [among100000, among10] = [id, small].map((each) => percentile(samples[each] ?? [], 0.5));
  const more = (among100000 ?? Number.NaN) - (among10 ?? Number.NaN);
  return { id, figures: { ten_among_100000_ms: among100000 ?? 0, ten_among_10_ms: among10 ?? 0, difference_ms: more } };
}

async function undoOfAll(place: Place, { id }: { readonly id: string }): Promise<Figures> {
  const [removed, undone, known]: number[][] = [[], [], []];
  for (let round = 0; round < LOOKS; round += 1) {
    await place.prepare(id);
    const runId = randomUUID();
    removed?.push(await timed(() => place.run(id, 'rm -rf big', runId)));
    await place.prepare(id);
    known?.push(await timed(() => place.ask('GET', `/v1/workspaces/${id}/snapshots/${runId}`)));
    undone?.push(await timed(() => place.ask('POST', `/v1/workspaces/${id}/snapshots/${runId}/restore`)));
    const left = await place.run(id, 'find big -type f | wc -l');
    if (Number(left) !== 100 * IN_A_FOLDER) throw new Error(`effects: after the undo there are ${left} files`);
  }
  const p50 = (samples: number[] | undefined) => percentile(samples ?? [], 0.5);
  return { rm_ms: p50(removed), undo_preview_ms: p50(known), undo_ms: p50(undone) };
}

/** Measures other ways to make 10 changes undoable, `git add -A && git commit` or a copy, and the undo. */
async function gitAndCopy(place: Place): Promise<Figures> {
  const id = randomUUID();
  const git = 'git -c user.name=x -c user.email=x@x';
  await place.run(id, `${FILL}; git init -q; git add -A; ${git} commit -qm 1`);
  const commit = await place.inside(id, `${TEN}; ${START}; cd /workspace/big; git add -A; ${git} commit -qm 2; ${END}`);
  const reset = await place.inside(
    id,
    `rm -rf /workspace/big/*; cd /workspace/big; ${START}; git reset -q --hard; ${END}`,
  );
  const copy = await place.inside(id, `${START}; cp -a /workspace/big /workspace/copy; ${END}`);
  return { git_commit_ms: commit, git_reset_ms: reset, copy_ms: copy };
}

async function deep(place: Place, id: string): Promise<Figures> {
  await place.run(id, `cd big; git init -q; git add -A; git -c user.name=x -c user.email=x@x commit -qm 1`);
  const shallow = await looks(place, id);
  const before = await place.diskMb();
  for (let n = 0; n < COMMANDS; n += 1) {
    await place.prepare(id);
    await place.run(id, `for d in {1..10}; do echo ${n} > /workspace/big/$((d * 7 + ${n} % 7))/n${n}; done`);
  }
  await place.prepare(id);
  const after = await place.diskMb();
  const now = await looks(place, id);
  const ratios = Object.keys(READS).flatMap((name) => [
    [`one_layer_${name}_ms`, shallow[name] ?? Number.NaN] as const,
    [`deep_${name}_ms`, now[name] ?? Number.NaN] as const,
    [`deep_${name}_ratio`, (now[name] ?? Number.NaN) / (shallow[name] ?? Number.NaN)] as const,
  ]);
  return { ...Object.fromEntries(ratios), disk_before_mb: before, disk_deep_mb: after };
}

async function looks(place: Place, id: string): Promise<Record<string, number>> {
  const entries = await Object.entries(READS).reduce<Promise<[string, number][]>>(async (all, [name, read]) => {
    const done = await all;
    // The first run fills the caches.
    const once = `${START}; { ${read}; } > /dev/null; ${END}`;
    const script = `cd /workspace; { ${read}; } > /dev/null; for i in {1..${LOOKS}}; do ${once}; done`;
    return [...done, [name, await place.inside(id, script)]];
  }, Promise.resolve([]));
  return Object.fromEntries(entries);
}

const START = 'S=$(date +%s%N)';
const END = 'echo took $(( ($(date +%s%N) - S) / 1000 ))';

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = now();
  await work();
  return now() - before;
}
