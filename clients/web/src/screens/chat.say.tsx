import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import { MESSAGE_MAX_CHARS } from '@aish/contracts/limits';
import { ApiError } from '@aish/client/api.error';
import { sendMessage } from '@aish/client/sessions.api';
import { cleanText } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, client } from '../api.js';
import { draftOf, keepDraft, useDraft } from '../drafts.js';
import { Trouble, useDoing } from '../parts/resource.js';
import { SecretsHint } from '../parts/secrets-hint.js';
import { sendOnEnter, TextBox } from '../parts/text-box.js';
import { useTwice } from '../parts/twice.js';
import { goTo } from '../route.js';
import { T } from '../texts.js';

const draftName = (chat: number | null): string => (chat === null ? 'new chat' : `chat ${chat}`);
const queueName = (chat: number | null): string => `${draftName(chat)} next`;

/** The chat that a message has just started. Its box takes the focus, because the person may still be typing. */
let begun: number | null = null;

/**
 * The message box of a chat, or (with null) of a new one. A message waits while the model answers the previous one. A
 * message that would withdraw a question is sent on the second press.
 */
export function Say({
  chat,
  isBusy = false,
  asked = [],
}: {
  readonly chat: number | null;
  readonly isBusy?: boolean;
  /** The numbers of the decisions that are pending in this chat. */
  readonly asked?: readonly number[];
}): JSX.Element {
  const [text, setText] = useDraft(draftName(chat));
  const [queue, setQueue] = useState(() => queueOf(chat));
  const box = useRef<HTMLTextAreaElement>(null);
  const doing = useDoing();
  const twice = useTwice(() => submit());
  const isAsking = asked.length > 0;
  const keepQueue = (texts: readonly string[]): void => {
    setQueue(texts);
    keepDraft(queueName(chat), texts.length === 0 ? '' : JSON.stringify(texts));
  };

  async function say(message: string): Promise<void> {
    try {
      const number = chat ?? (await call(sessionsApi.create, { body: {} })).number;
      await taken(number, message);
      if (chat !== null) return;
      // Text that was typed in the meantime moves to the box of the new chat.
      keepDraft(draftName(number), draftOf(draftName(null)));
      keepDraft(draftName(null), '');
      begun = number;
      goTo('chats', number);
    } catch (error) {
      if (chat !== null && error instanceof ApiError && error.code === 'busy') {
        return keepQueue([message, ...queueOf(chat)]);
      }
      // The message was not accepted, so it returns to the box, before the text typed since.
      setText([message, draftOf(draftName(chat))].filter((part) => part !== '').join('\n'));
      throw error;
    }
  }
  function submit(): void {
    const message = text;
    if (message.trim() === '' || message.length > MESSAGE_MAX_CHARS) return;
    setText('');
    box.current?.focus();
    if (isBusy || doing.isBusy) keepQueue([...queue, message]);
    else void doing.run(() => say(message));
  }

  useEffect(() => {
    if (chat === null || chat !== begun) return;
    begun = null;
    box.current?.focus();
  }, []);
  const [next, ...later] = queue;
  useEffect(() => {
    if (next === undefined || isBusy || isAsking || doing.isBusy || doing.trouble !== null) return;
    keepQueue(later);
    void doing.run(() => say(next));
  }, [next, isBusy, isAsking, doing.isBusy]);

  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        if (isAsking) twice.press();
        else submit();
      }}
    >
      {queue.map((message, at) => (
        <p key={`${at} ${message}`} class="queued hint s-dim">
          {T.chat.next} <span class="exact-line">{cleanText(message)}</span>{' '}
          <button
            type="button"
            class="quiet"
            onClick={() => {
              keepQueue(queue.filter((_, index) => index !== at));
              setText([message, text].filter((part) => part !== '').join('\n'));
              box.current?.focus();
            }}
          >
            {T.chat.takeBack}
          </button>
        </p>
      ))}
      {twice.isAsked && isAsking ? (
        <p class="hint s-warn" role="status">
          {T.chat.withdraws(asked)}
        </p>
      ) : null}
      <SecretsHint text={text} />
      <label class="field">
        <span class="unseen">{T.chat.say}</span>
        <TextBox
          limit={MESSAGE_MAX_CHARS}
          box={box}
          rows={2}
          placeholder={T.chat.say}
          value={text}
          write={setText}
          onKeyDown={sendOnEnter}
        />
      </label>
      <button class="primary" disabled={text.trim() === '' || text.length > MESSAGE_MAX_CHARS}>
        {isBusy || doing.isBusy ? T.chat.sendNext : T.chat.send}
      </button>
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
    </form>
  );
}

/** Sends a message. The stream of the answer stays open until its end, but the page shows the session's own stream. */
function taken(chat: number, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    sendMessage(client, String(chat), text, resolve, new AbortController().signal).catch(reject);
  });
}

function queueOf(chat: number | null): readonly string[] {
  try {
    return JSON.parse(draftOf(queueName(chat)) || '[]') as readonly string[];
  } catch {
    return [];
  }
}
