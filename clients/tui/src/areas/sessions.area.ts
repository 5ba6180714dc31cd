import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { HistoryTurn, Session, SessionList } from '@aish/contracts/chat';
import { formatAge, formatMoment } from '@aish/views/duration.format';
import type { Row } from '../view-state.js';
import { span } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import type { AreaSource } from './area.js';

const LIMIT = 200;
const TURNS = 40;
const TURN_MAX_CHARS = 2_000;

/** Chats and goals, newest first. The filter searches titles and turns. */
export const sessionsArea: AreaSource = {
  async rows(client, filter, signal) {
    const { items } = await client.call(
      sessionsApi.list,
      { query: { limit: LIMIT, ...(filter === '' ? {} : { q: filter }) } },
      signal,
    );
    const nowMs = Date.now();
    return items.map((session) => rowOf(session, nowMs));
  },
  async detail(client, key, signal) {
    const [session, { items }] = await Promise.all([
      client.call(sessionsApi.show, { params: { ref: key } }, signal),
      client.call(sessionsApi.turns, { params: { ref: key }, query: { limit: TURNS } }, signal),
    ]);
    const head = `${session.turns} turns · ${session.preset ?? 'goal'} · since ${formatMoment(session.createdAt)}`;
    const text = [head, ...items.map(turnText)].join('\n\n');
    return { key, title: `${nameOf(session)} ${oneLine(session.title)}`, kind: 'markdown', text };
  },
};

/** Returns the short name of a session: `c12` for a chat, `g4` for a goal. */
function nameOf({ kind, number, goalNumber }: Pick<Session, 'kind' | 'number' | 'goalNumber'>): string {
  return kind === 'chat' || goalNumber === null ? `c${number}` : `g${goalNumber}`;
}

function rowOf(session: SessionList['items'][number], nowMs: number): Row {
  const { id, kind, title, state, goalState, updatedAt, snippet } = session;
  const name = nameOf(session);
  const how = kind === 'chat' ? (state === 'idle' ? '' : (state ?? '')) : (goalState ?? '');
  return {
    key: id,
    name,
    line: [
      span(` ${name.padEnd(6)}`),
      span(formatAge(updatedAt, nowMs).padStart(4), 'dim'),
      span(`  ${kind}  `, kind === 'chat' ? 'accent' : 'good'),
      span(oneLine(title)),
      span(how === '' ? '' : `  ${how}`, 'warn'),
      span(snippet === null ? '' : `  ${oneLine(snippet)}`, 'dim'),
    ],
    find: title,
  };
}

function turnText({ role, content }: HistoryTurn): string {
  const text = content.length > TURN_MAX_CHARS ? `${content.slice(0, TURN_MAX_CHARS)} …` : content;
  if (role === 'user') return `**› ${text.replaceAll('\n', '\n> ')}**`;
  return role === 'assistant' ? text : `\`\`\`\n${text}\n\`\`\``;
}
