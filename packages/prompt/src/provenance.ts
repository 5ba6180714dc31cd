import type { ShownTurn, Turn, TurnPart } from '@aish/contracts/sessions';

/** The words of a session, sorted by author. Words of the model and of aish permit and forbid nothing. */
export interface SessionWords {
  /** The person's messages and refusals, oldest first. Later ones count more. */
  readonly person: readonly { readonly text: string; readonly isRefusal: boolean }[];
  /** Text from elsewhere, with its source. */
  readonly read: readonly {
    readonly from: string;
    readonly text: string;
    /**
     * Whether the fields of the text count as those of a record. A tool returns records. A command may print any file or
     * page, and another program may send any text to aish.
     */
    readonly hasRecords: boolean;
  }[];
}

/**
 * Sorts the words of a session by the provenance of its turns. Until the model answers, a refusal counts more than
 * anything else that a person says: "never send anything there", said after a skip, names the address and still permits
 * nothing. Pure.
 */
export function wordsIn(turns: readonly Turn[]): SessionWords {
  const person: SessionWords['person'][number][] = [];
  const read: SessionWords['read'][number][] = [];
  let refused: string[] = [];
  const endPause = () => {
    person.push(...refused.map((text) => ({ text, isRefusal: true })));
    refused = [];
  };
  for (const turn of turns) {
    if (turn.provenance === 'model') endPause();
    for (const { provenance, text, isRefusal } of partsOf(turn)) {
      if (isRefusal === true) refused.push(text);
      else if (provenance === 'person') person.push({ text, isRefusal: false });
      else if (provenance === 'tool') read.push(readFrom(turn, text));
    }
  }
  endPause();
  return { person, read };
}

function partsOf({ parts, provenance, content }: Turn): readonly TurnPart[] {
  return parts ?? [{ provenance, text: content }];
}

function readFrom({ role, meta }: ShownTurn, text: string): SessionWords['read'][number] {
  if (role === 'output') return { ...printed(text), hasRecords: false };
  if (role === 'tool') return { from: meta?.toolName ?? 'a tool', text, hasRecords: true };
  return { from: 'the background', text, hasRecords: false };
}

/** Separates the command from its output. aish writes the command above the output, and a mark before each line. */
function printed(content: string): { readonly from: string; readonly text: string } {
  const [head = '', ...lines] = content.split('\n');
  return {
    from: head.replace(/^\[exec\] \$ /, '').slice(0, 80),
    text: lines.map((line) => line.replace(/^\| /, '')).join('\n'),
  };
}
