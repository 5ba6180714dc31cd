import type { openWorld } from '@aish/actions/testing';
import type { Chance } from './chance.js';
import type { FaultRates } from './sim.world.js';

export type Script = NonNullable<Parameters<typeof openWorld>[0]>;
type Reply = ReturnType<Script>;

const COMMANDS = [
  'echo one',
  'echo two',
  'date',
  'cat notes',
  'rm -rf keep',
  'rm -rf other',
  'vanish now',
  'destroy it',
  'eval "$X"',
] as const;
const TOOLS = ['read_sign', 'read_sign', 'ring_bell', 'ask_name', 'build_house', 'no_such'] as const;
const LINES = [
  'GOAL: complete\nIt is done.',
  'GOAL: complete',
  'GOAL: blocked no disk is left',
  'GOAL: check test -f x',
  'GOAL: verify test -f y',
  'GOAL: ask Which disk?',
  'NEED: host nas: the backups are there',
] as const;
const FAILURES: readonly [Reply, ...Reply[]] = [
  { status: 500, body: { error: { message: 'out of order' } } },
  { raw: 'data: {"choices":[{"index":0,"delta":{"content":"I beg' },
  { raw: 'data: {{{\n\n' },
];

/**
 * Returns the answers of the model of one session. Sometimes the model is unavailable, answers garbage or is cut off.
 */
export function says(chance: Chance, weather: FaultRates): Reply {
  if (!weather.isCalm && chance.is('model fails', 0.08)) return chance.pick('model failure', FAILURES);
  const kind = chance.pick('answer', ['commands', 'commands', 'commands', 'tools', 'tools', 'line', 'line', 'words']);
  const several = chance.number('several', 1, 4);
  if (kind === 'tools') {
    const call = () => ({
      name: `lab__${chance.pick('tool', TOOLS)}`,
      arguments: chance.is('garbage', 0.05) ? '{"a' : '{}',
    });
    return { text: '', toolCalls: Array.from({ length: several }, call) };
  }
  if (kind === 'words') return { text: chance.pick('words', ['Well.', '', 'CMD:', '{"type":"object"}']) };
  const lines = Array.from({ length: several }, () => `CMD: ${chance.pick('command', COMMANDS)}`);
  const isLast = kind === 'line' || chance.is('both', 0.3);
  const text = ['I do it.', ...(kind === 'line' ? [] : lines), ...(isLast ? [chance.pick('line', LINES)] : [])];
  return { text: text.join('\n') };
}
