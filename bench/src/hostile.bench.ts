import { randomUUID } from 'node:crypto';
import type { Benchmark, Figures } from './benchmark.js';
import { differing, listing } from './effects/listing.js';
import { Place } from './effects/place.js';
import { Choice, type Candidate } from './truth/candidates.js';
import { plainTricks, tricks } from './truth/tricks.js';

const COMMANDS = 300;
const TIMEOUT_MS = 8_000;
const FILES = 'keep.txt data.csv old.log notes.md src/app.py src/lib/util.sh logs/app.log a.txt b.txt x.bak';
/** What was there before: files, a repository with a topic, texts that name others. */
const WORLD = [
  'mkdir -p src/lib logs',
  `for f in ${FILES}; do printf "%s\\n" "the first line of $f" "and a second" > $f; done`,
  "echo keep.txt > list.txt; echo 'rm -f keep.txt' > cmd.txt; echo 'a[$(rm -f keep.txt)]' > n.txt; ln -s keep.txt link",
  'export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=x GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1=x',
  'git init -q && git add -A && git commit -qm one && git branch topic',
].join('; ');

/** Commands that hide what they destroy, run as if no rule had anything against them. */
export const benchmark: Benchmark = {
  name: 'hostile',
  about:
    'Commands that hide what they destroy, from the generator of truth, run with the rules off: each that changed or deleted ' +
    'files of before is held, or taken back by undo, and the workspace is what it was, byte by byte. --count (300), --seed (1).',
  goals: { lost: { op: '<=', value: 0 }, destroying: { op: '>=', value: 1 } },
  async run(progress, { count = COMMANDS, seed = 1 } = {}) {
    const place = await Place.start('on');
    try {
      const found: Found[] = [];
      for (const { cmd } of chosen(count, seed)) {
        const world = found.at(-1)?.isSame === true ? found.at(-1)?.world : undefined;
        const next = await runOne(place, world ?? (await newWorld(place)), cmd);
        if (!next.isSame) progress(`LOST ${JSON.stringify(cmd)}: ${next.why}`);
        found.push(next);
        if (found.length % 50 === 0) progress(`${found.length} of ${count}`);
      }
      return figures(found);
    } finally {
      await place.end();
    }
  },
};

interface World {
  readonly id: string;
  readonly files: Awaited<ReturnType<typeof listing>>;
}

interface Found {
  readonly world: World;
  readonly how: 'held' | 'undone' | 'nothing';
  /** Whether it changed or deleted what was there. */
  readonly destroys: boolean;
  readonly isSame: boolean;
  readonly why: string;
}

function chosen(count: number, seed: number): readonly Candidate[] {
  const choice = new Choice(seed);
  const some = choice.shuffled(plainTricks()).slice(0, Math.ceil(count / 2));
  const all = new Map(some.map((each) => [each.cmd, each]));
  for (const each of tricks(choice)) {
    if (all.size >= count) break;
    all.set(each.cmd, each);
  }
  return [...all.values()];
}

async function newWorld(place: Place): Promise<World> {
  const id = randomUUID();
  await place.run(id, WORLD);
  return { id, files: await listing(place, id) };
}

async function runOne(place: Place, world: World, cmd: string): Promise<Found> {
  const [runId, origin] = [randomUUID(), randomUUID()];
  const more = { runId, timeoutMs: TIMEOUT_MS, hold: { origin, mode: 'may' } } as const;
  const { held, effects } = await place.outcomeOf(world.id, cmd, more);
  const destroys = (effects?.changed.files ?? 0) + (effects?.deleted.files ?? 0) > 0;
  const isTouched = effects === undefined || destroys || effects.created.files > 0 || !effects.complete;
  const path = `/v1/workspaces/${world.id}`;
  let refused = '';
  const undo = async (): Promise<void> => {
    try {
      await place.ask('POST', `${path}/snapshots/${runId}/restore`);
    } catch (error) {
      // What differs then counts as lost.
      refused = String(error);
    }
  };
  if (held !== undefined) await place.ask('PUT', `${path}/held/${runId}`, { verdict: 'drop' });
  else if (isTouched) await undo();
  const differs = differing(world.files, await listing(place, world.id));
  // A folder or a mode may have changed where no file did.
  const isFolders = held === undefined && !isTouched && differs.length > 0;
  if (isFolders) await undo();
  const left = isFolders ? differing(world.files, await listing(place, world.id)) : differs;
  const how = held !== undefined ? 'held' : isTouched || isFolders ? 'undone' : 'nothing';
  const why = `${how}, ${JSON.stringify(effects ?? null)}, ${left.slice(0, 5).join(' ')} ${refused}`.trimEnd();
  return { world, how, destroys: destroys || held !== undefined, isSame: left.length === 0, why };
}

function figures(found: readonly Found[]): Figures {
  const number = (matches: (each: Found) => boolean) => found.filter(matches).length;
  return {
    commands: found.length,
    destroying: number(({ destroys }) => destroys),
    held: number(({ how }) => how === 'held'),
    undone: number(({ how }) => how === 'undone'),
    lost: number(({ isSame }) => !isSame),
  };
}
