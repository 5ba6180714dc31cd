import type { Plan } from './plan.js';

/** The plan for any goal that has no script of its own. */
export const notePlan: Plan = {
  intent:
    'It does not understand this goal, so it does what it always does: look around, write a note, and ask to delete it.',
  steps: [
    { words: 'First I look around in the sandbox.', command: 'uname -sr; id -un; ls -la' },
    {
      words: 'Now I write a note.',
      command: "mkdir -p demo && printf '%s\\n' 'A note of the demo model.' >> demo/notes.txt && cat demo/notes.txt",
    },
    {
      words: 'The note is there. Deleting it is destructive, so aish stops here and asks you.',
      command: 'rm -rf demo',
    },
  ],
  summary: (_, isSkipped) =>
    isSkipped
      ? 'The demo is over; the note stays in ./demo, as you skipped deleting it. For real work, connect a model.'
      : 'The demo is over, and its note is deleted again. For real work, connect a model.',
};
