import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { runbooksApi } from '@aish/contracts/endpoints/runbooks';
import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { AvailableCommand } from '@agentclientprotocol/sdk';
import type { CreateGoalInput } from '@aish/contracts/goals';
import { RunbookCall } from '@aish/contracts/runbooks';
import { AishError } from '@aish/contracts/problems';
import type { ApiClient } from '@aish/client/api.client';

/** The slash commands that an editor offers. */
export const COMMANDS: readonly AvailableCommand[] = [
  { name: 'norris', description: 'Give Norris a goal and watch it', input: { hint: 'the goal' } },
  { name: 'runbook', description: 'Run a runbook, or list them', input: { hint: 'NAME name=value …' } },
  { name: 'goals', description: 'List the newest goals' },
  { name: 'decisions', description: 'List pending decisions' },
  { name: 'model', description: 'Choose another model', input: { hint: 'preset' } },
];

/** Returns the goal in a message, or null if there is none. @throws AishError `invalid_body` */
export function goalOfCommand(text: string): CreateGoalInput | null {
  const [, command, rest = ''] = /^\/(norris|runbook)\s+([^]+)$/.exec(text.trim()) ?? [];
  if (command === 'norris') return { text: rest };
  if (command !== 'runbook') return null;
  const [name = '', ...words] = rest.split(/\s+/);
  const pairs = words.map((word) => [word.split('=')[0] ?? '', word.slice(word.indexOf('=') + 1)]);
  const call = RunbookCall.safeParse({ name, parameters: Object.fromEntries(pairs) as unknown });
  if (!call.success) throw new AishError('invalid_body', 'Use /runbook NAME name=value …');
  return { text: `Do what the runbook ${name} says`, runbook: call.data };
}

/** Returns the response to a slash command, or null if the text is an ordinary message. */
export async function runCommand(
  text: string,
  client: ApiClient,
  sessionId: string,
  signal: AbortSignal,
): Promise<string | null> {
  const [, command, rest = ''] = /^\/(runbook|goals|decisions|model)(?:\s+(\S+))?\s*$/.exec(text.trim()) ?? [];
  if (command === 'runbook') {
    const { items } = await client.call(runbooksApi.list, {}, signal);
    return listed(
      items.map(({ name, description }) => `${name}: ${description}`),
      'There are no runbooks.',
    );
  }
  if (command === 'goals') {
    const { items } = await client.call(goalsApi.list, { query: { limit: 20 } }, signal);
    return listed(
      items.map(({ number, state, text: goal }) => `g${number} ${state}: ${goal}`),
      'There are no goals.',
    );
  }
  if (command === 'decisions') {
    const { items } = await client.call(decisionsApi.list, { query: { state: 'pending', limit: 500 } }, signal);
    return listed(
      items.map(({ number, action, reason }) => `d${number} ${action}: ${reason}`),
      'No pending decisions.',
    );
  }
  if (command !== 'model') return null;
  if (rest === '') return 'Use /model PRESET.';
  const { preset } = await client.call(
    sessionsApi.change,
    { params: { ref: sessionId }, body: { preset: rest } },
    signal,
  );
  return `The model is now ${preset}.`;
}

const listed = (lines: readonly string[], none: string): string =>
  lines.length === 0 ? none : lines.map((each) => `- ${each.replaceAll('\n', ' ')}`).join('\n');
