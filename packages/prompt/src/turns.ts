import type { RunOutcome } from '@aish/contracts/actions';
import { effectsLine } from '@aish/contracts/effect-lines';
import type { OpenedRunbook } from '@aish/contracts/runbooks';
import type { NewTurn, TurnPart } from '@aish/contracts/sessions';
import { escapeHidden } from '@aish/contracts/visible-text';

/** Characters of a command's output that the model is shown; the record keeps more. */
const OUTPUT_SHOWN_MAX_CHARS = 8_000;

/**
 * The turn that tells the model what a command did. Every line it printed is prefixed with `| `, so that no output can
 * pass for a turn, a verdict or a `CMD:` line. Source: architecture, "Failure rules".
 */
export function outputTurn(command: string, outcome: RunOutcome): NewTurn {
  const { text, omittedChars } = cutMiddle(outcome.output, OUTPUT_SHOWN_MAX_CHARS);
  const left = outcome.omittedBytes + omittedChars;
  const lines =
    text === ''
      ? ['(no output)']
      : text
          .replace(/\r?\n$/, '')
          .split(/\r?\n|\r/)
          .map((line) => `| ${line}`);
  const note = left > 0 ? [`(${left} bytes of output left out in the middle)`] : [];
  const content = [`[exec] $ ${command}`, howItEnded(outcome), ...lines, ...note, ...whatItDid(outcome)].join('\n');
  return { role: 'output', provenance: 'tool', content };
}

/** So that the model notices a mistake that the command does not mention. */
function whatItDid({ effects, held }: RunOutcome): string[] {
  const line = effects === undefined ? '' : effectsLine(effects);
  if (held?.verdict === 'kept') return [`(in the workspace: ${line}; a person looked at it and kept it)`];
  if (held !== undefined) return [`(rolled back: ${line}. The workspace is as it was before this command)`];
  return line === '' ? [] : [`(in the workspace: ${line})`];
}

function howItEnded(outcome: RunOutcome): string {
  if (outcome.timedOut) return 'killed: it ran into the time limit';
  if (outcome.cancelled) return 'killed: it was cancelled';
  if (outcome.outOfMemory) return 'killed: out of memory';
  if (outcome.exitCode === null) return 'ended without an exit code';
  return outcome.signal === null
    ? `exit code ${outcome.exitCode}`
    : `exit code ${outcome.exitCode} (${outcome.signal})`;
}

/** A turn in which aish tells the model something. @param parts the words of others that it quotes, by their authors. */
export function noticeTurn(content: string, parts: readonly TurnPart[] = []): NewTurn {
  return { role: 'notice', provenance: 'aish', content, ...(parts.length === 0 ? {} : { parts: [...parts] }) };
}

/** What other programs or other sessions say, for the model to know. */
export function backgroundTurn(content: string): NewTurn {
  return { role: 'notice', provenance: 'tool', content };
}

/** Source: Phase 3 manifest, section 8: the words that the system prompt promises. */
export const approvedTurn = noticeTurn('[aish] action approved');

/** What a person says to the model along with a verdict that has no words of its own for that. */
export function noteTurn(message: string, isRefusal = false): NewTurn {
  const said = saidByPerson(message);
  return noticeTurn(
    `[aish] The user says:
${message}`,
    isRefusal ? said.map(refusing) : said,
  );
}

/** @param message what the person wants the model to know; told as it is. */
export function skippedTurn(action: string, message: string | null): NewTurn {
  return refusalTurn(`[aish] action skipped by user: ${action}`, action, message);
}

/** Told when a person did not let what a command did count. */
export function rolledBackTurn(action: string, message: string | null): NewTurn {
  const what = `[aish] rolled back by user, because it destroyed what was there before: ${action}`;
  return refusalTurn(what, action, message);
}

/** Told of a command whose effects were rolled back because all ended before anybody decided about them. */
export function takenBackTurn(action: string, reason: string): NewTurn {
  return noticeTurn(`[aish] rolled back: ${action}\n${reason}`);
}

/** Told when a person does not want it done this way, and forbids nothing. */
export function insteadTurn(action: string, message: string | null): NewTurn {
  return notThisWay(`[aish] action not run: ${action}`, message);
}

/** The same of a command that has run. */
export function rolledBackInsteadTurn(action: string, message: string | null): NewTurn {
  return notThisWay(`[aish] rolled back by user: ${action}`, message);
}

function notThisWay(what: string, message: string | null): NewTurn {
  const why = 'The user does not want it done this way. Nothing is forbidden: find another way.';
  return noticeTurn(withMessage(`${what}\n${why}`, message), saidByPerson(message));
}

/** Told instead of a question, once a person has said that the model must stop trying. */
export function notAskedAgainTurn(action: string): NewTurn {
  return noticeTurn(
    `[aish] action refused: ${action}\nIt touches what the user has refused several times. The user is not asked again. Nothing of it counts. Stop trying this in any form: reach the goal another way, or say that you cannot.`,
  );
}

/** Told when a person has something else run instead. */
export function editedTurn(action: string, edited: string, message: string | null): NewTurn {
  const what = `[aish] action changed by user: ${edited}\ninstead of: ${action}`;
  return noticeTurn(withMessage(what, message), [...saidByPerson(edited), ...saidByPerson(message)]);
}

/** Told when an action will never run as it stands. */
export function refusedTurn(action: string, reason: string): NewTurn {
  return noticeTurn(`[aish] action refused: ${action}\n${reason}`);
}

/** Told when an action was begun and nobody knows how it ended. It is never run again silently. */
export function lostTurn(action: string): NewTurn {
  return noticeTurn(
    `[aish] result lost: ${action}\nIt was started, but its outcome is unknown. It has not been run again. Check what it did before you go on.`,
  );
}

/** Notifies the model that an action did not run because the goal ended first. */
export function notRunTurn(action: string, reason: string): NewTurn {
  return noticeTurn(`[aish] not run: ${action}\n${reason}`);
}

/** Told of a call whose server asked something, when nobody answered before all ended. */
export function unansweredTurn(action: string, reason: string): NewTurn {
  return noticeTurn(`[aish] asked a question that nobody answered, so it did not end its work: ${action}\n${reason}`);
}

/** Told before the first message of a person about a goal that has ended. */
export function followUpTurn(state: string): NewTurn {
  return noticeTurn(
    `[aish] The goal has ended: ${state}. From here on a person talks with you about it. Answer in words; GOAL: lines have no effect any more, and a person is asked before a command runs.`,
  );
}

/** Told when a person stopped an answer of a goal; what came of it stands before. */
export const stoppedAnswerTurn = noticeTurn(
  '[aish] A person stopped your answer there. Nothing of it has run. Go on from what it says, or plan anew.',
);

/** Told to a model that neither acts nor ends its goal. */
export const nudgeTurn = noticeTurn(
  '[aish] Your last answer held no action: no line of it began with "CMD: " or "GOAL: ". Go on with a line "CMD: <command>", or end with a line "GOAL: complete" and the answer, or "GOAL: blocked" and the reason.',
);

/** Asked of a model that ended its goal without a word, though nothing else shows what came of it. */
export const answerInWordsTurn = noticeTurn(
  '[aish] Answer the goal in words: write "GOAL: complete" again, and below it what you found.',
);

/** Told to a model that ended its goal in the same answer as a command that then failed. */
export const failedBesideTurn = noticeTurn(
  '[aish] "GOAL: complete" has had no effect: a command of that answer failed, as you see above. Go on, or write "GOAL: complete" again if the goal is reached all the same.',
);

/** Told to a model whose check succeeds even if nothing was done; shown to people, too. */
export function provesNothingTurn(check: string): NewTurn {
  return noticeTurn(
    `[aish] This check proves nothing, because it cannot fail: ${check}\nIt was not taken. Give one that exits 0 only when the goal is reached, or go on without a check.`,
  );
}

/** Told to a model that asks for the same again and again. */
export function repeatedTurn(action: string, times: number, orElse: string): NewTurn {
  return noticeTurn(`[aish] You have asked for this ${times} times: ${action}\nIt will not end differently. ${orElse}`);
}

/** Told to a model that put a tool's description where its call belongs. */
export const schemaEchoTurn = noticeTurn(
  '[aish] Your last answer repeated the description of a tool. To call it, give its arguments, not its schema.',
);

/** Why an answer is not all that its model wrote, or not enough to go on with. */
export type CutAnswer =
  | 'invented'
  | 'repeats'
  | 'thought-repeats'
  | 'in-command'
  | 'unclosed'
  | 'unreadable'
  | 'in-fences'
  | 'thinking'
  | 'empty';

const CUT_WORDS: Readonly<Record<CutAnswer, string>> = {
  invented:
    'Your answer was cut where it began to show a result. Never write a result yourself: write your commands, then stop. aish runs them and shows you what they print.',
  repeats: 'Your answer was cut because it repeated itself.',
  'thought-repeats': 'Your thoughts repeated themselves, and you gave no answer. Think less, and answer now.',
  'in-command':
    'Your answer was cut inside a command, because it was too long. Nothing of it was run. Write it again, shorter; write a long file in several parts.',
  unclosed:
    'The here-document of your last command was never closed. Nothing of your answer was run. Write it again, with the delimiter alone on its last line.',
  unreadable:
    'Your answer could not be read: it was neither text nor a call. Answer in plain lines; a command begins with "CMD: ".',
  'in-fences':
    'Nothing of your answer was run. aish runs a code fence only if it is the only one and holds exactly one shell command.',
  thinking: 'You thought until the limit and gave no answer. Think less, and answer now.',
  empty: 'Your answer was empty. Answer the user.',
};

/** Told to a model whose answer was cut, or of which nothing came. */
export function cutAnswerTurn(cut: CutAnswer): NewTurn {
  return noticeTurn(`[aish] ${CUT_WORDS[cut]}`);
}

/** Told when a goal's check has not passed. */
export function checkFailedTurn(failed: number, most: number): NewTurn {
  return noticeTurn(
    `[aish] The goal is not done: its check failed (${failed} of at most ${most} times). Its output stands above. Mend what is missing, then write "GOAL: complete" again.`,
  );
}

/** Told when nobody knows how a goal's check ended. */
export const checkLostTurn = noticeTurn(
  '[aish] The result of the goal\'s check was lost, so nothing is proved yet. Write "GOAL: complete" again, and it runs again.',
);

/** Told to a model that ended its goal in the same answer as an action that then did not run, or whose result is lost. */
export const notCompleteTurn = noticeTurn(
  '[aish] "GOAL: complete" has had no effect: not every action of that answer is known to have run. Plan anew, or write "GOAL: complete" again if the goal is reached without it.',
);

/** Asked of a model whose goal needs a check. */
export const proposeCheckTurn = noticeTurn(
  '[aish] Before you act, propose how the goal is proved: one line "GOAL: verify <command>", with a command that exits 0 only when the goal is reached and that changes nothing. The user accepts it, changes it or says no.',
);

/** A person's procedure, and what it is to be done with: values may be of anybody, as of an event. */
export function runbookTurn(runbook: OpenedRunbook): NewTurn {
  const { name, commit, parameters, text } = runbook;
  const files =
    Object.keys(runbook.files).length > 0
      ? ['Its scripts and references are there once you have called runbook_read with its name.']
      : [];
  const values =
    Object.keys(parameters).length === 0
      ? []
      : [`Its parameters, as data: ${escapeHidden(JSON.stringify(parameters))}`];
  const lines = [
    `[aish] This goal follows the runbook "${name}" (commit ${commit.slice(0, 12)}), which a person wrote. Do what it says, step by step.`,
    ...values,
    ...files,
    `The runbook:\n${text}`,
  ];
  return noticeTurn(lines.join('\n'));
}

export function checkAcceptedTurn(command: string): NewTurn {
  return noticeTurn(
    `[aish] The goal has a check now: ${command}\nIt runs when you write "GOAL: complete", and must exit 0. Go on.`,
  );
}

/** Told to a model that has said how it will check its work. */
export function checkTakenTurn(command: string): NewTurn {
  return noticeTurn(
    `[aish] Your check is noted: ${command}\nIt runs when you write "GOAL: complete", and must exit 0. Go on.`,
  );
}

export function checkRefusedTurn(check: string, message: string | null): NewTurn {
  return refusalTurn('[aish] The user does not want this check. Go on without it.', check, message);
}

/** A person's answer to what the model asked, word for word. */
export function questionAnsweredTurn(answer: string): NewTurn {
  return noticeTurn(`[aish] The user answers:\n${answer}`, saidByPerson(answer));
}

export function questionDeclinedTurn(question: string, message: string | null): NewTurn {
  return refusalTurn('[aish] The user does not answer this question. Go on without it.', question, message);
}

/** @param reach what commands reach from now on, by name. */
export function needGivenTurn(need: string, reach: readonly string[]): NewTurn {
  return noticeTurn([`[aish] The user gives you what you need: ${need}`, ...reach].join('\n'));
}

export function needRefusedTurn(need: string, message: string | null): NewTurn {
  return refusalTurn(`[aish] The user does not give you this: ${need}\nGo on without it.`, need, message);
}

/** Told when a person changes what the goal is. */
export function goalEditedTurn(text: string): NewTurn {
  const content = `[aish] The user has changed the goal. From now on it is:\n${text}`;
  return { ...noticeTurn(content, saidByPerson(text)), meta: { isPinned: true } };
}

/** Told when a goal that had ended goes on. */
export function continuedTurn(steps: number, message: string | null): NewTurn {
  const content = `[aish] The user lets the goal go on, with at most ${steps} more steps.`;
  return noticeTurn(withMessage(content, message), saidByPerson(message));
}

/** Marks an action that a person ended with everything else, where it waited for their verdict. */
export function asRefusal(turn: NewTurn, action: string): NewTurn {
  return { ...turn, parts: [...refusal(action, null)] };
}

function refusalTurn(content: string, refused: string, message: string | null): NewTurn {
  return noticeTurn(withMessage(content, message), refusal(refused, message));
}

function refusal(refused: string, message: string | null): readonly TurnPart[] {
  return [{ provenance: 'model', text: refused, isRefusal: true }, ...saidByPerson(message).map(refusing)];
}

function refusing(part: TurnPart): TurnPart {
  return { ...part, isRefusal: true };
}

function saidByPerson(text: string | null): readonly TurnPart[] {
  return text === null ? [] : [{ provenance: 'person', text }];
}

function withMessage(text: string, message: string | null): string {
  return message === null ? text : `${text}\n${message}`;
}

/** Keeps head and tail; never splits a surrogate pair. */
function cutMiddle(text: string, maxChars: number): { text: string; omittedChars: number } {
  if (text.length <= maxChars) return { text, omittedChars: 0 };
  const half = Math.floor(maxChars / 2);
  const head = text.slice(0, isLow(text, half) ? half - 1 : half);
  const from = text.length - half;
  const tail = text.slice(isLow(text, from) ? from + 1 : from);
  return { text: `${head}\n…\n${tail}`, omittedChars: text.length - head.length - tail.length };
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
