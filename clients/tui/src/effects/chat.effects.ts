import { chatApi, sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { Session } from '@aish/contracts/chat';
import { ApiError, asApiError } from '@aish/client/api.error';
import { sendMessage } from '@aish/client/sessions.api';
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
    (client, { sessionId }: EffectOf<'stopChat'>, signal) =>
      client.call(chatApi.stop, { params: { ref: sessionId } }, signal),
    ({ stopped }) => ({ type: 'said', text: stopped ? 'stopped' : 'it had ended already', style: 'warn' }),
  ),
  seeChat: asking(
    (client, { sessionId }: EffectOf<'seeChat'>, signal) =>
      client.call(sessionsApi.show, { params: { ref: sessionId } }, signal),
    (session) => ({ type: 'chatSeen', session }),
    (error) => ({ type: 'listRefused', error }),
  ),
  seeSession: asking(
    (client, { sessionId }: EffectOf<'seeSession'>, signal) =>
      client.call(sessionsApi.show, { params: { ref: sessionId } }, signal),
    (session) => ({ type: 'sessionSeen', session }),
    (error) => ({ type: 'listRefused', error }),
  ),
  openSession: asking(
    (client, { reference }: EffectOf<'openSession'>, signal) => findSession(client, reference, signal),
    (session, { stays }) => ({ type: 'chatOpened', session, isNew: false, ...(stays === true && { stays }) }),
  ),
  changeChat: asking(
    (client, { sessionId, change }: EffectOf<'changeChat'>, signal) =>
      client.call(sessionsApi.change, { params: { ref: sessionId }, body: change }, signal),
    (session, { change: { title, preset } }) => ({
      type: 'chatChanged',
      session,
      said: title === undefined ? `the model is ${preset} from now on` : `saved as “${title}”`,
    }),
  ),
  suggest: asking(
    (client, _: EffectOf<'suggest'>, signal) =>
      client.call(sessionsApi.list, { query: { kind: 'chat', limit: SUGGESTED_SESSIONS } }, signal),
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
  let isTaken = false;
  try {
    const session = sessionId === null ? await client.call(sessionsApi.create, { body: { preset } }, signal) : null;
    if (session !== null) dispatch({ type: 'chatOpened', session, isNew: true });
    const id = sessionId ?? session?.id ?? '';
    await followed.heard(id);
    const sending = sendMessage(client, id, text, () => (isTaken = true), signal);
    await Promise.all([sending, tellOfSecrets(world, 'Your message', text)]);
  } catch (error) {
    // Once it is taken the exchange goes on by itself, and the feed says how.
    if (!signal.aborted && !isTaken) dispatch({ type: 'messageRefused', text, error: asApiError(error) });
  }
}

async function findSession(client: Transport, reference: string | null, signal: AbortSignal): Promise<Session> {
  if (reference !== null)
    return client.call(
      sessionsApi.show,
      { params: { ref: /^[cs]-?(\d+)$/i.exec(reference)?.[1] ?? reference } },
      signal,
    );
  const [newest] = (await client.call(sessionsApi.list, { query: { kind: 'chat', limit: 1 } }, signal)).items;
  if (newest === undefined) throw new ApiError('answered', 'not_found', 'There is no earlier session');
  return newest;
}
