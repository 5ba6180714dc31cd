import { plural } from '@aish/contracts/plural';
import { actionText, type Action } from '@aish/contracts/actions';
import { isTerminal, type GoalDetail } from '@aish/contracts/goals';
import { goalStory } from '@aish/views/goal.story';
import { piecesMarkdown } from '@aish/views/pieces.markdown';

const SHOWN_MAX_CHARS = 200;

/**
 * Summarizes a goal from its record alone: how it ended, its steps, the results of its actions, verdicts, and the
 * evidence. It is for goals whose model gave no summary. The result is one paragraph. Pure.
 */
export function summarizeRecord(goal: Omit<GoalDetail, 'summary'>): string {
  const { state, reason, stepsTaken, actions, decisions, verified } = goal;
  const evidence = actions.findLast(({ state: ended }) => ended === 'finished');
  return [
    `${state}${reason === null ? '' : `: ${oneLine(reason)}`}`,
    [plural(stepsTaken, 'step'), ...counted(actions.map(endOf))].join(', '),
    ...decisions
      .filter(({ state: decided }) => decided !== 'pending')
      .map(
        ({ number, verdict, decidedBy, action }) =>
          `d${number} (${oneLine(action)}): ${verdict === null ? 'withdrawn' : `${verdict} by ${decidedBy ?? 'someone'}`}`,
      ),
    ...(evidence === undefined ? [] : [evidenceOf(evidence, verified)]),
  ].join('. ');
}

/** Returns how an action ended, as one word. */
function endOf(action: Action): string {
  const { kind, state, outcome, result } = action;
  const what = kind === 'tool' ? 'tool calls' : action.isCheck === true ? 'checks' : 'commands';
  if (state !== 'finished') return `${what} ${state}`;
  if (kind === 'tool') return result?.isError === true ? `${what} with an error` : `${what} answered`;
  return outcome?.exitCode === 0 ? `${what} with exit 0` : `${what} that failed`;
}

function counted(kinds: readonly string[]): readonly string[] {
  return [...new Set(kinds)].map((kind) => `${kind}: ${kinds.filter((each) => each === kind).length}`);
}

function evidenceOf(action: Action, isVerified: boolean): string {
  const { outcome, result } = action;
  const lastLine = (outcome?.output ?? result?.text ?? '').trim().split('\n').at(-1) ?? '';
  const exit = outcome === null ? '' : ` exited ${outcome.exitCode ?? `on ${outcome.signal ?? 'a signal'}`}`;
  const of = isVerified && action.kind === 'command' && action.isCheck === true ? 'proved by' : 'last';
  return `${of} ${oneLine(actionText(action))}${exit}${lastLine === '' ? '' : `: ${oneLine(lastLine)}`}`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > SHOWN_MAX_CHARS ? `${line.slice(0, SHOWN_MAX_CHARS - 1)}…` : line;
}

/** Keeps times in UTC, because readers of the file may be in another time zone than the server. */
const asUtc = (at: string): string => at;

/**
 * Returns the full history of a goal as Markdown, like `aish show`. If the model gave no summary, the record supplies
 * one. Pure.
 */
export function goalMarkdown(goal: GoalDetail): string {
  const summary = goal.summary ?? (isTerminal(goal.state) ? summarizeRecord(goal) : null);
  return `${piecesMarkdown(goalStory({ ...goal, summary }, null, asUtc)).replace('## goal', '# Goal')}\n`;
}
