import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { undoApi } from '@aish/contracts/endpoints/files';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import type { GoalSnapshotList } from '@aish/contracts/files';
import type { Goal } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import type { Piece } from '@aish/views/entry.pieces';
import { formatMoment } from '@aish/views/duration.format';
import { decisionStory, goalStory, stepsStory } from '@aish/views/goal.story';
import { markedLines } from '@aish/views/marked.lines';
import type { ApiClient } from '@aish/client/api.client';
import { asApiError } from '@aish/client/api.error';
import { behaviour, flag, one, option } from './command.js';
import { showChanges } from './output.command.js';
import { showEvidence } from './show-evidence.js';
import { showAccess, showChat } from './show-session.js';
import { wholeNumber } from './whole-number.js';
import { widthOf, writeJson, writeLines, type Io } from '@aish/client/io';
import { anyReference, type AnyReference } from './reference.js';

export const show = behaviour({
  args: {
    ref: one('a goal (g4, 4), a step of it (4.3), a chat (c12), or a decision (d17)', anyReference, {
      suggests: 'goal',
    }),
  },
  options: {
    access: flag('of a goal or chat: its allowed and used access'),
    changes: flag('of a decision, a step or an action: all files that its command changed'),
    evidence: flag('of a goal or chat: logs read before a restart on a host'),
    turns: option('n', 'of a chat: number of turns (default: 200)', { read: wholeNumber }),
  },
  json: 'print the response as JSON',
  examples: [
    'aish show g4',
    'aish show 4.3',
    'aish show c12 --turns 4',
    'aish show d17',
    'aish show g4 --access',
    'aish show g4 --evidence',
    'aish show d17 --changes',
    "aish show 4.3 --changes | grep '^−'",
    "aish show 4 --json | jq '.actions[].command'",
  ],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const tell = (pieces: readonly Piece[]): void => writeLines(io, markedLines(pieces, widthOf(io.stdout)));
    const { type, reference, step } = args.ref;
    const named = type === 'chat' ? `c-${reference}` : reference;
    if (options.changes) return showChanges(client, changesPlace(args.ref), options.json, io);
    if (options.access) return showAccess(client, named, options.json, io);
    if (options.evidence) return showEvidence(client, named, options.json, io);
    if (type === 'chat') return showChat(client, reference, options.turns ?? 200, options.json, io);
    if (type === 'decision') {
      const decision = await client.call(decisionsApi.show, { params: { ref: reference } }, io.signal);
      return options.json ? writeJson(io, decision) : tell(decisionStory(decision));
    }
    const goal = await client.call(goalsApi.show, { params: { ref: reference } }, io.signal);
    if (options.json) return writeJson(io, goal);
    if (step === undefined) return tell(goalStory(goal, await undoableOf(goal, client, io)));
    const steps = goal.steps.filter(({ n }) => n === step);
    if (steps.length === 0) throw new AishError('not_found', `Goal ${goal.number} has no step ${step}`);
    tell(stepsStory(goal, formatMoment, steps));
  },
});

/** The name of a decision, a step or an action, as it was typed. */
function changesPlace({ type, reference, step }: AnyReference): string {
  if (type === 'decision') return `d${reference}`;
  return step === undefined ? reference : `${reference}.${step}`;
}

/**
 * Returns the snapshots of a goal, or null while the sandbox is unavailable. The stored part of the goal is shown in
 * either case.
 */
async function undoableOf(
  { sessionId }: Goal,
  client: ApiClient,
  { signal }: Io,
): Promise<GoalSnapshotList['items'] | null> {
  try {
    return (await client.call(undoApi.listOfSession, { params: { ref: sessionId } }, signal)).items;
  } catch (error) {
    if (asApiError(error).kind !== 'answered') throw error;
    return null;
  }
}
