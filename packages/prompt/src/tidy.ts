/** Matches the end of a turn in chat templates. A model that writes it as text has ended its answer. */
const STOP =
  /<\|(?:im_end|im_start|eot_id|eom_id|end|endoftext|end_of_text|return|user|assistant)\|>|(?<!<s>.*)<\/s>|<end_of_turn>|<start_of_turn>|<turn\|>|<｜end▁of▁sentence｜>/;
const STOP_AT_END = new RegExp(`(?:${STOP.source})\\s*$`);
/** Matches the name of the model's own side, which some models write first. */
const OWN_ROLE = /^(?:\*\*)?(?:assistant|aish|AI)(?:\*\*)?:(?:\*\*)?[ \t]*(?:\r?\n)?/i;
/**
 * Matches the beginning of the other side's turn, which the model invents. An answer may also name a user, but contains
 * no action after that.
 */
const OTHER_ROLE = /^(?:\*\*)?(?:user|human)(?:\*\*)?:/i;
const GOES_ON = /^[ \t]*(?:CMD:|GOAL:|(?:\*\*)?(?:assistant|aish)(?:\*\*)?:)/im;

export interface Tidied {
  readonly text: string;
  /** The model's thoughts, if its endpoint did not remove them. */
  readonly thoughts: string;
}

/**
 * Removes everything from an answer that is not part of it: thoughts between `<think>` and `</think>` (to the end if
 * they are never closed), a byte order mark, the model's own role, a stop token and the text after it, and an invented
 * turn of the other side.
 *
 * @param isOpen whether a line after these is still part of a command. Text that a command writes into a file stays
 *   unchanged.
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

/** Matches the markers with which model families begin their thoughts, if the endpoint leaves them in the text. */
const OPENED = /^\s*(?:<(?:think|thinking|thoughts?|reasoning|seed:think)>|\[THINK\]|◁think▷|<\|channel>thought)/;
const CLOSED = /<\/(?:think|thinking|thoughts?|reasoning|seed:think)>|\[\/THINK\]|◁\/think▷|<channel\|>/;

/** Whether an answer that begins with this line starts with thoughts. */
export function opensThoughts(line: string): boolean {
  return OPENED.test(line);
}

/** Returns where the thoughts of a line end; null if they continue. */
export function closedThoughts(line: string): number | null {
  const match = CLOSED.exec(line);
  return match === null ? null : match.index + match[0].length;
}

/** Matches messages of harmony and Muse: to the model itself, to the user, to a tool. */
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
    // A template may have opened the thoughts already, and a file that a command writes may contain anything.
    const isOfTemplate = closing !== null && !/^\s*CMD:/m.test(answer.slice(0, closing.index));
    if (!isOfTemplate) return { text: answer, thoughts: '' };
  }
  const start = opened?.[0].length ?? 0;
  if (closing === null) return { text: '', thoughts: answer.slice(start).trim() };
  const text = answer.slice(closing.index + closing[0].length).replace(/^\s+/, '');
  return { text, thoughts: answer.slice(start, closing.index).trim() };
}
