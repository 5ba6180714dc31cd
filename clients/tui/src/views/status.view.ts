import { plural } from '../format/goal.format.js';
import type { Model } from '../model.js';
import { fit, lineWidth, span, type Line, type Span } from '../text/line.js';
import { oneLine } from '../text/sanitise.js';
import { rule } from './rule.js';

/** The last line: server, connection, model; what waits. */
export function statusView(model: Model): Line {
  const { cols } = model.size;
  const left: Line = [span(` ${model.server} · `, 'dim'), connection(model), span(' · ', 'dim'), modelState(model)];
  const right: Line = [...waiting(model), span(model.overlay === null ? '? help ' : ' ', 'dim')];
  const gap = cols - lineWidth(left) - lineWidth(right);
  if (gap >= 1) return [...left, span(' '.repeat(gap)), ...right];
  const room = cols - lineWidth(right) - 1;
  return room < 10 ? fit(left, cols) : [...fit(left, room), span(' '), ...right];
}

/** The rule above the prompt, with what the person should know now. */
export function bannerView(model: Model): Line {
  const { cols } = model.size;
  const isWaiting = model.decisions.length > 0 && model.overlay?.type !== 'halt';
  if (isWaiting) {
    const key = model.prompt.text === '' ? 'press d' : 'press Ctrl-D';
    const text = ` ${plural(model.decisions.length, 'decision waits', 'decisions wait')}: ${key} to answer `;
    return rule(cols, [span(text, 'alarm')], flash(model));
  }
  return rule(cols, flash(model));
}

function flash({ flash: shown, size }: Model): Span[] {
  if (shown === null) return [];
  const text = oneLine(shown.text);
  return [...fit([span(text, shown.style)], Math.min(text.length, Math.max(10, size.cols - 6)))];
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

function modelState({ models }: Model): Span {
  const fast = models.find(({ preset }) => preset === 'fast');
  if (fast === undefined) return span('model ?', 'dim');
  const name = oneLine(fast.model ?? 'model');
  const shown = fast.rehearsal ? 'rehearsal model (scripted)' : name;
  return fast.state === 'ready' ? span(shown, 'dim') : span(`${shown}: ${fast.state}`, 'warn');
}

function waiting({ decisions }: Model): Span[] {
  return decisions.length === 0 ? [] : [span(`■ ${decisions.length} to decide`, 'bad'), span(' · ', 'dim')];
}
