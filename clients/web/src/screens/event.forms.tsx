import { eventsApi } from '@aish/contracts/endpoints/events';
import type { AddedEventSource, EventRule, EventSource } from '@aish/contracts/incoming-events';
import { GOAL_TEXT_MAX_CHARS } from '@aish/contracts/limits';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../api.js';
import { urlOf } from '@aish/contracts/endpoint';
import { apiBase } from '../base.js';
import { CopyButton } from '../parts/copy-button.js';
import { Card, Field } from '../parts/frame.js';
import { MaskedInput } from '../parts/masked-input.js';
import { TextBox } from '../parts/text-box.js';
import { RowForm } from '../parts/row-form.js';
import { pairLines, pairsOf, wordsOf } from '../parts/words.js';
import { T } from '../texts.js';

const PROOFS: readonly EventSource['proof'][] = ['token', 'github', 'gitea', 'standard-webhooks'];
const MINUTE_MS = 60_000;

/** A form that adds an event source, and shows the secret of the source only this once. */
export function AddSource({ done }: { readonly done: () => void }): JSX.Element {
  const [added, setAdded] = useState<AddedEventSource | null>(null);
  const address =
    added === null ? '' : apiBase(location.href) + urlOf(eventsApi.receive, { params: { name: added.name } });
  if (added !== null)
    return (
      <Card title={added.name}>
        <p>{T.events.added}</p>
        <pre class="exact" tabIndex={0}>
          POST {address}
        </pre>
        <CopyButton text={address} what={T.events.address} />
        <pre class="exact" tabIndex={0} aria-label={T.events.secret}>
          {added.secret}
        </pre>
        <CopyButton text={added.secret} what={T.events.secret} />
        <div class="actions">
          <button type="button" onClick={() => setAdded(null)}>
            {T.close}
          </button>
        </div>
      </Card>
    );
  return (
    <RowForm
      title={T.events.addSource}
      send={async (value) => {
        const [secret, header] = [value('secret'), value('header').toLowerCase()];
        const body = {
          name: value('name'),
          proof: value('proof') as EventSource['proof'],
          ...(header === '' ? {} : { header }),
          ...(secret === '' ? {} : { secret }),
        };
        setAdded(await call(eventsApi.addSource, { body }));
        done();
      }}
    >
      <div class="grid">
        <Field label={T.events.name}>
          <input name="name" required maxLength={32} placeholder="alerts" autoComplete="off" />
        </Field>
        <Field label={T.events.proof}>
          <select name="proof">
            {PROOFS.map((proof) => (
              <option key={proof}>{proof}</option>
            ))}
          </select>
        </Field>
        <Field label={T.events.header} help={T.events.headerHelp}>
          <input name="header" maxLength={64} autoComplete="off" />
        </Field>
        <Field label={T.events.ownSecret} help={T.events.ownSecretHelp}>
          <MaskedInput name="secret" minLength={16} />
        </Field>
      </div>
    </RowForm>
  );
}

/** A form that sets which goal the events of a source start. `like` is a rule that fills the fields. */
export function AddRule({
  sources,
  like,
  done,
}: {
  readonly sources: readonly EventSource[];
  readonly like: EventRule | null;
  readonly done: () => void;
}): JSX.Element {
  if (sources.length === 0) return <p class="s-dim">{T.events.noSource}</p>;
  return (
    <RowForm
      key={like?.id}
      title={T.events.addRule}
      draft={like?.id ?? ''}
      send={async (value) => {
        const [space, resolved] = [value('space'), value('resolved')];
        const { text: _text, space: _space, ...same } = like?.goal ?? { text: '' };
        await call(eventsApi.addRule, {
          body: {
            source: value('source'),
            match: pairsOf(value('match')),
            key: wordsOf(value('key')),
            coolDownMs: Math.round(Number(value('coolDown')) * MINUTE_MS),
            atMost: Number(value('atMost')),
            resolved: resolved === '' ? null : pairsOf(resolved),
            onResolved: value('onResolved') as EventRule['onResolved'],
            goal: { ...same, text: value('goal'), ...(space === '' ? {} : { space }) },
          },
        });
        done();
      }}
    >
      <Field label={T.events.goal} help={T.events.goalHelp}>
        <TextBox limit={GOAL_TEXT_MAX_CHARS} name="goal" rows={2} required defaultValue={like?.goal.text ?? ''} />
      </Field>
      <div class="grid">
        <Field label={T.events.source}>
          <select name="source" defaultValue={like?.source}>
            {sources.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Field>
        <Field label={T.goals.space}>
          <input name="space" defaultValue={like?.goal.space ?? ''} placeholder="general" autoComplete="off" />
        </Field>
        <Field label={T.events.match} help={T.events.matchHelp}>
          <textarea name="match" class="mono" rows={2} defaultValue={pairLines(like?.match ?? {})} spellcheck={false} />
        </Field>
        <Field label={T.events.key} help={T.events.keyHelp}>
          <input name="key" class="mono" defaultValue={like?.key.join(' ') ?? ''} spellcheck={false} />
        </Field>
        <Field label={T.events.coolDown}>
          <input
            name="coolDown"
            type="number"
            required
            min={0}
            step="any"
            defaultValue={String((like?.coolDownMs ?? 600_000) / MINUTE_MS)}
          />
        </Field>
        <Field label={T.events.atMost}>
          <input name="atMost" type="number" required min={1} max={100} defaultValue={String(like?.atMost ?? 3)} />
        </Field>
        <Field label={T.events.resolved} help={T.events.resolvedHelp}>
          <textarea
            name="resolved"
            class="mono"
            rows={2}
            defaultValue={pairLines(like?.resolved ?? {})}
            spellcheck={false}
          />
        </Field>
        <Field label={T.events.onResolved}>
          <select name="onResolved" defaultValue={like?.onResolved ?? 'tell'}>
            <option value="tell">{T.events.tell}</option>
            <option value="cancel">{T.events.cancel}</option>
          </select>
        </Field>
      </div>
    </RowForm>
  );
}
