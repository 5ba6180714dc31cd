import type { ComponentChildren, JSX } from 'preact';
import { Card } from './frame.js';
import { Trouble, useDoing } from './resource.js';

/** A form that adds one thing. It is emptied once that is done: of a secret nothing stays on the page. */
export function RowForm({
  title,
  send,
  children,
}: {
  readonly title: string;
  readonly send: (value: (name: string) => string) => Promise<void>;
  readonly children: ComponentChildren;
}): JSX.Element {
  const doing = useDoing();
  return (
    <Card title={title}>
      <form
        class="form"
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const data = new FormData(form);
          const value = (name: string): string => {
            const given = data.get(name);
            return typeof given === 'string' ? given.trim() : '';
          };
          void doing.run(() => send(value)).then((isDone) => isDone && form.reset());
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
