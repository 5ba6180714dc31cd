import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Goal } from '@aish/contracts/goals';
import type { Advance, GoalEvent, GoalMachine } from '@aish/sessions';
import { changes, decisionOf, replay, type Recording, type RecordedEvent } from '@aish/sessions/testing';
import { startScriptedModel } from '@aish/demo-model';
import { closeAll } from '../support/close-all.js';
import { EverythingServer } from '../support/everything.server.js';
import { plans } from '../support/plan.js';
import { ROOT } from '../support/service.process.js';
import { Stack } from '../support/stack.js';
import type { Scenario } from './scenarios.js';

const AT_ONCE = 4;

interface Heard {
  readonly before: GoalMachine;
  readonly event: GoalEvent;
  readonly decided: Advance;
}

/** Plays each scenario on real services with a scripted model, and stores the decisions of its machine. */
export async function record(
  scenarios: readonly Scenario[],
  progress: (line: string) => void,
): Promise<readonly Recording[]> {
  const dir = await mkdtemp(join(tmpdir(), 'aish-recordings-'));
  const script = plans(Object.fromEntries(scenarios.map(({ name, script: each }) => [`${name}:`, each])));
  const model = await startScriptedModel({ script });
  const everything = await EverythingServer.start('streamableHttp');
  let stack: Stack | undefined;
  try {
    const preload = pathToFileURL(join(ROOT, 'tests/dist/recordings/recorder.main.js')).href;
    stack = await Stack.start({
      modelUrl: model.url,
      ownProcesses: true,
      env: {
        NODE_OPTIONS: `--import ${preload}`,
        RECORD_DIR: dir,
        MCP_SERVERS: JSON.stringify({ every: { url: everything.url, auto_approve: ['echo'] } }),
      },
    });
    const recordings: Recording[] = [];
    const running = stack;
    const playOne = async (scenario: Scenario): Promise<void> => {
      recordings.push(await play(running, scenario, dir));
      progress(`${recordings.length}/${scenarios.length} ${scenario.name}`);
    };
    const together = scenarios.filter(({ isAlone }) => isAlone !== true);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = together.shift(); next !== undefined; next = together.shift()) await playOne(next);
      }),
    );
    for (const scenario of scenarios.filter(({ isAlone }) => isAlone === true)) await playOne(scenario);
    return recordings;
  } finally {
    await closeAll(
      () => stack?.stop(),
      () => everything.stop(),
      () => model.close(),
      () => rm(dir, { recursive: true, force: true }),
    );
  }
}

async function play(
  stack: Stack,
  { name, goal = {}, before, acts, endsAs }: Scenario,
  dir: string,
): Promise<Recording> {
  await before?.(stack);
  const { id } = await stack.client.json(Goal, 'POST', '/v1/goals', { text: `${name}: as its script has it`, ...goal });
  await acts?.(stack, id);
  await stack.client.until(id, endsAs);
  const text = await readFile(join(dir, `${id}.jsonl`), 'utf8');
  const lines = text.trim().split('\n');
  return recordingOf(
    name,
    lines.map((line) => JSON.parse(line) as Heard),
  );
}

/**
 * Builds a chain of decisions. The facts that a later runner read from the rows must be those that the previous runner
 * knew.
 */
function recordingOf(name: string, all: readonly Heard[]): Recording {
  const heard = all.filter(({ before, event, decided }) => event.type !== 'taken' || changed(before, decided));
  const start = heard[0]?.before;
  if (start === undefined) throw new Error(`record: nothing was heard of ${name}`);
  let machine = start;
  const events = heard.map(({ before, event, decided }): RecordedEvent => {
    const loaded = changes(machine, before);
    machine = decided.machine;
    const isSame = Object.keys(loaded).length === 0;
    return { event, ...(isSame ? {} : { loaded }), decided: decisionOf(before, decided) };
  });
  const recording = withNames({ name, start, events });
  if (JSON.stringify(replay(recording)) !== JSON.stringify(recording))
    throw new Error(`record: ${name} does not replay`);
  return recording;
}

function changed(before: GoalMachine, { machine, records, effect }: Advance): boolean {
  return records.length > 0 || effect !== null || Object.keys(changes(before, machine)).length > 0;
}

/** Replaces IDs with ones that are the same in each recording, and rounds times to whole milliseconds. */
function withNames(recording: Recording): Recording {
  const names = new Map<string, string>();
  const text = JSON.stringify(recording)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      const known = names.get(id) ?? `id-${names.size + 1}`;
      names.set(id, known);
      return known;
    })
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:1');
  return JSON.parse(text) as Recording;
}
