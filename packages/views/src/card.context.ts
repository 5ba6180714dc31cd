import type { Decision } from '@aish/contracts/decisions';
import { saidBefore } from './answer.parts.js';
import { toolCall } from './decision.format.js';
import { cleanText } from './sanitise.js';

const SERVER_SAYS = 'Its server says of it:';
const MARK = '| ';

/** The context on a card. Each part has a different author. An empty part is not shown. */
export interface CardContext {
  /** The text that the model wrote before it asked for the action. */
  readonly wrote: string;
  /** The description of the tool by its MCP server. */
  readonly serverSays: string;
}

/**
 * Splits a decision's context into these two parts. For a tool call, aish adds the arguments and the server's
 * description below the model's text. The arguments are already in the action.
 */
export function cardContext({ context, action }: Pick<Decision, 'context' | 'action'>): CardContext {
  const wrote = (text: string): string => saidBefore({ context: text, action });
  const name = toolCall(action)?.name;
  const lines = context.split('\n');
  // Lines of a server are marked, and a line of JSON is never the name, so a model cannot move this boundary down.
  const last = lines.findLastIndex((line) => !line.startsWith(MARK));
  const from = name === undefined ? -1 : lines.lastIndexOf(`${name} with:`);
  if (from < 0 || lines[last] !== SERVER_SAYS) return { wrote: wrote(context), serverSays: '' };
  const says = lines.slice(last + 1).map((line) => line.slice(MARK.length));
  return { wrote: wrote(lines.slice(0, from).join('\n')), serverSays: cleanText(says.join('\n')).trim() };
}
