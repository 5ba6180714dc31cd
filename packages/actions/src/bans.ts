import { posix } from 'node:path';
import type { ToolContext } from '@aish/contracts/tools';
import { wordsIn } from '@aish/prompt';
import type { Database } from '@aish/database/client';
import { contentsSeenBefore, insertCandidate } from '@aish/database/memory-candidates.repository';
import { listActiveItems } from '@aish/database/memory-items.repository';
import { insertRefusal, listRefusals } from '@aish/database/refusals.repository';
import { callerNamed } from '@aish/database/tokens.repository';
import { listTurnsOfPeople } from '@aish/database/turns.repository';
import { namedPlaces } from '@aish/safety';

/** Of a proposed memory and an accepted one: it is a ban, and aish holds it where it names a path or an address. */
const RULE_TAG = 'rule';
const RULES_MAX = 100;
const BAN_MAX_CHARS = 300;

/** To the end of the sentence, with the list that follows a colon. */
const FORBIDS =
  /\b(?:never|do not|don['’]t|must not|stay away from|keep away from|keep off|hands off)\b(?:[^\n;!?.]|\.(?!\s|$))*(?:(?<=:)(?:\s*\n\s*[-*] [^\n]*)+)?/gi;
/** What follows is no longer forbidden. */
const TURNS = /,?\s+(?:but|instead|rather)\b|,\s*(?:just|only|use|write|put|create|make|then)\b/i;
/** Then what is named is what is allowed. */
const ALLOWS = /\b(?:outside|except|other than|apart from|besides|anything else)\b/i;
const VERB =
  /^(?:stay|keep|hands)\b|\b(?:touch|delete|remove|erase|wipe|clean|empty|change|modify|alter|edit|write|overwrite|replace|rename|move|restart|reboot|stop|kill|disable|access|connect|send|post|upload|push|deploy)\b/i;
const PATH =
  /(?<![\w:/.-])(?:~?\/[^\s"'`“”’),]+|\.{0,2}[\w-]+(?:\/[\w.*-]+)+\/?|[\w.-]*\w\/(?=[\s"'`),]|$)|[\w-]+\.[a-z]\w{0,4}\b)/gi;

/** What a person forbids in words, and the paths that it names. */
export interface Ban {
  readonly words: string;
  readonly paths: readonly string[];
  /** Whether aish can hold commands to it: it names a path or an address. The model reads the others. */
  readonly isHeld: boolean;
}

/** Pure. The bans in a person's words, such as "never touch /data/backups". */
export function bansIn(text: string): readonly Ban[] {
  const clauses = Array.from(text.matchAll(FORBIDS), ([clause]) => clause.split(TURNS)[0] ?? '');
  return clauses
    .map((clause) => clause.trim().slice(0, BAN_MAX_CHARS))
    .filter((words) => VERB.test(words))
    .map((words) => {
      const found = Array.from(words.matchAll(PATH), ([path]) => posix.resolve('/workspace', path));
      const paths = ALLOWS.test(words) ? [] : [...new Set(found)];
      const isHeld = paths.length > 0 || (!ALLOWS.test(words) && namedPlaces(words).length > 0);
      return { words, paths, isHeld };
    });
}

/**
 * Takes what a person has forbidden in words for a refusal: in the goal, in messages and notes, and in rules that they
 * accepted before. A ban that is new is proposed as such a rule, which only a person accepts.
 */
export async function noteBans({ statements }: Pick<Database, 'statements'>, session: ToolContext): Promise<void> {
  const { sessionId } = session;
  const { owner } = await callerNamed(statements, session.owner);
  const [turns, rules] = await Promise.all([
    listTurnsOfPeople(statements, sessionId),
    listActiveItems(statements, owner, { kind: null, tag: RULE_TAG, limit: RULES_MAX }, null),
  ]);
  const said = unique(wordsIn(turns).person.flatMap(({ text }) => bansIn(text)));
  const all = unique([...said, ...rules.flatMap(({ content }) => bansIn(content))]);
  if (all.length === 0) return;
  const refusals = await listRefusals(statements, sessionId);
  for (const { words, paths, isHeld } of all) {
    // A comment runs nothing, so no command is the same.
    const action = `# ${words}`;
    // A note to a refusal names addresses that are refused with it.
    const isKnown = refusals.some(
      (each) => each.action === action || (paths.length === 0 && each.words?.includes(words)),
    );
    if (isHeld && !isKnown) await insertRefusal(statements, sessionId, { step: null, action, words, paths });
  }
  const seen =
    said.length === 0
      ? []
      : await contentsSeenBefore(
          statements,
          owner,
          said.map(({ words }) => words),
        );
  for (const { words, isHeld } of said.filter((ban) => !seen.includes(ban.words))) {
    await insertCandidate(statements, owner, {
      kind: 'pref',
      content: words,
      tags: isHeld ? [RULE_TAG] : [RULE_TAG, 'model only'],
      origin: 'person',
      source: { sessionId, turn: null, step: null, excerpt: null, model: null },
      duplicates: [],
      secrets: [],
      proposedBy: 'aish',
    });
  }
}

function unique(bans: readonly Ban[]): readonly Ban[] {
  return [...new Map(bans.map((ban) => [ban.words, ban])).values()];
}
