import type { Preset } from '@aish/contracts/config/presets.settings';
import { goalSystemPrompt, compose, type Dialect } from '@aish/prompt';
import { askModel, type ModelAnswer, type ModelPorts } from './ask-model.js';

/** Small goals with an obvious first step. */
const GOALS = [
  'How many lines does /workspace/notes.txt have?',
  'Write the word ready into /workspace/state.txt.',
  'In /workspace/app.conf change the port from 80 to 8080.',
  'Name the largest file under /workspace.',
];

/**
 * Finds out whether a model acts better with lines or with tools. It asks for the first step of a few goals in both
 * ways, with the same requests as a goal. Nothing in the answers runs.
 *
 * @returns null if `signal` aborts or an answer does not arrive.
 */
export async function probeDialect(preset: Preset, ports: ModelPorts, signal: AbortSignal): Promise<Dialect | null> {
  const usable = { lines: 0, tools: 0 };
  for (const goal of GOALS) {
    for (const dialect of ['lines', 'tools'] as const) {
      const answer = await firstAnswer(goal, dialect, preset, ports, signal);
      if (answer === null) return null;
      if (isUsable(answer)) usable[dialect] += 1;
    }
  }
  // Lines require less of an endpoint, so tools must be strictly better.
  return usable.tools > usable.lines ? 'tools' : 'lines';
}

async function firstAnswer(
  goal: string,
  dialect: Dialect,
  preset: Preset,
  ports: ModelPorts,
  signal: AbortSignal,
): Promise<ModelAnswer | null> {
  const { answer } = await askModel(
    {
      of: 'goal',
      preset,
      dialect,
      seed: 1,
      specs: [],
      offered: [],
      wanted: [],
      toolShare: 0,
      turns: [{ seq: 1, role: 'user', content: goal }],
      messages: ({ turns, budgetTokens, tokensOf, tools }) =>
        compose(goalSystemPrompt(tools, null, dialect), turns, budgetTokens, tokensOf),
    },
    ports,
    () => undefined,
    () => undefined,
    signal,
  );
  return answer;
}

/** Whether an answer is complete and contains something that can run. */
function isUsable({ cut, actions }: ModelAnswer): boolean {
  return cut === null && actions.some((action) => action.kind === 'command' && action.fault === undefined);
}
