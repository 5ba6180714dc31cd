import type { Msg } from '../messages.js';
import { shownSession, type Model, type Update } from '../model.js';
import { withFlash } from './flash.js';
import { promptOf } from './prompt.edit.js';

/** Runs a command of the person in the workspace of the selected goal, else of the chat. */
export function runCommand(model: Model, command: string): Update {
  const view = model.view === 'goals' ? 'goals' : 'chat';
  const { preset } = model.chat;
  return {
    model: { ...model, view, isCommandRunning: true },
    effects: [{ type: 'runCommand', sessionId: shownSession(model), preset, command }],
  };
}

/** Restores a refused command, unless the person is typing something else. */
export function commandEnded(model: Model, { command, refused }: Extract<Msg, { type: 'commandEnded' }>): Model {
  const ended = { ...model, isCommandRunning: false };
  if (refused === null) return ended;
  const isFree = model.prompt.text === '';
  const prompt = isFree ? promptOf(`!${command}`) : model.prompt;
  return withFlash({ ...ended, prompt, isPromptOpen: model.isPromptOpen || isFree }, refused.message, 'bad');
}

/** Stops the person's command (Ctrl-C). Returns null if none is running. */
export function stopCommand(model: Model): Update | null {
  if (!model.isCommandRunning) return null;
  return { model: withFlash(model, 'stopping…', 'warn'), effects: [{ type: 'stopCommand' }] };
}
