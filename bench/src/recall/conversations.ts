import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Something that was said, when and by whom. */
interface Said {
  readonly id: string;
  readonly text: string;
  readonly by: string;
  readonly at: Date;
}

/** A question, and where the answer stands: places of `said`. */
interface Asked {
  readonly text: string;
  readonly answers: ReadonlySet<number>;
}

export interface Conversation {
  readonly said: readonly Said[];
  readonly asked: readonly Asked[];
}

interface Turn {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
}

/** One of the files: sessions by number, their dates, and questions with the turns that answer them. */
type File = Readonly<Record<string, unknown>> & {
  readonly qa: readonly { readonly question: string; readonly evidence?: readonly string[] }[];
};

/**
 * Conversations as LoCoMo's files have them, one in each JSON file of the folder. Questions whose answer stands nowhere
 * are left out.
 */
export function readConversations(folder: string): Conversation[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  if (names.length === 0) throw new Error(`there are no conversations in ${folder}`);
  return names.toSorted().map((name) => conversationOf(JSON.parse(readFileSync(join(folder, name), 'utf8')) as File));
}

function conversationOf(file: File): Conversation {
  const said = Object.entries(file).flatMap(([key, turns]) => {
    if (!/^session_\d+$/.test(key) || !Array.isArray(turns)) return [];
    const at = dateOf(String(file[`${key}_date_time`]));
    return (turns as Turn[]).map(({ dia_id: id, text, speaker: by }) => ({ id, text, by, at }));
  });
  const places = new Map(said.map(({ id }, n) => [id, n]));
  const asked = file.qa.flatMap(({ question, evidence = [] }) => {
    const ids = evidence.flatMap((each) => each.match(/D\d+:\d+/g) ?? []);
    const answers = new Set(ids.flatMap((id) => places.get(id) ?? []));
    return answers.size === 0 ? [] : [{ text: question, answers }];
  });
  return { said, asked };
}

/** `1:56 pm on 8 May, 2023` */
function dateOf(text: string): Date {
  const [, hour = '', minute = '', half, day = '', month = '', year = ''] =
    /^(\d+):(\d+) (am|pm) on (\d+) (\w+),? (\d+)$/.exec(text) ?? [];
  const at = new Date(`${day} ${month} ${year} 00:00 UTC`);
  if (Number.isNaN(at.getTime())) throw new Error(`no date: ${text}`);
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  return new Date(at.getTime() + (hours * 60 + Number(minute)) * 60_000);
}
