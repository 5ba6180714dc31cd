import { sendMessage } from '@aish/client/sessions.api';
import { MESSAGE_MAX_CHARS } from '@aish/contracts/limits';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { client } from '../api.js';
import { useDraft } from '../drafts.js';
import { Trouble, useDoing } from '../parts/resource.js';
import { TextBox } from '../parts/text-box.js';
import { T } from '../texts.js';

/** The api accepts a message immediately, so sending ends after this time. */
const SEND_MAX_MS = 30_000;

/** A form for a message to the model of a working goal. The message stops nothing and answers no decision. */
export function Steer({ sessionId }: { readonly sessionId: string }): JSX.Element {
  const [text, setText] = useDraft(`steer ${sessionId}`);
  const box = useRef<HTMLTextAreaElement>(null);
  const doing = useDoing();
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        void doing.run(async () => {
          await sendMessage(client, sessionId, text, () => setText(''), AbortSignal.timeout(SEND_MAX_MS));
          box.current?.focus();
        });
      }}
    >
      <label class="field">
        <span class="unseen">{T.goal.steer}</span>
        <TextBox limit={MESSAGE_MAX_CHARS} box={box} rows={1} placeholder={T.goal.steer} value={text} write={setText} />
      </label>
      <button disabled={doing.isBusy || text.trim() === '' || text.length > MESSAGE_MAX_CHARS}>{T.chat.send}</button>
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
    </form>
  );
}
