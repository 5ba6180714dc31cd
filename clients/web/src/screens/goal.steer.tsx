import { sendMessage } from '@aish/client/sessions.api';
import { MESSAGE_MAX_CHARS } from '@aish/contracts/limits';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { client } from '../api.js';
import { draftOf, useDraft } from '../drafts.js';
import { Trouble, useDoing } from '../parts/resource.js';
import { sendOnEnter, TextBox } from '../parts/text-box.js';
import { T } from '../texts.js';

/** The api accepts a message immediately, so sending ends after this time. */
const SEND_MAX_MS = 30_000;

/** A form for a message to the model of a working goal. The message stops nothing and answers no decision. */
export function Steer({
  sessionId,
  isAsked,
}: {
  readonly sessionId: string;
  /** Whether a question with a box of its own waits, which this form does not answer. */
  readonly isAsked: boolean;
}): JSX.Element {
  const label = isAsked ? T.goal.steerAsked : T.goal.steer;
  const name = `steer ${sessionId}`;
  const [text, setText] = useDraft(name);
  const box = useRef<HTMLTextAreaElement>(null);
  const doing = useDoing();
  const canSend = text.trim() !== '' && text.length <= MESSAGE_MAX_CHARS;
  async function send(): Promise<void> {
    let isTaken = false;
    setText('');
    box.current?.focus();
    try {
      await sendMessage(client, sessionId, text, () => (isTaken = true), AbortSignal.timeout(SEND_MAX_MS));
    } catch (error) {
      if (isTaken) return;
      // The message returns to the box, before the text typed since.
      setText([text, draftOf(name)].filter((part) => part !== '').join('\n'));
      throw error;
    }
  }
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        if (!doing.isBusy && canSend) void doing.run(send);
      }}
    >
      <label class="field">
        <span class="unseen">{label}</span>
        <TextBox
          limit={MESSAGE_MAX_CHARS}
          box={box}
          rows={1}
          placeholder={label}
          value={text}
          write={setText}
          onKeyDown={sendOnEnter}
        />
      </label>
      <button disabled={doing.isBusy || !canSend}>{T.chat.send}</button>
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
    </form>
  );
}
