import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { undoApi } from '@aish/contracts/endpoints/files';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { listGrants, revokeGrant } from '@aish/client/goals.api';
import type { Goal } from '@aish/contracts/goals';
import { GOAL_OPTIONS, goalRequest } from '@aish/views/goal.options';
import type { Msg } from '../messages.js';
import { line } from '@aish/views/line';
import { previewLines } from '@aish/views/preview.lines';
import { asking, warnOfSecrets, type EffectOf, type EffectTable } from './world.js';

const changed = (goal: Goal): Msg => ({ type: 'goalPaused', goal });

const createGoal = asking(
  (client, { text, chat, ...options }: EffectOf<'createGoal'>, signal) =>
    client.call(goalsApi.create, { body: { text, chat, ...goalRequest(options) } }, signal),
  (goal) => ({ type: 'goalCreated', goal }),
  (error, effect) => {
    const given = Object.entries(effect).filter(([name]) => Object.hasOwn(GOAL_OPTIONS, name));
    const options = given.map(([name, value]) => `--${name} ${String(value)}`);
    return { type: 'goalRefused', text: [...options, effect.text].join(' '), error };
  },
);

export const GOAL_EFFECTS: EffectTable<
  | 'createGoal'
  | 'cancelGoal'
  | 'pauseGoal'
  | 'resumeGoal'
  | 'continueGoal'
  | 'listGrants'
  | 'revokeGrant'
  | 'giveVerdict'
  | 'takeBack'
  | 'seeDecision'
  | 'preview'
> = {
  createGoal: async (world, effect) => {
    await createGoal(world, effect);
    await warnOfSecrets(world, 'The goal', effect.text);
  },
  cancelGoal: asking(
    (client, { goalId }: EffectOf<'cancelGoal'>, signal) =>
      client.call(goalsApi.cancel, { params: { ref: goalId } }, signal),
    (goal) => ({ type: 'goalCancelled', goal }),
  ),
  pauseGoal: asking(
    (client, { goalId }: EffectOf<'pauseGoal'>, signal) =>
      client.call(goalsApi.pause, { params: { ref: goalId }, query: { stop: true } }, signal),
    changed,
  ),
  resumeGoal: asking(
    (client, { goalId }: EffectOf<'resumeGoal'>, signal) =>
      client.call(goalsApi.resume, { params: { ref: goalId } }, signal),
    changed,
  ),
  continueGoal: asking(
    (client, { goalId }: EffectOf<'continueGoal'>, signal) =>
      client.call(goalsApi.continue, { params: { ref: goalId }, body: {} }, signal),
    changed,
  ),
  listGrants: asking(
    (client, { goalId }: EffectOf<'listGrants'>, signal) => listGrants(client, goalId, signal),
    ({ items }, { goalId }) => ({ type: 'grantsListed', goalId, items }),
  ),
  revokeGrant: asking(
    async (client, { goalId, grantId }: EffectOf<'revokeGrant'>, signal) => {
      await revokeGrant(client, goalId, grantId, signal);
      return listGrants(client, goalId, signal);
    },
    ({ items }, { goalId }) => ({ type: 'grantsListed', goalId, items }),
  ),
  giveVerdict: asking(
    (client, { decisionId, given }: EffectOf<'giveVerdict'>, signal) =>
      client.call(decisionsApi.decide, { params: { ref: decisionId }, body: given }, signal),
    (decision) => ({ type: 'verdictGiven', decision }),
    (error, { decisionId }) => ({ type: 'verdictRefused', decisionId, error }),
  ),
  takeBack: asking(
    (client, { decisionId }: EffectOf<'takeBack'>, signal) =>
      client.call(decisionsApi.takeBack, { params: { ref: decisionId } }, signal),
    (decision) => ({ type: 'verdictGiven', decision }),
    (error, { decisionId }) => ({ type: 'verdictRefused', decisionId, error }),
  ),
  seeDecision: asking(
    (client, { decisionId }: EffectOf<'seeDecision'>, signal) =>
      client.call(decisionsApi.show, { params: { ref: decisionId } }, signal),
    (decision) => ({ type: 'decisionSeen', decision }),
    (error) => ({ type: 'listRefused', error }),
  ),
  preview: asking(
    (client, { number }: EffectOf<'preview'>, signal) =>
      client.call(undoApi.preview, { params: { ref: `d${number}` } }, signal),
    (tried, { decisionId }) => {
      return { type: 'previewed', decisionId, tried: { lines: previewLines(tried), id: tried.id } };
    },
    ({ message }, { decisionId }) => ({
      type: 'previewed',
      decisionId,
      tried: { lines: [line(message, 'bad')], id: null },
    }),
  ),
};
