import type { RunOutcome } from '@aish/contracts/actions';
import { effectsLine } from '@aish/contracts/effect-lines';
import type { OpenedRunbook } from '@aish/contracts/runbooks';
import type { NewTurn, TurnPart } from '@aish/contracts/sessions';
import { escapeHidden } from '@aish/contracts/visible-text';

/** Maximum characters of a command's output for the model. The record contains more. */
const OUTPUT_SHOWN_MAX_CHARS = 8_000;

/**
 * Returns the turn that tells the model the result of a command. Every printed line is prefixed with `| `, so that no
 * output can be mistaken for a turn, a verdict or a `CMD:` line.
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

/** Describes changes of files, so that the model can notice a mistake that the command does not report. */
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

/**
 * Makes a notice from aish to the model.
 *
 * @param parts the quoted words of others, by author.
 */
export function noticeTurn(content: string, parts: readonly TurnPart[] = []): NewTurn {
  return { role: 'notice', provenance: 'aish', content, ...(parts.length === 0 ? {} : { parts: [...parts] }) };
}

/** Makes a turn with text of other programs or sessions, as information for the model. */
export function backgroundTurn(content: string): NewTurn {
  return { role: 'notice', provenance: 'tool', content };
}

/** Tells the model that an action was approved. */
export const approvedTurn = noticeTurn('[aish] action approved');

/** Makes a turn with a person's note for the model, for a verdict that has no other place for it. */
export function noteTurn(message: string, isRefusal = false): NewTurn {
  const provenance = saidByPerson(message);
  return noticeTurn(
    `[aish] The user says:
${message}`,
    isRefusal ? provenance.map(refusing) : provenance,
  );
}

/**
 * Tells the model that a person skipped an action.
 *
 * @param message the person's words for the model, unchanged.
 */
export function skippedTurn(action: string, message: string | null): NewTurn {
  return refusalTurn(`[aish] action skipped by user: ${action}`, action, message);
}

/** Tells the model that a person rejected a command's changes. */
export function rolledBackTurn(action: string, message: string | null): NewTurn {
  const what = `[aish] rolled back by user, because it destroyed what was there before: ${action}`;
  return refusalTurn(what, action, message);
}

/** Tells the model that a command's changes were rolled back because the session ended before anybody decided. */
export function takenBackTurn(action: string, reason: string): NewTurn {
  return noticeTurn(`[aish] rolled back: ${action}\n${reason}`);
}

/** Tells the model that a person wants another way, and forbids nothing. */
export function insteadTurn(action: string, message: string | null): NewTurn {
  return notThisWay(`[aish] action not run: ${action}`, message);
}

/** Tells the model that a command's changes were rolled back and that a person wants another way. */
export function rolledBackInsteadTurn(action: string, message: string | null): NewTurn {
  return notThisWay(`[aish] rolled back by user: ${action}`, message);
}

function notThisWay(what: string, message: string | null): NewTurn {
  const why = 'The user does not want it done this way. Nothing is forbidden: find another way.';
  return noticeTurn(withMessage(`${what}\n${why}`, message), saidByPerson(message));
}

/** Replaces a question after a person has said that the model must stop trying. */
export function notAskedAgainTurn(action: string): NewTurn {
  return noticeTurn(
    `[aish] action refused: ${action}\nIt touches what the user has refused several times. The user is not asked again. Nothing of it counts. Stop trying this in any form: reach the goal another way, or say that you cannot.`,
  );
}

/** Tells the model that a person runs something else instead. */
export function editedTurn(action: string, edited: string, message: string | null): NewTurn {
  const what = `[aish] action changed by user: ${edited}\ninstead of: ${action}`;
  return noticeTurn(withMessage(what, message), [...saidByPerson(edited), ...saidByPerson(message)]);
}

/** Tells the model that an action can never run as written. */
export function refusedTurn(action: string, reason: string): NewTurn {
  return noticeTurn(`[aish] action refused: ${action}\n${reason}`);
}

/** Tells the model that an action was started and nobody knows how it ended. It is never run again silently. */
export function lostTurn(action: string): NewTurn {
  return noticeTurn(
    `[aish] result lost: ${action}\nIt was started, but its outcome is unknown. It has not been run again. Check what it did before you go on.`,
  );
}

/** Notifies the model that an action did not run because the goal ended first. */
export function notRunTurn(action: string, reason: string): NewTurn {
  return noticeTurn(`[aish] not run: ${action}\n${reason}`);
}

/** Tells the model that nobody answered a server's question before the session ended. */
export function unansweredTurn(action: string, reason: string): NewTurn {
  return noticeTurn(`[aish] asked a question that nobody answered, so it did not end its work: ${action}\n${reason}`);
}

/** Makes the notice before the first message of a person about an ended goal. */
export function followUpTurn(state: string): NewTurn {
  return noticeTurn(
    `[aish] The goal has ended: ${state}. From here on a person talks with you about it. Answer in words; GOAL: lines have no effect any more, and a person is asked before a command runs.`,
  );
}

/** Tells the model that a person stopped an answer. The answer's text precedes this turn. */
export const stoppedAnswerTurn = noticeTurn(
  '[aish] A person stopped your answer there. Nothing of it has run. Go on from what it says, or plan anew.',
);

/** Tells a model that it must act or end its goal. */
export const nudgeTurn = noticeTurn(
  '[aish] Your last answer held no action: no line of it began with "CMD: " or "GOAL: ". Go on with a line "CMD: <command>", or end with a line "GOAL: complete" and the answer, or "GOAL: blocked" and the reason.',
);

/** Asks a model for a summary if it ended its goal without one and nothing else shows the result. */
export const answerInWordsTurn = noticeTurn(
  '[aish] Answer the goal in words: write "GOAL: complete" again, and below it what you found.',
);

/** Tells a model that it ended its goal in the same answer as a command that then failed. */
export const failedBesideTurn = noticeTurn(
  '[aish] "GOAL: complete" has had no effect: a command of that answer failed, as you see above. Go on, or write "GOAL: complete" again if the goal is reached all the same.',
);

/** Tells a model that its check succeeds even if nothing was done. People see this notice, too. */
export function provesNothingTurn(check: string): NewTurn {
  return noticeTurn(
    `[aish] This check proves nothing, because it cannot fail: ${check}\nIt was not taken. Give one that exits 0 only when the goal is reached, or go on without a check.`,
  );
}

/** Tells a model that it keeps asking for the same action. */
export function repeatedTurn(action: string, times: number, orElse: string): NewTurn {
  return noticeTurn(`[aish] You have asked for this ${times} times: ${action}\nIt will not end differently. ${orElse}`);
}

/** Tells a model that it wrote a tool's description instead of a call. */
export const schemaEchoTurn = noticeTurn(
  '[aish] Your last answer repeated the description of a tool. To call it, give its arguments, not its schema.',
);

/** The reason why an answer is incomplete, or not enough to continue with. */
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

/** Tells a model that its answer was cut or empty. */
export function cutAnswerTurn(cut: CutAnswer): NewTurn {
  return noticeTurn(`[aish] ${CUT_WORDS[cut]}`);
}

/** Tells the model that a goal's check has not passed. */
export function checkFailedTurn(failed: number, most: number): NewTurn {
  return noticeTurn(
    `[aish] The goal is not done: its check failed (${failed} of at most ${most} times). Its output stands above. Mend what is missing, then write "GOAL: complete" again.`,
  );
}

/** Tells the model that nobody knows how a goal's check ended. */
export const checkLostTurn = noticeTurn(
  '[aish] The result of the goal\'s check was lost, so nothing is proved yet. Write "GOAL: complete" again, and it runs again.',
);

/**
 * Tells a model that it ended its goal in the same answer as an action that then did not run, or whose result is lost.
 */
export const notCompleteTurn = noticeTurn(
  '[aish] "GOAL: complete" has had no effect: not every action of that answer is known to have run. Plan anew, or write "GOAL: complete" again if the goal is reached without it.',
);

/** Asks a model for the check of its goal. */
export const proposeCheckTurn = noticeTurn(
  '[aish] Before you act, propose how the goal is proved: one line "GOAL: verify <command>", with a command that exits 0 only when the goal is reached and that changes nothing. The user accepts it, changes it or says no.',
);

/** Asks a model for a plan. Until a person has accepted it, the goal changes nothing. */
export const planFirstTurn = noticeTurn(
  '[aish] First make a plan. Until the user accepts it, only commands that change nothing run: look at what you need to know. Then write a line "GOAL: plan" and below it the numbered steps: what you will do, and what it changes. The user accepts the plan, changes it or says no. If looking is enough to reach the goal, end with "GOAL: complete" as usual.',
);

/** Tells a model that an action must wait, because nobody has accepted its plan. */
export function beforePlanTurn(action: string): NewTurn {
  return noticeTurn(
    `[aish] action not run: ${action}\nIt may change something, and the user has not accepted your plan. Look with commands that change nothing, or write "GOAL: plan" and below it the numbered steps.`,
  );
}

/** @param edited the plan as the user changed it; null if it was accepted as it is */
export function planAcceptedTurn(edited: string | null): NewTurn {
  return noticeTurn(
    edited === null
      ? '[aish] The user has accepted your plan. Follow it now.'
      : `[aish] The user has changed your plan and accepted this one. Follow it now:\n${edited}`,
  );
}

export function planRefusedTurn(plan: string, message: string | null): NewTurn {
  return refusalTurn('[aish] The user does not want this plan. Make another one.', plan, message);
}

/** Answers a plan that nobody asked for, or that has been accepted before. */
export const planKnownTurn = noticeTurn('[aish] No plan has to be accepted. Do the next step now.');

/**
 * Makes the turn with a person's procedure and its parameters. The parameters may come from anyone, for example from an
 * event.
 */
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

/** Tells a model that aish has accepted its check. */
export function checkTakenTurn(command: string): NewTurn {
  return noticeTurn(
    `[aish] Your check is noted: ${command}\nIt runs when you write "GOAL: complete", and must exit 0. Go on.`,
  );
}

export function checkRefusedTurn(check: string, message: string | null): NewTurn {
  return refusalTurn('[aish] The user does not want this check. Go on without it.', check, message);
}

/** Makes the turn with a person's answer to the model's question, word for word. */
export function questionAnsweredTurn(answer: string): NewTurn {
  return noticeTurn(`[aish] The user answers:\n${answer}`, saidByPerson(answer));
}

export function questionDeclinedTurn(question: string, message: string | null): NewTurn {
  return refusalTurn('[aish] The user does not answer this question. Go on without it.', question, message);
}

/**
 * Tells the model that a person gave it the access that it needs.
 *
 * @param access the names of destinations that commands may reach from now on.
 */
export function needGivenTurn(need: string, access: readonly string[]): NewTurn {
  return noticeTurn([`[aish] The user gives you what you need: ${need}`, ...access].join('\n'));
}

export function needRefusedTurn(need: string, message: string | null): NewTurn {
  return refusalTurn(`[aish] The user does not give you this: ${need}\nGo on without it.`, need, message);
}

/** Tells the model that a person changed the goal. */
export function goalEditedTurn(text: string): NewTurn {
  const content = `[aish] The user has changed the goal. From now on it is:\n${text}`;
  return { ...noticeTurn(content, saidByPerson(text)), meta: { isPinned: true } };
}

/** Tells the model that an ended goal continues. */
export function continuedTurn(steps: number, message: string | null): NewTurn {
  const content = `[aish] The user lets the goal go on, with at most ${steps} more steps.`;
  return noticeTurn(withMessage(content, message), saidByPerson(message));
}

/** Marks the end of a waiting action as a refusal, because a person ended everything. */
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

/** Removes the middle of a text and keeps head and tail. It never splits a surrogate pair. */
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
