import {
  continueGoal,
  giveVerdict,
  listGrants,
  pauseGoal,
  resumeGoal,
  revokeGrant,
  takeBackVerdict,
} from '@aish/client/goals.api';
import type { Goal } from '@aish/contracts/goals';
import { GOAL_OPTIONS, goalRequest } from '@aish/views/goal.options';
import type { Msg } from '../messages.js';
import { line } from '@aish/views/line';
import { previewLines } from '@aish/views/preview.lines';
import { asking, tellOfSecrets, type EffectOf, type EffectTable } from './world.js';

const changed = (goal: Goal): Msg => ({ type: 'goalPaused', goal });

const createGoal = asking(
  (client, { text, chat, ...options }: EffectOf<'createGoal'>, signal) =>
    client.createGoal({ text, chat, ...goalRequest(options) }, signal),
  (goal) => ({ type: 'goalCreated', goal }),
  (error, effect) => {
    const given = Object.entries(effect).filter(([name]) => Object.hasOwn(GOAL_OPTIONS, name));
    const options = given.map(([name, value]) => `--${name} ${String(value)}`);
    return { type: 'goalRefused', text: [...options, effect.text].join(' '), error };
  },
);

/** Goals, their grants and their decisions. */
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
    await tellOfSecrets(world, 'The goal', effect.text);
  },
  cancelGoal: asking(
    (client, { goalId }: EffectOf<'cancelGoal'>, signal) => client.cancelGoal(goalId, signal),
    (goal) => ({ type: 'goalCancelled', goal }),
  ),
  pauseGoal: asking(
    ({ transport }, { goalId }: EffectOf<'pauseGoal'>, signal) => pauseGoal(transport, goalId, { stop: true }, signal),
    changed,
  ),
  resumeGoal: asking(
    ({ transport }, { goalId }: EffectOf<'resumeGoal'>, signal) => resumeGoal(transport, goalId, signal),
    changed,
  ),
  continueGoal: asking(
    ({ transport }, { goalId }: EffectOf<'continueGoal'>, signal) => continueGoal(transport, goalId, {}, signal),
    changed,
  ),
  listGrants: asking(
    ({ transport }, { goalId }: EffectOf<'listGrants'>, signal) => listGrants(transport, goalId, signal),
    ({ items }, { goalId }) => ({ type: 'grantsListed', goalId, items }),
  ),
  revokeGrant: asking(
    async ({ transport }, { goalId, grantId }: EffectOf<'revokeGrant'>, signal) => {
      await revokeGrant(transport, goalId, grantId, signal);
      return listGrants(transport, goalId, signal);
    },
    ({ items }, { goalId }) => ({ type: 'grantsListed', goalId, items }),
  ),
  giveVerdict: asking(
    ({ transport }, { decisionId, given }: EffectOf<'giveVerdict'>, signal) =>
      giveVerdict(transport, decisionId, given, signal),
    (decision) => ({ type: 'verdictGiven', decision }),
    (error, { decisionId }) => ({ type: 'verdictRefused', decisionId, error }),
  ),
  takeBack: asking(
    ({ transport }, { decisionId }: EffectOf<'takeBack'>, signal) => takeBackVerdict(transport, decisionId, signal),
    (decision) => ({ type: 'verdictGiven', decision }),
    (error, { decisionId }) => ({ type: 'verdictRefused', decisionId, error }),
  ),
  seeDecision: asking(
    (client, { decisionId }: EffectOf<'seeDecision'>, signal) => client.showDecision(decisionId, signal),
    (decision) => ({ type: 'decisionSeen', decision }),
    (error) => ({ type: 'listRefused', error }),
  ),
  preview: asking(
    (client, { number }: EffectOf<'preview'>, signal) => client.preview(`d-${number}`, signal),
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
