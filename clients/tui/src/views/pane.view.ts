import type { Model } from '../model.js';
import { line, span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { wrapText } from '@aish/views/text/wrap';
import { layoutOf } from './layout.js';
import { listView } from './list.view.js';
import { detailLines } from './scrollable.js';
import type { PaneId } from '../view-id.js';

const EMPTY: Readonly<Record<PaneId, string>> = {
  memory: 'Nothing is remembered yet. Use :remember.',
  knowledge: 'The knowledge base is empty, or nothing matches.',
  sessions: 'No sessions yet. Send a message in the chat.',
};

/** Returns a list from the server and the detail of its selected row. */
export function paneView(model: Model, id: PaneId): readonly Line[] {
  const { rows, chosen, filter, detail, detailTop, linkAt, trail, trouble } = model.panes[id];
  const { list, detail: room } = layoutOf(model);
  const lines = detail === null ? [] : detailLines(detail, room.cols - 2, linkAt);
  const maxTop = Math.max(0, lines.length - room.rows);
  const top = Math.min(detailTop, maxTop);
  return listView(model, {
    title: [
      span(id.toUpperCase(), 'bold'),
      span(rows === null ? '' : ` ${rows.length}`, 'dim'),
      span(filter === '' ? '' : ` “${oneLine(filter)}”`, 'accent'),
    ],
    rows: rowsOf(),
    at: rows?.findIndex(({ key }) => key === chosen) ?? -1,
    detailTitle:
      detail === null
        ? []
        : [span('‹ '.repeat(Math.min(5, trail.length)), 'accent'), span(oneLine(detail.title), 'bold')],
    detailNote: top < maxTop ? [span(`${maxTop - top} lines below: PgDn`, 'warn')] : [],
    detail: lines.slice(top, top + room.rows).map((each) => [span(' '), ...each]),
  });

  function rowsOf(): readonly Line[] {
    if (trouble !== null) return wrapText(oneLine(trouble), 'warn', list.cols, { indent: ' ' });
    if (rows === null) return [line(' …', 'dim')];
    if (rows.length > 0) return rows.map((row) => row.line);
    return wrapText(EMPTY[id], 'dim', list.cols, { indent: ' ' });
  }
}
