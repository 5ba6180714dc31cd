import { canTakeBack, canWaitForWindow } from '@aish/contracts/approval-lines';
import { runsSomething, takesAnswer, grantableRule } from '@aish/contracts/decision-rules';
import { canEdit, canGrant, canPreview, hasCarried } from '@aish/views/decision.format';
import { just, type Binding, type Model } from '../../model.js';
import {
  answer,
  askGrant,
  explain,
  haltDialog,
  nextDecision,
  openDecision,
  preview,
  closeHalt,
  scrollHalt,
  takeBack,
} from '../decisions.update.js';
import { changeChoice, endDraft, grant, moveField, sendDraft, startEdit, startNote } from '../draft.update.js';
import { FORM, MAIN } from './places.js';

const nothingWaits = ({ decisions }: Model) => (decisions.length === 0 ? 'no decision is open' : undefined);
const decisionOf = (model: Model) => haltDialog(model)?.decision;
const noPreview = (model: Model) => {
  const decision = decisionOf(model);
  if (decision === undefined) return undefined;
  if (decision.actionId === null || takesAnswer(decision.kind)) return 'this changes no files';
  return canPreview(decision) ? undefined : 'a tool call has no preview';
};
const noCarried = (model: Model) =>
  hasCarried(decisionOf(model)?.executionContext ?? null) ? undefined : 'earlier commands set no variables for it';
const noWindow = (model: Model) => {
  const decision = decisionOf(model);
  return decision === undefined || canWaitForWindow(decision) ? undefined : 'the space has no change window';
};
const noneToTakeBack = (model: Model) => {
  const decision = decisionOf(model);
  return decision === undefined || canTakeBack(decision) ? undefined : 'nobody has approved it yet';
};
const noRule = (model: Model) => (decisionOf(model)?.classification === null ? 'no rule applies to this' : undefined);
const noEdit = (model: Model) => {
  const decision = decisionOf(model);
  if (decision !== undefined && takesAnswer(decision.kind)) return 'answer or decline a question';
  return decision === undefined || canEdit(decision)
    ? undefined
    : 'only goals allow edits: skip it and say what you want instead';
};
const noMessage = (model: Model) => {
  const decision = decisionOf(model);
  return decision?.kind === 'elicitation' ? 'answer or decline this' : undefined;
};
const noOtherWay = (model: Model) => {
  const decision = decisionOf(model);
  return decision === undefined || runsSomething(decision.kind) ? undefined : 'answer or decline a question';
};
const noGrant = (model: Model) => {
  const decision = decisionOf(model);
  return decision === undefined || canGrant(decision) ? undefined : 'this cannot be granted';
};
const noRuleToGrant = (model: Model) => {
  const decision = decisionOf(model);
  return decision === undefined || grantableRule(decision.classification) !== null
    ? undefined
    : 'no single rule stopped it: c grants exactly this';
};

export const HALT_KEYS: readonly Binding[] = [
  {
    action: 'openDecision',
    keys: ['d'],
    places: ['list'],
    help: 'answer the open decision',
    run: (model) => just(openDecision(model)),
    unavailable: nothingWaits,
  },
  {
    action: 'openDecision',
    keys: ['ctrl-d'],
    places: MAIN,
    help: 'the same, also from the prompt',
    run: (model) => just(openDecision(model)),
    unavailable: nothingWaits,
  },
  {
    action: 'proceed',
    keys: ['p'],
    places: ['HALT'],
    help: 'proceed: run the action',
    run: (model) => answer(model, 'proceed'),
  },
  {
    action: 'proceedCarried',
    keys: ['w'],
    places: ['HALT'],
    help: 'proceed with the variables of earlier commands',
    run: (model) => answer(model, 'proceed', { carried: true }),
    unavailable: noCarried,
  },
  {
    action: 'proceedInWindow',
    keys: ['i'],
    places: ['HALT'],
    help: 'proceed when the change window opens, after another check',
    run: (model) => answer(model, 'proceed', { inWindow: true }),
    unavailable: noWindow,
  },
  {
    action: 'takeBack',
    keys: ['b'],
    places: ['HALT'],
    help: 'withdraw the approval; the decision stays open',
    run: takeBack,
    unavailable: noneToTakeBack,
  },
  {
    action: 'skip',
    keys: ['s'],
    places: ['HALT'],
    help: 'skip: do not run it, and protect the files that it would change',
    run: (model) => answer(model, 'skip'),
  },
  {
    action: 'instead',
    keys: ['n'],
    places: ['HALT'],
    help: 'not this way: do not run it, and protect nothing',
    run: (model) => answer(model, 'instead'),
    unavailable: noOtherWay,
  },
  {
    action: 'addNote',
    keys: ['m'],
    places: ['HALT'],
    help: 'write a note for the model, sent with the verdict',
    run: startNote,
    unavailable: noMessage,
  },
  {
    action: 'abort',
    keys: ['a'],
    places: ['HALT'],
    help: 'abort (press twice): end the goal or the exchange',
    run: (model) => answer(model, 'abort'),
  },
  {
    action: 'explain',
    keys: ['?'],
    places: ['HALT'],
    help: 'explain the rule',
    run: (model) => just(explain(model)),
    unavailable: noRule,
  },
  {
    action: 'preview',
    keys: ['v'],
    places: ['HALT'],
    help: 'preview: run it, and show its changes before they count',
    run: preview,
    unavailable: noPreview,
  },
  {
    action: 'editAction',
    keys: ['e'],
    places: ['HALT'],
    help: 'edit: run another command, which is checked again',
    run: startEdit,
    unavailable: noEdit,
  },
  {
    action: 'grantAction',
    keys: ['g'],
    places: ['HALT'],
    help: 'grant: proceed, and do not ask again in this goal or chat',
    run: askGrant,
    unavailable: noGrant,
  },
  {
    action: 'grantCommand',
    keys: ['c'],
    places: ['HALT grant'],
    help: null,
    run: (model) => grant(model, 'command'),
  },
  {
    action: 'grantRule',
    keys: ['r'],
    places: ['HALT grant'],
    help: null,
    run: (model) => grant(model, 'rule'),
    unavailable: noRuleToGrant,
  },
  {
    action: 'grantVariables',
    keys: ['w'],
    places: ['HALT grant'],
    help: null,
    run: (model) => grant(model, 'variables'),
    unavailable: noCarried,
  },
  {
    action: 'endDraft',
    keys: ['escape', 'ctrl-c'],
    places: ['HALT edit', 'HALT choice', 'HALT grant'],
    help: null,
    run: endDraft,
  },
  {
    action: 'enterField',
    keys: ['enter'],
    places: FORM,
    help: null,
    run: sendDraft,
  },
  {
    action: 'nextField',
    keys: ['tab', 'down'],
    places: FORM,
    help: null,
    run: (model) => moveField(model, 1),
  },
  {
    action: 'previousField',
    keys: ['shift-tab', 'up'],
    places: FORM,
    help: null,
    run: (model) => moveField(model, -1),
  },
  {
    action: 'nextChoice',
    keys: ['right', ' '],
    places: ['HALT choice'],
    help: null,
    run: (model) => changeChoice(model, { by: 1 }),
  },
  {
    action: 'previousChoice',
    keys: ['left'],
    places: ['HALT choice'],
    help: null,
    run: (model) => changeChoice(model, { by: -1 }),
  },
  {
    action: 'nextDecision',
    keys: ['tab'],
    places: ['HALT'],
    help: 'the next open decision',
    run: (model) => just(nextDecision(model)),
  },
  {
    action: 'putAside',
    keys: ['escape', 'ctrl-c'],
    places: ['HALT'],
    help: 'close it; Ctrl-D opens it again',
    run: (model) => just(closeHalt(model)),
  },
  {
    action: 'haltUp',
    keys: ['pageup', 'up'],
    places: ['HALT'],
    help: 'scroll a long action up',
    run: (model) => just(scrollHalt(model, -4)),
  },
  {
    action: 'haltDown',
    keys: ['pagedown', 'down'],
    places: ['HALT'],
    help: 'scroll a long action down',
    run: (model) => just(scrollHalt(model, 4)),
  },
];
