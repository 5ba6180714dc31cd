import { formatPlace, markGuilty } from '@aish/views/decision.format';
import { formatAge } from '@aish/views/duration.format';
import type { Model } from '../model.js';
import { line, span, type Line } from '@aish/views/line';
import { oneLine, showExact } from '@aish/views/sanitise';
import { cardContext } from '@aish/views/card.context';
import { wrapSpans, wrapText } from '@aish/views/text/wrap';
import { approvalOf, reasonLines, executionContextLines } from './decision.view.js';
import { layoutOf } from './layout.js';
import { listView } from './list.view.js';

/** Returns the inbox: open decisions, oldest first, and the details of the selected one. */
export function decisionsView(model: Model): readonly Line[] {
  const { decisions, decisionAt } = model;
  const rows = decisions.map((decision): Line => [
    span(` d${decision.number}`.padEnd(7), 'bold'),
    span(formatAge(decision.createdAt, model.nowMs).padStart(4), 'dim'),
    span(`  ${formatPlace(decision)}  `),
    span(showExact(decision.action).replaceAll('\n', '\\n'), 'bad'),
  ]);
  const chosen = decisions[decisionAt];
  return listView(model, {
    title: [span('DECISIONS', 'bold'), span(` ${decisions.length}`, 'dim')],
    rows: rows.length === 0 ? [line(' No pending decisions.', 'dim')] : rows,
    at: rows.length === 0 ? -1 : decisionAt,
    detailTitle: chosen === undefined ? [] : [span(`d${chosen.number}`, 'bold'), span(` ${formatPlace(chosen)}`)],
    detailNote: chosen === undefined ? [] : [span('Enter: answer', 'warn')],
    detail: chosen === undefined ? [] : decisionLines(model, chosen),
  });
}

function decisionLines(model: Model, decision: Model['decisions'][number]): readonly Line[] {
  const width = layoutOf(model).detail.cols - 2;
  const { wrote, serverSays } = cardContext(decision);
  const by = (title: string, text: string): readonly Line[] =>
    text === '' ? [] : [line(title, 'dim'), ...wrapText(text, 'dim', width, { indent: '   ' })];
  const subject =
    decision.goalText === null ? [] : wrapText(oneLine(decision.goalText), 'plain', width, { indent: ' ' });
  return [
    ...subject,
    ...reasonLines(decision, width, ' '),
    ...executionContextLines(decision, width, ' '),
    ...approvalOf(decision, width, ' '),
    line(''),
    ...wrapSpans(markGuilty(decision.action, decision.classification), width, { indent: '   ', exact: true }),
    line(''),
    ...by(' the model wrote:', wrote),
    ...by(' the server describes the tool as:', serverSays),
  ];
}
