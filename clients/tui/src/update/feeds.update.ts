import type { Effect, Msg } from '../messages.js';
import type { Feed, Model, Update } from '../model.js';
import { emptyTimeline } from '@aish/views/entries';
import { addEvent, addLive } from '@aish/views/timeline';

type FeedMsg = Extract<Msg, { type: 'happened' | 'live' | 'feedTrouble' }>;

/** Adds the events of a followed session to its place. */
export function feedReceived(model: Model, msg: FeedMsg): Update {
  const { goalFeed, chat } = model;
  const goal = goalFeed.sessionId === msg.sessionId ? withFeedMsg(goalFeed, msg, model.nowMs) : goalFeed;
  if (chat.feed.sessionId !== msg.sessionId) return { model: { ...model, goalFeed: goal }, effects: [] };
  const next = { ...chat, feed: withFeedMsg(chat.feed, msg, model.nowMs) };
  if (msg.type !== 'happened') return { model: { ...model, goalFeed: goal, chat: next }, effects: [] };
  return withChatEvent({ ...model, goalFeed: goal, chat: next }, msg);
}

function withFeedMsg(feed: Feed, msg: FeedMsg, nowMs: number): Feed {
  switch (msg.type) {
    case 'happened':
      // The stream begins with the first event, also after it restarts.
      return { ...feed, timeline: addEvent(msg.event.seq === 1 ? emptyTimeline : feed.timeline, msg.event) };
    case 'live':
      return { ...feed, timeline: addLive(feed.timeline, msg.body, nowMs) };
    case 'feedTrouble':
      return { ...feed, trouble: msg.text };
  }
}

function withChatEvent(model: Model, { event: { body } }: Extract<Msg, { type: 'happened' }>): Update {
  const { chat } = model;
  if (body.type === 'message.received') {
    // The message from this terminal has arrived. The next one waits for the end of the exchange.
    const outbox = chat.outbox[0] === body.text ? chat.outbox.slice(1) : chat.outbox;
    // The first message names the chat.
    const effects: Effect[] =
      body.exchange === 1 && chat.session !== null ? [{ type: 'seeChat', sessionId: chat.session.id }] : [];
    return { model: { ...model, chat: { ...chat, outbox, isBusy: true } }, effects };
  }
  // A goal that works again has taken the message, and no exchange follows.
  if (body.type === 'exchange.ended' || body.type === 'goal.said') {
    const isOurs = body.type === 'goal.said' && chat.outbox[0] === body.text;
    const outbox = isOurs ? chat.outbox.slice(1) : chat.outbox;
    const [next] = outbox;
    const effects: Effect[] =
      next === undefined || chat.session === null
        ? []
        : [{ type: 'sendMessage', sessionId: chat.session.id, preset: chat.preset, text: next }];
    return { model: { ...model, chat: { ...chat, outbox, isBusy: effects.length > 0 } }, effects };
  }
  if (body.type !== 'chat.changed') return { model, effects: [] };
  const { title, preset } = body;
  const session = chat.session === null ? null : { ...chat.session, title, preset };
  return { model: { ...model, chat: { ...chat, session, preset } }, effects: [] };
}
