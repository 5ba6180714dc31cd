import type { ComponentChildren, JSX } from 'preact';
import { wordsOfHash } from '../route.js';
import { Card } from './frame.js';
import { useFormDraft } from '../form-draft.js';
import { markFields } from './field-errors.js';
import { Trouble, useDoing } from './resource.js';

/** A form that adds something. The form is emptied afterwards, so that no secret stays on the page. */
export function RowForm({
  title,
  draft = '',
  send,
  children,
}: {
  readonly title: string;
  /** Distinguishes forms with the same title on one screen. */
  readonly draft?: string;
  readonly send: (value: (name: string) => string) => Promise<void>;
  readonly children: ComponentChildren;
}): JSX.Element {
  const doing = useDoing();
  const kept = useFormDraft(`${wordsOfHash(location.hash).join('/')} ${title} ${draft}`);
  const sendOrMark = async (form: HTMLFormElement, value: (name: string) => string): Promise<void> => {
    try {
      await send(value);
    } catch (error) {
      markFields(form, error);
      throw error;
    }
  };
  return (
    <Card title={title}>
      <form
        ref={kept.form}
        class="form"
        autoComplete="off"
        onInput={kept.keep}
        onChange={kept.keep}
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const data = new FormData(form);
          const value = (name: string): string => {
            const given = data.get(name);
            return typeof given === 'string' ? given.trim() : '';
          };
          void doing.run(() => sendOrMark(form, value)).then((isDone) => isDone && kept.empty());
        }}
      >
        {children}
        {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
        <div class="actions">
          <button class="primary" disabled={doing.isBusy}>
            {title}
          </button>
        </div>
      </form>
    </Card>
  );
}
