/** What ends a turn in chat templates; a model that writes one as text has ended its answer there. */
const STOP =
  /<\|(?:im_end|im_start|eot_id|eom_id|end|endoftext|end_of_text|return|user|assistant)\|>|(?<!<s>.*)<\/s>|<end_of_turn>|<start_of_turn>|<turn\|>|<｜end▁of▁sentence｜>/;
const STOP_AT_END = new RegExp(`(?:${STOP.source})\\s*$`);
/** The name of its own side, which some models write first. */
const OWN_ROLE = /^(?:\*\*)?(?:assistant|aish|AI)(?:\*\*)?:(?:\*\*)?[ \t]*(?:\r?\n)?/i;
/** The other side's turn: what follows was never said. An answer may name a user, too, but nobody acts after that. */
const OTHER_ROLE = /^(?:\*\*)?(?:user|human)(?:\*\*)?:/i;
const GOES_ON = /^[ \t]*(?:CMD:|GOAL:|(?:\*\*)?(?:assistant|aish)(?:\*\*)?:)/im;

export interface Tidied {
  readonly text: string;
  /** What it thought, where its endpoint did not take that out. */
  readonly thoughts: string;
}

/**
 * An answer without what is no part of it: thoughts between `<think>` and `</think>` (to the end where they are never
 * closed), a byte order mark, its own role, a stop token and what follows it, and the turn of the other side that it makes up.
 * @param isOpen whether a line that follows these is still part of a command: what it writes into a file stays as it is.
 */
export function tidy(answer: string, isOpen: (before: readonly string[]) => boolean): Tidied {
  const { text, thoughts } = withoutThoughts(answer.replace(/^\uFEFF/, ''));
  const lines: string[] = [];
  const all = text.replace(OWN_ROLE, '').replace(STOP_AT_END, '').split('\n');
  for (const [at, line] of all.entries()) {
    const stop = STOP.exec(line)?.index;
    const isOther = OTHER_ROLE.test(line) && lines.join('').trim() !== '' && GOES_ON.test(all.slice(at + 1).join('\n'));
    if ((stop === undefined && !isOther) || isOpen(lines)) {
      lines.push(line);
      continue;
    }
    if (stop !== undefined && line.slice(0, stop).trim() !== '') lines.push(line.slice(0, stop).trimEnd());
    if (stop === 0 && lines.every((each) => each.trim() === '')) continue;
    break;
  }
  return { text: lines.join('\n'), thoughts };
}

/** How model families mark thoughts where their endpoint leaves them in the text. */
const OPENED = /^\s*(?:<(?:think|thinking|thoughts?|reasoning|seed:think)>|\[THINK\]|◁think▷|<\|channel>thought)/;
const CLOSED = /<\/(?:think|thinking|thoughts?|reasoning|seed:think)>|\[\/THINK\]|◁\/think▷|<channel\|>/;

/** Whether an answer that begins so begins with thoughts. */
export function opensThoughts(line: string): boolean {
  return OPENED.test(line);
}

/** Where the thoughts of a line are over; null where they go on. */
export function closedThoughts(line: string): number | null {
  const match = CLOSED.exec(line);
  return match === null ? null : match.index + match[0].length;
}

/** Messages of harmony and Muse: to itself, to the user, to a tool. */
const TO_ITSELF =
  /(?:<\|start\|>)?(?:assistant)?[ \t]*(?:to=self|<\|channel\|>analysis)[ \t]*<\|message\|>([\s\S]*?)(?:<\|(?:eom|eot|end)\|>|$)/g;
const FRAME =
  /(?:<\|start\|>)?(?:assistant)?[ \t]*(?:to=[\w.-]+|<\|channel\|>(?:final|commentary)[^<\n]*)[ \t]*<\|message\|>|<\|(?:eom|eot|call)\|>/g;

function withoutThoughts(answer: string): Tidied {
  if (/<\|message\|>/.test(answer)) {
    const thoughts = [...answer.matchAll(TO_ITSELF)].map((match) => match[1]?.trim() ?? '');
    return { text: answer.replaceAll(TO_ITSELF, '').replaceAll(FRAME, '').trim(), thoughts: thoughts.join('\n') };
  }
  const opened = OPENED.exec(answer);
  const closing = CLOSED.exec(answer);
  if (opened === null) {
    // A template may have opened them already; a file that a command writes may hold anything.
    const isOfTemplate = closing !== null && !/^\s*CMD:/m.test(answer.slice(0, closing.index));
    if (!isOfTemplate) return { text: answer, thoughts: '' };
  }
  const start = opened?.[0].length ?? 0;
  if (closing === null) return { text: '', thoughts: answer.slice(start).trim() };
  const text = answer.slice(closing.index + closing[0].length).replace(/^\s+/, '');
  return { text, thoughts: answer.slice(start, closing.index).trim() };
}
