import type { ActEffect } from '../machine/events.js';
import { ask } from './ask.js';
import { classify } from './classify.js';
import type { ActContext, ActPorts, Acted } from './context.js';
import { recover, run } from './run.js';

/** Carries one act out in the world and says what came of it. Throws only `aborted` and what nobody foresaw. */
export async function act(
  effect: ActEffect,
  context: ActContext,
  ports: ActPorts,
  signal: AbortSignal,
): Promise<Acted> {
  await context.at(`${effect.type}.before`);
  const acted = await carryOut(effect, context, ports, signal);
  await context.at(`${effect.type}.after`);
  return acted;
}

function carryOut(effect: ActEffect, context: ActContext, ports: ActPorts, signal: AbortSignal): Promise<Acted> {
  switch (effect.type) {
    case 'ask':
      // While the model thinks. What it may have against it is heard when a command asks for one.
      ports.sandbox.prepare(context, signal).catch(() => false);
      return ask(context, ports, signal);
    case 'classify':
      return classify(effect.actions, context, ports, signal);
    case 'run':
      return run(effect.actions, context, ports, signal);
    case 'recover':
      return recover(effect.action, context, ports, signal);
  }
}
