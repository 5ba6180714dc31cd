import { hostsApi } from '@aish/contracts/endpoints/access';
import { filesApi } from '@aish/contracts/endpoints/files';
import { chatApi, sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { Session } from '@aish/contracts/chat';
import { ApiError, asApiError } from '@aish/client/api.error';
import { runCommand, sendMessage } from '@aish/client/sessions.api';
import type { Transport } from '@aish/client/transport';
import type { CompletionItem } from '../view-state.js';
import { asking, warnOfSecrets, type EffectOf, type EffectTable, type World } from './world.js';

const SUGGESTED_SESSIONS = 50;

/** The effects of chats: send, stop, rename, continue. */
export const CHAT_EFFECTS: EffectTable<
  | 'followSession'
  | 'sendMessage'
  | 'stopChat'
  | 'seeChat'
  | 'seeSession'
  | 'openSession'
  | 'changeChat'
  | 'suggest'
  | 'suggestNames'
  | 'runCommand'
  | 'stopCommand'
> = {
  followSession: ({ followed }, { place, sessionId }) => followed.follow(place, sessionId),
  sendMessage: send,
  runCommand: runOwn,
  stopCommand: ({ own }) => own.stop?.abort(),
  stopChat: asking(
    (client, { sessionId }: EffectOf<'stopChat'>, signal) =>
      client.call(chatApi.stop, { params: { ref: sessionId } }, signal),
    ({ stopped }) => ({ type: 'said', text: stopped ? 'stopped' : 'it had already ended', style: 'warn' }),
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
      said: title === undefined ? `the model is now ${preset}` : `saved as “${title}”`,
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
  suggestNames,
};

/** Begins a chat. */
async function begin({ client, dispatch, signal }: World, preset: string): Promise<string> {
  const session = await client.call(sessionsApi.create, { body: { preset } }, signal);
  dispatch({ type: 'chatOpened', session, isNew: true });
  return session.id;
}

async function runOwn(world: World, { sessionId, preset, command }: EffectOf<'runCommand'>): Promise<void> {
  const { client, dispatch, followed, own, signal } = world;
  const stop = new AbortController();
  own.stop = stop;
  let refused: ApiError | null = null;
  try {
    const id = sessionId ?? (await begin(world, preset));
    await followed.heard(id);
    await runCommand(client, id, command, AbortSignal.any([signal, stop.signal]));
  } catch (error) {
    if (!stop.signal.aborted) refused = asApiError(error);
  }
  if (!signal.aborted) dispatch({ type: 'commandEnded', command, refused });
}

/** A list that cannot be read, such as the files of a session without a workspace, offers nothing. */
async function suggestNames({ client, dispatch, signal }: World, effect: EffectOf<'suggestNames'>): Promise<void> {
  const { sessionId: id, folder, goals, from, text } = effect;
  const listing =
    id === null
      ? null
      : client.call(filesApi.list, { params: { id }, query: { path: folder } }, signal).catch(() => ({ items: [] }));
  const hosts = await client.call(hostsApi.list, {}, signal).catch(() => ({ items: [] }));
  const hostNames = hosts.items.map(({ name, address }) => ({ text: name, about: address }));
  const offer = (names: readonly CompletionItem[], more: { readonly isPartial?: true }): void => {
    // Other names would not be one word.
    const words = names.filter((each) => !/[\s\p{C}]/u.test(each.text));
    const items = words.map((each) => ({ ...each, text: `@${each.text}` }));
    if (!signal.aborted) dispatch({ type: 'suggested', from, text, items, ...more });
  };
  if (listing === null) return offer([...hostNames, ...goals], {});
  // The sandbox lists files, which takes half a second.
  offer([...hostNames, ...goals], { isPartial: true });
  const files = (await listing).items.map(({ name, type }) => {
    return { text: `${folder}${name}${type === 'folder' ? '/' : ''}`, about: type };
  });
  offer([...hostNames, ...files, ...goals], {});
}

async function send(world: World, { sessionId, preset, text }: EffectOf<'sendMessage'>): Promise<void> {
  const { client, dispatch, followed, signal } = world;
  let isTaken = false;
  try {
    const id = sessionId ?? (await begin(world, preset));
    await followed.heard(id);
    const sending = sendMessage(client, id, text, () => (isTaken = true), signal);
    await Promise.all([sending, warnOfSecrets(world, 'Your message', text)]);
  } catch (error) {
    // Once the message is accepted, the exchange continues on its own and the feed shows it.
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
