import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import type { GiveVerdict } from '@aish/contracts/decisions';
import { NOTE_MAX_CHARS } from '@aish/contracts/limits';
import { readNeed } from '@aish/contracts/needs';
import type { JSX } from 'preact';
import { ApiError } from '@aish/client/api.error';
import { call } from '../api.js';
import { CertificateField } from '../parts/certificate-field.js';
import { useFormDraft } from '../form-draft.js';
import { Field, may } from '../parts/frame.js';
import { Trouble, useDoing } from '../parts/resource.js';
import { TextBox } from '../parts/text-box.js';
import { TwiceButton } from '../parts/twice.js';
import { T } from '../texts.js';
import type { CardProps } from './card.props.js';

/**
 * Answers a request for access. The form sends a secret once and never stores it, not even while the browser is
 * offline.
 */
export default function NeedForm({ decision, begun, ended, done, taken }: Omit<CardProps, 'close'>): JSX.Element {
  const doing = useDoing();
  const { form, keep, forget } = useFormDraft(`need ${decision.id}`);
  const need = readNeed(decision.action);
  const { local } = (decision.request?.['properties'] ?? {}) as { local?: { default: boolean } };
  const give = (body: GiveVerdict): void =>
    void doing.run(async () => {
      const { id, version } = decision;
      begun.isSending = true;
      try {
        await call(decisionsApi.decide, {
          params: { ref: id },
          body: { ...body, ...(version === undefined ? {} : { version }) },
        });
        begun.isOwn = true;
        forget();
        done();
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'decision_taken') throw error;
        begun.isKept = true;
        taken();
      } finally {
        begun.isSending = false;
      }
    });
  const noteIn = (form: HTMLFormElement | null): { message?: string } => {
    const message = form === null ? null : new FormData(form).get('message');
    return typeof message === 'string' && message.trim() !== '' ? { message: message.trim() } : {};
  };
  return (
    <form
      ref={form}
      class="verdicts"
      autoComplete="off"
      onInput={() => {
        begun.isKept = true;
        keep();
      }}
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
        give({ verdict: 'proceed', answer, ...noteIn(event.currentTarget) });
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
        <TextBox limit={NOTE_MAX_CHARS} name="message" rows={1} />
      </Field>
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      {ended !== null ? null : (
        <div class="actions">
          {may('admin') ? (
            <button class="primary" disabled={doing.isBusy}>
              {T.need.give}
            </button>
          ) : null}
          <button
            type="button"
            disabled={doing.isBusy}
            onClick={({ currentTarget }) => give({ verdict: 'skip', ...noteIn(currentTarget.form) })}
          >
            {T.need.refuse}
          </button>
          <TwiceButton
            label={decision.goalId === null ? T.decision.abortChat : T.decision.abort}
            isDisabled={doing.isBusy}
            done={() => give({ verdict: 'abort', ...noteIn(form.current) })}
          />
        </div>
      )}
    </form>
  );
}
