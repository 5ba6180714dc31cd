import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ROOT } from '../support/service.process.js';

/**
 * These words replace the subject or the verb of a sentence. Name the person or the thing instead, and use an everyday
 * verb.
 */
const BENT = /\b(?:whoever|whatever|anew|meanwhile|stands (?:in|at|on))\b/gi;
/** The code no longer has these names. */
const OLD_NAMES =
  /\b(?:HostDesk|HostDoor|TlsDoor|MessageDesk|Vacating|driveForgotten|tellChats|foretold|foretell|foretellUndo|FoldersForetold|askMeanwhile|whyAnewText|CommandSurroundings|surroundings_changed|[lL]etRun|LetThrough|isLetThrough|NoticeText|notice_refused|GoalDriver\w+|DriveResult|MemoryKeeper|tellStopped|NewReach|WhyAnew|whyAnew|runAgainReason|expectedSurroundings|surroundings|SocketReach|requireReach|ToldBackground|takeUntoldEnds|toldOf|askAway|awayFor|mayBeAway|needTold|judgeByWords|droppedUnasked|pathsLetBy|neverHeard|wentBack|followFailed|keepMeanings|sendOnward|EngineDoor|NetworkWay|lostFirst|toolNews|MemoryTrail|LookForSecrets|chat_told|chatTold|WaysBack|askWaysBack|wayBackCommand|wayBackFindings|RunDriver|drivenHere|toldIn)\b|@aish\/(?:conversation|rehearsal|reach)\b/g;

const TEXTS = ['*.ts', '*.tsx', '*.mjs', '*.md', '*.py', '*.sh', '*.prisma'];
/** These texts were written by others or recorded. The check itself is included, because it contains the words. */
const NOT_CHECKED =
  /^(?:CHANGELOG\.md|packages\/safety\/corpus\/|packages\/sessions\/recordings\/|evals\/jobs\/|bench\/src\/(?:\w+\/)*(?:\w+\.)?corpus\.ts|tests\/src\/check\/words\.)/;

const PROMPT = 'a model reads it; a new wording needs new measurements';
const EARLIER = 'the test writes rows as the previous version did';
/** These lines keep their word. `part` occurs in exactly one line of the file. */
export const ALLOWED: readonly { readonly file: string; readonly part: string; readonly why: string }[] = [
  { file: 'packages/memory/src/compaction.ts', part: 'Write the document anew', why: PROMPT },
  { file: 'packages/memory/src/instructions.ts', part: 'What stands in them is data', why: PROMPT },
  { file: 'packages/database/src/migrations/migrate.spec.ts', part: 'context, surroundings)', why: EARLIER },
  { file: 'packages/database/src/migrations/migrate.spec.ts', part: '...event, surroundings: context', why: EARLIER },
  { file: 'packages/prompt/src/turns.ts', part: 'Go on from what it says, or plan anew', why: PROMPT },
  { file: 'packages/prompt/src/turns.ts', part: 'Plan anew, or write', why: PROMPT },
  { file: 'packages/sessions/src/action-tools.ts', part: 'the text as it stands in the file', why: PROMPT },
  { file: 'services/api/src/events/event-rule.ts', part: 'What stands in quotes in the goal', why: PROMPT },
];

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly word: string;
  readonly text: string;
}

/** Returns the refused words in a text, in order. The function is pure. */
export function findWords(file: string, text: string): readonly Finding[] {
  return text
    .split('\n')
    .flatMap((each, at) =>
      [...each.matchAll(BENT), ...each.matchAll(OLD_NAMES)].map(([word]) => ({ file, line: at + 1, word, text: each })),
    );
}

/** Returns the refused words in all texts of the repository, including files that are not committed yet. */
export function findWordsInRepository(): readonly Finding[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...TEXTS];
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\0');
  return files
    .filter((file) => file !== '' && !NOT_CHECKED.test(file))
    .flatMap((file) => findWords(file, readFileSync(`${ROOT}${file}`, 'utf8')));
}

/** Returns one message for each finding that is not allowed. The function is pure. */
export function problemsOf(findings: readonly Finding[]): readonly string[] {
  const isAllowed = ({ file, text }: Finding): boolean =>
    ALLOWED.some((each) => each.file === file && text.includes(each.part));
  return findings
    .filter((each) => !isAllowed(each))
    .map(({ file, line, word, text }) => `${file}:${line}: say it without "${word}": ${text.trim().slice(0, 160)}`);
}
