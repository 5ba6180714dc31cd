import type { Model } from '../model.js';
import { span, type Line, type Span } from '@aish/views/line';
import { fit, lineWidth } from '@aish/views/text/fit';
import { oneLine } from '@aish/views/sanitise';
import { plural } from '@aish/contracts/plural';
import { meterOf } from './meter.js';
import { rule } from './rule.js';
import { heldAction, HELD_NOTE } from '../keys/binding.js';

/** From these shares of the context window on, the use is coloured. */
const FILLING = 0.7;
const FULL = 0.9;

/** Returns the last line of the screen: server, connection, model, speed, context and open decisions. */
export function statusView(model: Model): Line {
  const { cols } = model.size;
  const right: Line = [...waiting(model), span(model.view === 'help' ? ' ' : '? help ', 'dim')];
  const lefts = DETAILS.map((detail) => leftOf(model, detail));
  const left = lefts.find((each) => lineWidth(each) + lineWidth(right) < cols) ?? lefts.at(-1) ?? [];
  const gap = cols - lineWidth(left) - lineWidth(right);
  if (gap >= 1) return [...left, span(' '.repeat(gap)), ...right];
  const room = cols - lineWidth(right) - 1;
  return room < 10 ? fit(left, cols) : [...fit(left, room), span(' '), ...right];
}

/** The levels of detail, beginning with the highest. The first level that fits is shown. */
const DETAILS = [
  { nameChars: 60, hasServer: true, hasSpeed: true },
  { nameChars: 20, hasServer: true, hasSpeed: true },
  { nameChars: 12, hasServer: true, hasSpeed: false },
  { nameChars: 12, hasServer: false, hasSpeed: false },
] as const;

function leftOf(model: Model, { nameChars, hasServer, hasSpeed }: (typeof DETAILS)[number]): Line {
  const server = model.server.replace(/^https?:\/\//, '');
  return [
    span(hasServer ? ` ${server} · ` : ' ', 'dim'),
    connection(model),
    span(' · ', 'dim'),
    modelState(model, nameChars),
    ...meter(model, hasSpeed),
    ...(model.mismatch === null ? [] : [span(` · ${model.mismatch}`, 'warn')]),
  ];
}

/** The number of columns of the rule itself, around the title and the text at its end. */
const RULE_COLS = 6;

/** Returns the rule above the prompt, with messages for the person. */
export function bannerView(model: Model): Line {
  const { cols } = model.size;
  const isWaiting = model.decisions.length > 0 && model.overlay?.type !== 'halt' && model.view !== 'decisions';
  const said = flash(model);
  const hasRoom = (title: readonly Span[]): boolean => lineWidth(title) + lineWidth(said) + RULE_COLS < cols;
  if (!isWaiting) {
    // A current message matters more than the name of the chat, which is always there.
    const title = chatTitle(model);
    return rule(cols, hasRoom(title) ? title : [], said);
  }
  const count = model.decisions.length;
  const whole = [
    span(` ${plural(count, 'pending decision', 'pending decisions')}: ${decideKey(model)} to answer `, 'alarm'),
  ];
  if (hasRoom(whole)) return rule(cols, whole, said);
  const short = [span(` ${count}: ${decideKey(model)} `, 'alarm')];
  return rule(cols, short, cutTo(said, cols - lineWidth(short) - RULE_COLS - 1));
}

function cutTo(content: readonly Span[], cols: number): readonly Span[] {
  return lineWidth(content) <= cols ? content : fit(content, Math.max(0, cols));
}

function decideKey(model: Model): string {
  return model.view === 'chat' || model.isPromptOpen ? 'Ctrl-D' : 'd';
}

function chatTitle({ view, chat }: Model): Span[] {
  if (view !== 'chat' || chat.session === null) return [];
  const { number, title } = chat.session;
  const text = oneLine(title);
  return [span(`c${number} ${text.length > 40 ? `${text.slice(0, 39)}…` : text}`, 'dim')];
}

/** Returns the current message or, after it has faded, the server's notice. */
function flash(model: Model): Span[] {
  const { flash: shown, attention, size, search } = model;
  if (model.overlay?.type !== 'halt' && heldAction(model) !== null) {
    return [span(`${model.held?.text}: ${HELD_NOTE}`, 'warn')];
  }
  if (search?.kind === 'find') return [span('↑ older  ↓ newer  Esc closes', 'dim')];
  const said = shown ?? (attention === null ? null : { text: attention, style: 'warn' as const });
  if (said === null) return [];
  const text = oneLine(said.text);
  return [...cutTo([span(text, said.style)], Math.max(10, size.cols - RULE_COLS - 1))];
}

function connection({ connection: { state, detail } }: Model): Span {
  switch (state) {
    case 'online':
      return span('online', 'good');
    case 'connecting':
      return span('connecting', 'warn');
    case 'offline':
      return span('offline, retrying', 'bad');
    case 'refused':
      return span(`refused: ${oneLine(detail ?? '')}`, 'bad');
  }
}

function modelState({ models, chat }: Model, maxChars: number): Span {
  const used = models.find(({ preset }) => preset === chat.preset);
  if (used === undefined) return span('model ?', 'dim');
  const name = oneLine(used.model ?? 'model');
  const long = used.demo ? 'demo model (scripted)' : name;
  const shown = long.length <= maxChars ? long : used.demo ? 'demo' : `${name.slice(0, maxChars - 1)}…`;
  return used.state === 'ready' ? span(shown, 'dim') : span(`${shown}: ${used.state}`, 'warn');
}

function meter(model: Model, hasSpeed: boolean): Span[] {
  const { contextTokens, tokensPerSecond } = meterOf(model);
  return [
    ...contextUse(model, contextTokens),
    ...(tokensPerSecond === null || !hasSpeed ? [] : [span(` · ${Math.round(tokensPerSecond)} t/s`, 'dim')]),
  ];
}

/**
 * Returns the use of the context: `4.1k ctx`, or `4.1k/32k ctx` if the window is known. It is coloured when the window
 * fills up and older turns will be omitted.
 */
function contextUse({ models, chat, view, goals, chosen }: Model, tokens: number | null): Span[] {
  if (tokens === null) return [];
  const preset = view === 'goals' ? goals?.find(({ id }) => id === chosen)?.preset : chat.preset;
  const window = models.find((each) => each.preset === preset)?.capabilities?.contextTokens ?? null;
  if (window === null) return [span(` · ${short(tokens)} ctx`, 'dim')];
  const share = tokens / window;
  const style = share >= FULL ? 'bad' : share >= FILLING ? 'warn' : 'dim';
  return [span(' · ', 'dim'), span(`${short(tokens)}/${short(window)} ctx ${Math.round(share * 100)}%`, style)];
}

function short(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  return tokens < 100_000 ? `${(tokens / 1000).toFixed(1)}k` : `${Math.round(tokens / 1000)}k`;
}

function waiting({ decisions }: Model): Span[] {
  return decisions.length === 0 ? [] : [span(`■ ${decisions.length} to decide`, 'bad'), span(' · ', 'dim')];
}
