import type { Turn } from '@aish/contracts/sessions';

/** What a session has heard, for whoever asks where something in it comes from. */
export interface HeardTurns {
  /** What people said. */
  readonly person: readonly string[];
  /** What was read from elsewhere, and by what. */
  readonly read: readonly { readonly from: string; readonly text: string }[];
}

/** Words of aish in which it tells the model what a person said, and what an admin has opened. */
const TOLD_BY_PERSON =
  /^\[aish\] (The user (answers|says:|has changed the goal|lets the goal go on|does not)|action (changed|skipped) by user|commands (reach|may use)|hosts that commands reach|folders of the host|this is work in the space)/;
/** Its other words may quote the model; a notice that is not its own quotes chats and other programs. */
const OWN = /^\[aish\] /;

/** The person's words and what came from elsewhere, apart: what the model said itself is neither. Pure. */
export function heardIn(turns: readonly Turn[]): HeardTurns {
  const person: string[] = [];
  const read: { from: string; text: string }[] = [];
  for (const { role, content, meta } of turns) {
    if (role === 'user' || (role === 'notice' && TOLD_BY_PERSON.test(content))) person.push(content);
    else if (role === 'tool') read.push({ from: meta?.toolName ?? 'a tool', text: content });
    else if (role === 'output') read.push(ofOutput(content));
    else if (role === 'notice' && !OWN.test(content)) read.push({ from: 'the background', text: content });
  }
  return { person, read };
}

/** Output is told with a mark before each line. */
function ofOutput(content: string): { from: string; text: string } {
  const [head = '', ...lines] = content.split('\n');
  return {
    from: head.replace(/^\[exec\] \$ /, '').slice(0, 80),
    text: lines.map((line) => line.replace(/^\| /, '')).join('\n'),
  };
}
