import type { Decision, GiveVerdict } from '@aish/contracts/decisions';
import { readNeed } from '@aish/contracts/needs';
import type { JSX } from 'preact';
import { ask } from '../api.js';
import { CertificateField } from '../parts/certificate-field.js';
import { Field, may } from '../parts/frame.js';
import { Trouble, useDoing } from '../parts/resource.js';
import { T } from '../texts.js';

/** Gives a goal or a chat what its model needs, or not. What is typed is sent once and kept nowhere, also without a connection. */
export function NeedForm({ decision, done }: { readonly decision: Decision; readonly done: () => void }): JSX.Element {
  const doing = useDoing();
  const need = readNeed(decision.action);
  const { local } = (decision.request?.['properties'] ?? {}) as { local?: { default: boolean } };
  const give = (body: GiveVerdict): void =>
    void doing.run(async () => {
      const { id, version } = decision;
      await ask('POST', `/v1/decisions/${id}/verdict`, {
        body: { ...body, ...(version === undefined ? {} : { version }) },
      });
      done();
    });
  const refusal = (form: HTMLFormElement | null): { message?: string } => {
    const message = form === null ? null : new FormData(form).get('message');
    return typeof message === 'string' && message.trim() !== '' ? { message: message.trim() } : {};
  };
  return (
    <form
      class="verdicts"
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        const [value, certificate] = [data.get('value'), data.get('certificate')];
        const answer = {
          for: data.get('for') ?? 'goal',
          ...(local === undefined ? {} : { local: data.get('local') === 'on' }),
          ...(typeof value === 'string' && value !== '' ? { value } : {}),
          ...(typeof certificate === 'string' && certificate.trim() !== '' ? { certificate } : {}),
        };
        give({ verdict: 'proceed', answer });
      }}
    >
      {may('admin') ? (
        <>
          {need?.kind === 'secret' ? (
            <Field label={T.need.value} help={T.need.valueHelp}>
              <input name="value" type="password" class="mono" autoComplete="new-password" spellcheck={false} />
            </Field>
          ) : null}
          {need?.kind === 'secret' && need.target.tls ? <CertificateField /> : null}
          {local === undefined ? null : (
            <label class="tick">
              <input name="local" type="checkbox" defaultChecked={local.default} />
              {T.need.local}
            </label>
          )}
          <Field label={T.need.for}>
            <select name="for">
              <option value="goal">{decision.goalId === null ? T.need.chat : T.need.goal}</option>
              <option value="space">{T.need.space(decision.space ?? '')}</option>
            </select>
          </Field>
        </>
      ) : (
        <p class="s-dim">{T.need.adminsAlone}</p>
      )}
      <Field label={T.need.message}>
        <input name="message" maxLength={2000} />
      </Field>
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      <div class="actions">
        {may('admin') ? (
          <button class="primary" disabled={doing.isBusy}>
            {T.need.give}
          </button>
        ) : null}
        <button
          type="button"
          disabled={doing.isBusy}
          onClick={({ currentTarget }) => give({ verdict: 'skip', ...refusal(currentTarget.form) })}
        >
          {T.need.refuse}
        </button>
        <button type="button" class="danger" disabled={doing.isBusy} onClick={() => give({ verdict: 'abort' })}>
          {T.decision.abort}
        </button>
      </div>
    </form>
  );
}
