import type { ShownTurn } from '@aish/contracts/sessions';
import type { ToolCall } from '@aish/contracts/tools';

export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** The model's thoughts before the answer, if it sees them again. */
  readonly reasoning?: string;
}

export interface Window {
  readonly system: string;
  readonly turns: readonly ShownTurn[];
  /** The number of tokens for all messages. */
  readonly budgetTokens: number;
  /** Returns the number of tokens in a text. Default: an estimate. */
  readonly tokensOf?: (text: string) => number;
  /** Maximum number of a person's messages that are kept, each with the turns that follow it. */
  readonly maxTurns?: number | null;
  /** Whether the first turn always stays. It contains the text of a goal. */
  readonly keepsFirst: boolean;
}

/** The assumed characters per token if the endpoint does not count tokens. */
const CHARS_PER_TOKEN = 3;
/**
 * The share of the budget to which messages shrink. They grow only at the end, so that the endpoint's cache stays
 * valid. They shrink rarely, and then by a lot.
 */
const SHRINK_TO = 0.6;
const NO_RESULT = '(no result: this call was not carried out)';
const LEFT_OUT = '[aish] Earlier turns of this session are left out here.';

/**
 * Returns the messages of a goal: those of `composeWindow` with the first turn kept.
 *
 * @param budgetTokens tokens for the messages.
 * @param tokensOf the tokens of a text; estimated if absent.
 */
export function compose(
  system: string,
  turns: readonly ShownTurn[],
  budgetTokens: number,
  tokensOf: (text: string) => number = estimate,
): readonly Message[] {
  return composeWindow({ system, turns, budgetTokens, tokensOf, keepsFirst: true });
}

/**
 * Returns the messages of a session. Neighbouring turns of one side become one message, because chat templates expect
 * user and assistant to alternate. Results follow the answer with their calls, and each call has exactly one result. If
 * the window exceeds its budget, the oldest turns are dropped at once, down to 60 %. An answer is never separated from
 * its question, or a call from its result, and the window always begins with a message of a person. Pure.
 */
export function composeWindow(window: Window): readonly Message[] {
  const tokensOf = window.tokensOf ?? estimate;
  const units = toUnits(window.turns).map((unit) => ({ ...unit, tokens: sizeOf(unit, tokensOf) }));
  const kept = fit(units, window.budgetTokens - tokensOf(window.system), window.maxTurns ?? null, window.keepsFirst);
  const messages = kept.units.flatMap((unit) => unit.messages);
  const [first, ...rest] = messages;
  const note = kept.isCut ? [LEFT_OUT] : [];
  // The text of a goal stays first, and the note about omitted turns follows it.
  const [before, after] = window.keepsFirst ? [[], note] : [note, []];
  const marked =
    first?.role === 'user' && note.length + kept.pins.length > 0
      ? [{ ...first, content: [...before, first.content, ...after, ...kept.pins].join('\n\n') }, ...rest]
      : messages;
  return [{ role: 'system', content: window.system }, ...shrinkLargest(marked, window, tokensOf)];
}

/** Whether turns were omitted from these messages. */
export function isCut(messages: readonly Pick<Message, 'content'>[]): boolean {
  return messages[1]?.content.includes(LEFT_OUT) ?? false;
}

/** A unit that is kept or dropped as a whole: text for the model, or an answer with the results of its calls. */
interface Unit {
  readonly kind: 'asked' | 'answered';
  /** Whether the unit contains a person's message. */
  readonly isExchange: boolean;
  readonly messages: readonly Message[];
  /** The parts that stay when the rest is dropped. */
  readonly pins: readonly string[];
}
type Sized = Unit & { readonly tokens: number };

function toUnits(turns: readonly ShownTurn[]): readonly Unit[] {
  const units: Unit[] = [];
  const answered = new Set<string>();
  for (const [at, turn] of turns.entries()) {
    const last = units.at(-1);
    if (turn.role === 'assistant') {
      const calls = turn.meta?.toolCalls ?? [];
      const message: Message = {
        role: 'assistant',
        content: turn.content,
        ...(calls.length === 0 ? {} : { toolCalls: calls }),
        ...(turn.meta?.reasoning === undefined ? {} : { reasoning: turn.meta.reasoning }),
      };
      const results = resultsOf(calls, turns.slice(at + 1));
      for (const call of calls) answered.add(call.id);
      const before = last?.messages.at(-1);
      if (
        last?.kind === 'answered' &&
        before?.role === 'assistant' &&
        before.toolCalls === undefined &&
        calls.length === 0
      ) {
        // There are two answers in a row because the first was stopped.
        const merged = { role: 'assistant' as const, content: `${before.content}\n\n${turn.content}` };
        units[units.length - 1] = { ...last, messages: [merged] };
      } else units.push({ kind: 'answered', isExchange: false, messages: [message, ...results], pins: [] });
      continue;
    }
    if (turn.role === 'tool' && turn.meta?.toolCallId !== undefined && answered.has(turn.meta.toolCallId)) continue;
    const content =
      turn.role === 'tool' ? `[tool: ${turn.meta?.toolName ?? 'unknown'}]\n${resultText(turn)}` : turn.content;
    const isExchange = turn.role === 'user';
    const pins = turn.meta?.isPinned === true ? [content] : [];
    const before = last?.messages[0];
    if (last?.kind === 'asked' && before !== undefined) {
      const merged = { role: 'user' as const, content: `${before.content}\n\n${content}` };
      units[units.length - 1] = {
        kind: 'asked',
        isExchange: last.isExchange || isExchange,
        messages: [merged],
        pins: [...last.pins, ...pins],
      };
    } else units.push({ kind: 'asked', isExchange, messages: [{ role: 'user', content }], pins });
  }
  return units;
}

/** Returns one result for each call, in the order of the calls, before the next answer. */
function resultsOf(calls: readonly ToolCall[], following: readonly ShownTurn[]): readonly Message[] {
  const next = following.findIndex((turn) => turn.role === 'assistant');
  const until = next < 0 ? following : following.slice(0, next);
  return calls.map((call) => {
    const result = until.find((turn) => turn.role === 'tool' && turn.meta?.toolCallId === call.id);
    const content = result === undefined ? NO_RESULT : resultText(result);
    return { role: 'tool', content, toolCallId: call.id, toolName: call.name };
  });
}

/**
 * Returns the text of a result. Requests have no field for errors, so the text says that the tool reported an error.
 * aish's own texts about a call already say so.
 */
function resultText({ meta, content }: ShownTurn): string {
  return meta?.isError === true && !content.startsWith('[aish] ') ? `The tool reports an error:\n${content}` : content;
}

function sizeOf({ messages }: Unit, tokensOf: (text: string) => number): number {
  return messages.reduce(
    (sum, { content, toolCalls, reasoning }) =>
      sum +
      tokensOf(content) +
      (reasoning === undefined ? 0 : tokensOf(reasoning)) +
      (toolCalls === undefined ? 0 : tokensOf(JSON.stringify(toolCalls))),
    0,
  );
}

/**
 * Drops units from the front. The place of the cut depends only on earlier turns and moves in jumps of 40 % of the
 * budget, so that most requests have the same beginning as the previous one.
 */
function fit(
  units: readonly Sized[],
  budget: number,
  maxTurns: number | null,
  keepsFirst: boolean,
): { readonly units: readonly Sized[]; readonly isCut: boolean; readonly pins: readonly string[] } {
  const kept: Sized[] = [];
  let used = 0;
  let isCut = false;
  const pins: string[] = [];
  const pinned = keepsFirst ? 1 : 0;
  const exchanges = (): number => kept.filter((unit) => unit.isExchange).length;
  for (const unit of units) {
    kept.push(unit);
    used += unit.tokens;
    // A window ends with text for the model. Only there can a cut be visible in a request.
    const isOver = used > budget || (maxTurns !== null && exchanges() > maxTurns);
    if (!isOver) continue;
    const turnsLeft = maxTurns === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(maxTurns * SHRINK_TO));
    while (used > budget * SHRINK_TO || exchanges() > turnsLeft) {
      const count = droppable(kept, pinned);
      if (count === 0) break;
      const dropped = kept.splice(firstDropped(kept, pinned, count), count);
      used -= dropped.reduce((sum, { tokens }) => sum + tokens, 0);
      pins.push(...dropped.flatMap((each) => each.pins));
      isCut = true;
    }
  }
  return { units: kept, isCut, pins };
}

/** Returns the number of units in the oldest part that can be dropped; 0 if none can. */
function droppable(kept: readonly Sized[], pinned: number): number {
  if (pinned === 0) {
    // A whole exchange can be dropped if another one begins after it.
    const next = kept.findIndex((unit, at) => at > 0 && unit.kind === 'asked' && unit.isExchange);
    if (next > 0) return next;
  }
  // Within one exchange, an answer with the turns after it can be dropped, right after the person's message.
  if (kept.length < 4) return 0;
  return kept[1]?.kind === 'answered' && kept[2]?.kind === 'asked' ? 2 : 1;
}

function firstDropped(kept: readonly Sized[], pinned: number, count: number): number {
  const next = kept[count];
  if (pinned === 0 && next?.kind === 'asked' && next.isExchange) return 0;
  return 1;
}

/** Removes the middle of the largest text. This is the last resort if one text alone is too large. */
function shrinkLargest(
  messages: readonly Message[],
  window: Window,
  tokensOf: (text: string) => number,
): readonly Message[] {
  const budget = window.budgetTokens - tokensOf(window.system);
  const sizes = messages.map((message) => tokensOf(message.content));
  const whole = sizes.reduce((sum, tokens) => sum + tokens, 0);
  if (whole <= budget || window.keepsFirst) return messages;
  const at = sizes.indexOf(Math.max(...sizes));
  const largest = messages[at];
  const size = sizes[at] ?? 0;
  if (largest === undefined || size === 0) return messages;
  const room = Math.max(32, budget - (whole - size));
  const keep = Math.max(64, Math.floor((largest.content.length * room * 0.9) / size));
  if (keep >= largest.content.length) return messages;
  const half = Math.floor(keep / 2);
  const head = largest.content.slice(0, half).replace(/[\uD800-\uDBFF]$/, '');
  const tail = largest.content.slice(-half).replace(/^[\uDC00-\uDFFF]/, '');
  const content = `${head}\n[aish: the middle of this is left out, it is too long for the model]\n${tail}`;
  return messages.map((message, index) => (index === at ? { ...message, content } : message));
}

function estimate(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN) + 8;
}
