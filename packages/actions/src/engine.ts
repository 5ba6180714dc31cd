import { wasApproved } from '@aish/database/decisions.repository';
import { snapshotBefore } from '@aish/sandbox-client';
import type { Action, ActionEffect, ActionEvent, Ending } from './action.js';
import { callTool, type Call } from './call.js';
import { recoverCommand, runCommand, type Away } from './command.js';
import type { ActionContext, ActionPorts } from './context.js';
import { judge } from './judge.js';

/** What came of an effect. */
export interface Performed {
  readonly event: ActionEvent;
  /** How long the one who refused wants to be left alone. */
  readonly retryAfterMs?: number;
  /** Names of tools that the model has just found, for the next request. */
  readonly found: readonly string[];
}

/**
 * Judges, runs and recovers actions: the one place where what machines of sessions decide is done in the world. One for
 * each time that a session is driven; a crash loses nothing that the rows do not have.
 */
export class ActionEngine {
  /** Actions that the gate was seen to call safe: no person was asked about them. */
  private readonly cleared = new Set<string>();

  constructor(private readonly ports: ActionPorts) {}

  /** Carries one effect out. @throws AishError `aborted`, and what nobody foresaw. */
  async perform(effect: ActionEffect, context: ActionContext, signal: AbortSignal): Promise<Performed> {
    await context.at(`${effect.type}.before`);
    const performed = await this.performNow(effect, context, signal);
    await context.at(`${effect.type}.after`);
    return performed;
  }

  private performNow(effect: ActionEffect, context: ActionContext, signal: AbortSignal): Promise<Performed> {
    switch (effect.type) {
      case 'classify':
        return this.classify(effect.actions, context, signal);
      case 'run':
        return this.run(effect.actions, context, signal);
      case 'recover':
        return this.recover(effect.action, context, signal);
    }
  }

  private async classify(actions: readonly Action[], context: ActionContext, signal: AbortSignal): Promise<Performed> {
    const from = performance.now();
    const judgements = await Promise.all(actions.map((action) => judge(action, context, this.ports, signal)));
    for (const { actionId, classification } of judgements) {
      if (classification.verdict === 'safe') this.cleared.add(actionId);
    }
    // Rules take no time worth counting; a model that is asked does.
    const isAsked = judgements.some(({ classification: { by } }) => by === 'second-opinion');
    return { event: { type: 'classified', judgements, tookMs: isAsked ? performance.now() - from : 0 }, found: [] };
  }

  /** Actions that have just been written as started: a command, or tool calls, side by side if there are several. */
  private async run(actions: readonly Action[], context: ActionContext, signal: AbortSignal): Promise<Performed> {
    const from = performance.now();
    const [first] = actions;
    if (first?.kind === 'command') {
      const { db, workspaces, sandbox } = this.ports;
      const place = {
        goalId: context.session.goalId,
        step: context.step,
        workspaceId: context.session.sessionId,
        wasApproved: async (id: string) => !this.cleared.has(id) && wasApproved(db.statements, id),
        note: (body: Parameters<Parameters<typeof snapshotBefore>[1]['note']>[0]) =>
          context.write(() => Promise.resolve([body])),
      };
      await snapshotBefore(first, place, workspaces, signal);
      return performed(await runCommand(first, context, sandbox, signal), from);
    }
    const calls = actions.filter((action): action is Call => action.kind === 'tool');
    const called = await Promise.all(calls.map((action) => callTool(action, context, this.ports, signal)));
    const askedMs = Math.max(...called.map((each) => each.askedMs));
    return {
      event: {
        type: 'ended',
        endings: called.map(({ ending }) => ending),
        tookMs: Math.max(0, performance.now() - from - askedMs),
      },
      found: called.flatMap(({ found }) => found),
    };
  }

  /** Takes over what was begun before: the sandbox knows a command, running or ended, or nobody does. */
  private async recover(action: Action, context: ActionContext, signal: AbortSignal): Promise<Performed> {
    const from = performance.now();
    if (action.kind === 'command') {
      return performed(await recoverCommand(action, context, this.ports.sandbox, signal), from);
    }
    // A call that only reads may be made again. Of any other nobody knows what it did.
    if (action.readOnly === true) return this.run([action], context, signal);
    return performed({ kind: 'lost', actionId: action.id }, from);
  }
}

function performed(ran: Ending | Away, from: number): Performed {
  if ('type' in ran) {
    const { retryAfterMs, ...event } = ran;
    return { event, found: [], ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  return { event: { type: 'ended', endings: [ran], tookMs: performance.now() - from }, found: [] };
}
