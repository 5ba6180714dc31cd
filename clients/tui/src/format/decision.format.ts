import type { Classification, Decision } from '@aish/contracts';
import { oneLine, showExact } from '../text/sanitise.js';
import { span, type Span } from '../text/line.js';

/** The exact action with the part that a rule objects to in style `guilty`. May contain line breaks. */
export function markGuilty(action: string, classification: Classification | null): Span[] {
  const [start, end] = classification?.span ?? [0, 0];
  if (start >= end || end > action.length) return [span(showExact(action), 'bold')];
  return [
    span(showExact(action.slice(0, start)), 'bold'),
    span(showExact(action.slice(start, end)), 'guilty'),
    span(showExact(action.slice(end)), 'bold'),
  ].filter(({ text }) => text !== '');
}

/** `deletes a folder for good (files.rm-recursive)` */
export function formatReason({ reason, classification }: Pick<Decision, 'reason' | 'classification'>): string {
  const rule = classification?.ruleId ?? (classification?.by === 'second-opinion' ? 'second opinion' : null);
  return rule === null ? oneLine(reason) : `${oneLine(reason)} (${oneLine(rule)})`;
}

/** `proceed by admin`, `withdrawn: its goal ended`, or null while it waits. */
export function formatVerdict(decision: Pick<Decision, 'state' | 'verdict' | 'decidedBy' | 'message'>): string | null {
  if (decision.state === 'withdrawn') return 'withdrawn: its goal ended first';
  if (decision.verdict === null) return null;
  const message = decision.message === null ? '' : `: “${oneLine(decision.message)}”`;
  return `${decision.verdict} by ${oneLine(decision.decidedBy ?? 'someone')}${message}`;
}
