import type { Session } from '@aish/contracts/chat';
import { ApiError, asApiError } from '@aish/client/api.error';
import {
  changeSession,
  createSession,
  listSessions,
  sendMessage,
  showSession,
  stopSession,
} from '@aish/client/sessions.api';
import type { Transport } from '@aish/client/transport';
import { asking, tellOfSecrets, type EffectOf, type EffectTable, type World } from './world.js';

const SUGGESTED_SESSIONS = 50;

/** Chats: what is said, stopped, named, and gone on with. */
export const CHAT_EFFECTS: EffectTable<
  'followSession' | 'sendMessage' | 'stopChat' | 'seeChat' | 'seeSession' | 'openSession' | 'changeChat' | 'suggest'
> = {
  followSession: ({ followed }, { place, sessionId }) => followed.follow(place, sessionId),
  sendMessage: send,
  stopChat: asking(
    ({ transport }, { sessionId }: EffectOf<'stopChat'>, signal) => stopSession(transport, sessionId, signal),
    ({ stopped }) => ({ type: 'said', text: stopped ? 'stopped' : 'it had ended already', style: 'warn' }),
  ),
  seeChat: asking(
    ({ transport }, { sessionId }: EffectOf<'seeChat'>, signal) => showSession(transport, sessionId, signal),
    (session) => ({ type: 'chatSeen', session }),
    (error) => ({ type: 'listRefused', error }),
  ),
  seeSession: asking(
    ({ transport }, { sessionId }: EffectOf<'seeSession'>, signal) => showSession(transport, sessionId, signal),
    (session) => ({ type: 'sessionSeen', session }),
    (error) => ({ type: 'listRefused', error }),
  ),
  openSession: asking(
    ({ transport }, { reference }: EffectOf<'openSession'>, signal) => findSession(transport, reference, signal),
    (session, { stays }) => ({ type: 'chatOpened', session, isNew: false, ...(stays === true && { stays }) }),
  ),
  changeChat: asking(
    ({ transport }, { sessionId, change }: EffectOf<'changeChat'>, signal) =>
      changeSession(transport, sessionId, change, signal),
    (session, { change: { title, preset } }) => ({
      type: 'chatChanged',
      session,
      said: title === undefined ? `the model is ${preset} from now on` : `saved as “${title}”`,
    }),
  ),
  suggest: asking(
    ({ transport }, _: EffectOf<'suggest'>, signal) =>
      listSessions(transport, { kind: 'chat', limit: SUGGESTED_SESSIONS }, signal),
    ({ items }, { from, text }) => ({
      type: 'suggested',
      from,
      text,
      items: items.map(({ number, title }) => ({ text: String(number), about: title })),
    }),
  ),
};

async function send(world: World, { sessionId, preset, text }: EffectOf<'sendMessage'>): Promise<void> {
  const { client, dispatch, followed, signal } = world;
  const { transport } = client;
  let isTaken = false;
  try {
    const session = sessionId === null ? await createSession(transport, { preset }, signal) : null;
    if (session !== null) dispatch({ type: 'chatOpened', session, isNew: true });
    const id = sessionId ?? session?.id ?? '';
    await followed.heard(id);
    const sending = sendMessage(transport, id, text, () => (isTaken = true), signal);
    await Promise.all([sending, tellOfSecrets(world, 'Your message', text)]);
  } catch (error) {
    // Once it is taken the exchange goes on by itself, and the feed says how.
    if (!signal.aborted && !isTaken) dispatch({ type: 'messageRefused', text, error: asApiError(error) });
  }
}

async function findSession(transport: Transport, reference: string | null, signal: AbortSignal): Promise<Session> {
  if (reference !== null) return showSession(transport, /^[cs]-?(\d+)$/i.exec(reference)?.[1] ?? reference, signal);
  const [newest] = (await listSessions(transport, { kind: 'chat', limit: 1 }, signal)).items;
  if (newest === undefined) throw new ApiError('answered', 'not_found', 'There is no earlier session');
  return newest;
}
