import type { Msg } from '../messages.js';
import { shownSession, type Model, type Update } from '../model.js';
import { withFlash } from './flash.js';
import { giveCommandBack } from './prompt.update.js';

/** Runs a command of the person in the workspace of the selected goal, else of the chat. */
export function runCommand(model: Model, command: string): Update {
  const view = model.view === 'goals' ? 'goals' : 'chat';
  const { preset } = model.chat;
  return {
    model: { ...model, view, isCommandRunning: true },
    effects: [{ type: 'runCommand', sessionId: shownSession(model), preset, command }],
  };
}

export function commandEnded(model: Model, { command, refused }: Extract<Msg, { type: 'commandEnded' }>): Model {
  const ended = { ...model, isCommandRunning: false };
  return refused === null ? ended : giveCommandBack(ended, `!${command}`, refused.message);
}

/** Stops the person's command (Ctrl-C). Returns null if none is running. */
export function stopCommand(model: Model): Update | null {
  if (!model.isCommandRunning) return null;
  return { model: withFlash(model, 'stopping…', 'warn'), effects: [{ type: 'stopCommand' }] };
}
