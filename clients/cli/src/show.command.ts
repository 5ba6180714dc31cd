import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { undoApi } from '@aish/contracts/endpoints/files';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import type { GoalSnapshotList } from '@aish/contracts/files';
import type { Goal } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import type { Piece } from '@aish/views/entry.pieces';
import { decisionStory, goalStory, stepsStory } from '@aish/views/goal.story';
import { markedLines } from '@aish/views/marked.lines';
import type { ApiClient } from '@aish/client/api.client';
import { asApiError } from '@aish/client/api.error';
import { command, one } from './command.js';
import { widthOf, writeJson, writeLines, type Io } from '@aish/client/io';
import { anyReference } from './reference.js';

export const show = command({
  name: 'show',
  about: 'tell the whole story of a goal: plan, commands, outputs, verdicts, end',
  args: {
    ref: one('a goal (g4, 4 or its UUID), a step of it (4.3), or a decision (d17)', anyReference, { suggests: 'goal' }),
  },
  json: 'print the api’s answer',
  examples: ['aish show 4', 'aish show 4.3', 'aish show d-17', "aish show 4 --json | jq '.actions[].command'"],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const tell = (pieces: readonly Piece[]): void => writeLines(io, markedLines(pieces, widthOf(io.stdout)));
    const { type, reference, step } = args.ref;
    if (type === 'decision') {
      const decision = await client.call(decisionsApi.show, { params: { ref: reference } }, io.signal);
      return options.json ? writeJson(io, decision) : tell(decisionStory(decision));
    }
    const goal = await client.call(goalsApi.show, { params: { ref: reference } }, io.signal);
    if (options.json) return writeJson(io, goal);
    if (step === undefined) return tell(goalStory(goal, await undoableOf(goal, client, io)));
    const steps = goal.steps.filter(({ n }) => n === step);
    if (steps.length === 0) throw new AishError('not_found', `Goal ${goal.number} has no step ${step}`);
    tell(stepsStory({ ...goal, steps }));
  },
});

/** Null while the sandbox cannot be asked: what is written down of the goal is shown all the same. */
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
