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

/**
 * The tag of a memory item that is a ban, proposed or accepted. aish enforces a ban if it names a path or an address.
 */
const RULE_TAG = 'rule';
const RULES_MAX = 100;
const BAN_MAX_CHARS = 300;

/** Matches a ban up to the end of its sentence, including a list after a colon. */
const FORBIDS =
  /\b(?:never|do not|don['’]t|must not|stay away from|keep away from|keep off|hands off)\b(?:[^\n;!?.]|\.(?!\s|$))*(?:(?<=:)(?:\s*\n\s*[-*] [^\n]*)+)?/gi;
/** Matches the words after which a sentence no longer forbids anything. */
const TURNS = /,?\s+(?:but|instead|rather)\b|,\s*(?:just|only|use|write|put|create|make|then)\b/i;
/** Matches words such as `except`, after which the named places are allowed. */
const ALLOWS = /\b(?:outside|except|other than|apart from|besides|anything else)\b/i;
const VERB =
  /^(?:stay|keep|hands)\b|\b(?:touch|delete|remove|erase|wipe|clean|empty|change|modify|alter|edit|write|overwrite|replace|rename|move|restart|reboot|stop|kill|disable|access|connect|send|post|upload|push|deploy)\b/i;
const PATH =
  /(?<![\w:/.-])(?:~?\/[^\s"'`“”’),]+|\.{0,2}[\w-]+(?:\/[\w.*-]+)+\/?|[\w.-]*\w\/(?=[\s"'`),]|$)|[\w-]+\.[a-z]\w{0,4}\b)/gi;

/**
 * Bans in passive voice, and in German, French and Spanish: a part of a sentence with a "not", a verb that changes
 * something, and a path. It misses bans that are worded in other ways, but the model still reads those.
 */
const NOT =
  /\b(?:(?:must|may|should|shall|can) ?not|must never|may never|should never|not to be|no changes?|leave|nie|niemals|nicht|keinesfalls|ne|jamais|no|nunca)\b|\bn['’]/i;
const CHANGES =
  /\b(?:touched|deleted|removed|erased|wiped|emptied|changed|modified|altered|edited|overwritten|replaced|renamed|moved|restarted|stopped|changes? (?:to|in|of)|leave\b.*\balone)\b|\b(?:ge)?lösch|\bentfern|\büberschr[ie]|\b(?:ver)?änder|\bverschieb|\bverschoben|\bangefasst|\banfass|\bfass\b.*\ban$|\banrühr|\bumbenenn|\bsupprim|\beffac|\btouche|\bmodifi|\bécras|\bdéplac|\brenomm|\bborr|\belimin|\btoqu|\btocar|\bsobrescrib|\bmuev|\brenombr/iu;

/** A ban, in the person's words, and the paths that it names. */
export interface Ban {
  readonly words: string;
  readonly paths: readonly string[];
  /** Whether aish can enforce the ban, because it names a path or an address. The model reads all other bans. */
  readonly isHeld: boolean;
}

/** Returns the bans in a person's words, such as "never touch /data/backups". Pure. */
export function bansIn(text: string): readonly Ban[] {
  const clauses = Array.from(text.matchAll(FORBIDS), ([clause]) => clause.split(TURNS)[0] ?? '');
  const orders = clauses.map((clause) => clause.trim().slice(0, BAN_MAX_CHARS)).filter((words) => VERB.test(words));
  const others = text
    .replaceAll(FORBIDS, (clause) => (VERB.test(clause) ? '' : clause))
    .split(/[\n,;!?]|\.(?=\s|$)/)
    .map((part) => part.trim().slice(0, BAN_MAX_CHARS))
    .filter((words) => NOT.test(words) && CHANGES.test(words) && words.search(PATH) >= 0);
  return [...orders, ...others].map((words) => {
    const found = Array.from(words.matchAll(PATH), ([path]) => posix.resolve('/workspace', path));
    const paths = ALLOWS.test(words) ? [] : [...new Set(found)];
    const isHeld = paths.length > 0 || (!ALLOWS.test(words) && namedPlaces(words).length > 0);
    return { words, paths, isHeld };
  });
}

/**
 * Stores bans in a person's words as refusals. They come from the goal, from messages and notes, and from rules that
 * the person accepted before. A new ban is also proposed as such a rule, which only a person can accept.
 */
export async function noteBans({ statements }: Pick<Database, 'statements'>, session: ToolContext): Promise<void> {
  const { sessionId } = session;
  const { owner } = await callerNamed(statements, session.owner);
  const [turns, rules] = await Promise.all([
    listTurnsOfPeople(statements, sessionId),
    listActiveItems(statements, owner, { kind: null, tag: RULE_TAG, limit: RULES_MAX }, null),
  ]);
  const stated = unique(wordsIn(turns).person.flatMap(({ text }) => bansIn(text)));
  const all = unique([...stated, ...rules.flatMap(({ content }) => bansIn(content))]);
  if (all.length === 0) return;
  const refusals = await listRefusals(statements, sessionId);
  for (const { words, paths, isHeld } of all) {
    // A comment runs nothing, so no command equals this action.
    const action = `# ${words}`;
    // An address in a note to a refusal is refused together with the action.
    const isKnown = refusals.some(
      (each) => each.action === action || (paths.length === 0 && each.words?.includes(words)),
    );
    if (isHeld && !isKnown) await insertRefusal(statements, sessionId, { step: null, action, words, paths });
  }
  const seen =
    stated.length === 0
      ? []
      : await contentsSeenBefore(
          statements,
          owner,
          stated.map(({ words }) => words),
        );
  for (const { words, isHeld } of stated.filter((ban) => !seen.includes(ban.words))) {
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
