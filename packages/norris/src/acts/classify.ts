import { actionText, type Classification } from '@aish/contracts';
import type { Judgement } from '../machine/events.js';
import type { MachineAction } from '../machine/state.js';
import type { ActContext, ActPorts, Acted } from './context.js';

const SAFE: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };

/** Asks the gate about actions, and whether a person has granted what it stops. */
export async function classify(
  actions: readonly MachineAction[],
  context: ActContext,
  ports: ActPorts,
  signal: AbortSignal,
): Promise<Acted> {
  const startedAt = performance.now();
  const judgements = await Promise.all(
    actions.map(async (action): Promise<Judgement> => {
      const classification = await judge(action, context, ports, signal);
      const { verdict, ruleId } = classification;
      const grant = verdict === 'safe' ? null : await context.grantFor(actionText(action), ruleId);
      return { actionId: action.id, classification, grant };
    }),
  );
  // Rules take no time worth counting; a model that is asked does.
  const isAsked = judgements.some(({ classification: { by } }) => by === 'second-opinion');
  return { event: { type: 'classified', judgements, tookMs: isAsked ? performance.now() - startedAt : 0 } };
}

async function judge(
  action: MachineAction,
  { workspaceId, toolContext }: ActContext,
  { gate, tools, policy }: ActPorts,
  signal: AbortSignal,
): Promise<Classification> {
  if (action.kind === 'command') return gate.judge(action.command, workspaceId, signal);
  const call = { id: action.callId, name: action.tool, arguments: action.arguments };
  const prepared = tools.prepare(call, await tools.specs(toolContext));
  // Nothing is called that cannot be prepared: the model gets the fault as the result.
  if ('refused' in prepared || prepared.ready.isBuiltIn) return SAFE;
  const { spec, args } = prepared.ready;
  const { annotations, trusted } = spec;
  const hints = {
    ...(annotations.readOnlyHint === undefined ? {} : { readOnlyHint: annotations.readOnlyHint }),
    ...(annotations.destructiveHint === undefined ? {} : { destructiveHint: annotations.destructiveHint }),
  };
  const classification = await gate.judgeToolCall(
    {
      name: prepared.ready.call.name,
      args,
      annotations: hints,
      trusted,
      keepsOld: spec.keepsOld === true,
      shown: actionText(action),
    },
    workspaceId,
    signal,
  );
  // The gate has the last word: approval spares a question, not the stop before what destroys.
  if (classification.verdict === 'destructive') return classification;
  const reason = await policy(prepared.ready, classification, toolContext);
  return reason === null ? { ...classification, verdict: 'safe' } : { ...classification, verdict: 'unknown', reason };
}
