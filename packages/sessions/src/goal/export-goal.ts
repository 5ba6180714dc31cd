import { isTerminal, type GoalDetail } from '@aish/contracts/goals';
import { goalStory } from '@aish/views/goal.story';
import { piecesMarkdown } from '@aish/views/pieces.markdown';
import { summarizeRecord } from './summarize-record.js';

/** A reader of the file need not be where the server is. */
const asUtc = (at: string): string => at;

/** The whole story of a goal as Markdown, as `aish show` tells it. Where the model said nothing at its end, the record does. Pure. */
export function goalMarkdown(goal: GoalDetail): string {
  const summary = goal.summary ?? (isTerminal(goal.state) ? summarizeRecord(goal) : null);
  return `${piecesMarkdown(goalStory({ ...goal, summary }, null, asUtc)).replace('## goal', '# Goal')}\n`;
}
