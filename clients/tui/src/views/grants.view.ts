import type { Grant } from '@aish/contracts/grants';
import { formatAge } from '@aish/views/duration.format';
import type { GrantsPage, Model } from '../model.js';
import { line, span, type Line } from '@aish/views/line';
import { formatUses } from '@aish/views/control.format';
import { oneLine, showExact } from '@aish/views/sanitise';
import { wrapText } from '@aish/views/text/wrap';
import { layoutOf } from './layout.js';
import { filled } from './list.view.js';
import { rule } from './rule.js';

/** Returns the grants of a goal. The key x removes one. */
export function grantsView({ goalNumber, items, at }: GrantsPage, model: Model): readonly Line[] {
  const { cols, mainRows } = layoutOf(model);
  const room = Math.max(0, mainRows - 2);
  const top = Math.max(0, at - room + 1);
  const rows = (items ?? []).slice(top, top + room).map((grant, index) => row(grant, top + index === at, model.nowMs));
  const none =
    items === null
      ? [line(' …', 'dim')]
      : wrapText('This goal has no grants. At a HALT, g adds one.', 'dim', cols, { indent: ' ' });
  return [
    rule(cols, [span(`GRANTS OF GOAL ${goalNumber}`, 'bold'), span(` ${items?.length ?? ''}`, 'dim')]),
    ...filled(rows.length > 0 ? rows : none, room, cols),
    rule(cols, [span('x remove it   Esc close', 'dim')]),
  ];
}

function row(grant: Grant, isChosen: boolean, nowMs: number): Line {
  const { scope, action, ruleId, createdBy, createdAt, revokedBy } = grant;
  const isRevoked = revokedBy !== null;
  const what = action === null ? oneLine(ruleId ?? '') : showExact(action).replaceAll('\n', '\\n');
  return [
    span(isChosen ? '▸' : ' ', 'accent'),
    span(`${scope} `.padEnd(9), 'dim'),
    span(what, isRevoked ? 'dim' : isChosen ? 'bold' : 'plain'),
    span(`  by ${oneLine(createdBy)} ${formatAge(createdAt, nowMs)} ago, ${formatUses(grant)}`, 'dim'),
    span(isRevoked ? `  removed by ${oneLine(revokedBy)}` : '', 'warn'),
  ];
}
