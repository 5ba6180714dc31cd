import { hostsApi } from '@aish/contracts/endpoints/access';
import type { Host, SeenHost } from '@aish/contracts/hosts';
import { showExact } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../api.js';
import { DoButton } from '../parts/do-button.js';
import { Field } from '../parts/frame.js';
import { Trouble, useDoing } from '../parts/resource.js';
import { RowForm } from '../parts/row-form.js';
import { T } from '../texts.js';

/** Lets goals and chats use another machine. Nothing runs there before a key of it is trusted. */
export function AddHost({ done }: { readonly done: () => void }): JSX.Element {
  return (
    <RowForm
      title={T.hosts.add}
      send={async (value) => {
        const name = value('name');
        const address = value('address') === '' ? name : value('address');
        await call(hostsApi.add, {
          body: {
            name,
            address,
            port: Number(value('port')),
            user: value('user'),
            login: value('login') as Host['login'],
          },
        });
        done();
      }}
    >
      <div class="grid">
        <Field label={T.hosts.name} help={T.hosts.nameHelp}>
          <input name="name" required maxLength={32} placeholder="nas" autoComplete="off" />
        </Field>
        <Field label={T.hosts.address}>
          <input name="address" placeholder="nas.lan" autoComplete="off" />
        </Field>
        <Field label={T.hosts.port}>
          <input name="port" type="number" inputMode="numeric" required min={1} max={65_535} defaultValue="22" />
        </Field>
        <Field label={T.hosts.user}>
          <input name="user" required defaultValue="aish" autoComplete="off" />
        </Field>
        <Field label={T.hosts.login}>
          <select name="login">
            <option value="certificate">{T.hosts.certificate}</option>
            <option value="key">{T.hosts.key}</option>
          </select>
        </Field>
      </div>
    </RowForm>
  );
}

/** The keys that the host shows now. A person compares a key before they trust it. */
export function HostKeys({ host, done }: { readonly host: Host; readonly done: () => void }): JSX.Element {
  const [seen, setSeen] = useState<SeenHost | null>(null);
  const doing = useDoing();
  const params = { name: host.name };
  const isPinned = (fingerprint: string): boolean => host.keys.some((key) => key.fingerprint === fingerprint);
  return (
    <div aria-live="polite">
      <DoButton doing={doing} act={async () => setSeen(await call(hostsApi.see, { params }))}>
        {T.hosts.keys}
      </DoButton>
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      {seen === null ? null : seen.seen.length === 0 ? (
        <p class="s-warn">{T.hosts.noKeys}</p>
      ) : (
        <>
          <p class="s-dim">{T.hosts.compare}</p>
          <ul class="plain-list">
            {seen.seen.map(({ key, fingerprint }) => (
              <li key={fingerprint}>
                {key.split(' ')[0]} <code>{fingerprint}</code>{' '}
                {isPinned(fingerprint) ? (
                  <span class="s-good">{T.hosts.trusted}</span>
                ) : (
                  <DoButton
                    doing={doing}
                    act={async () => {
                      await call(hostsApi.trust, { params, body: { keys: [key] } });
                      done();
                    }}
                  >
                    {T.hosts.trust}
                  </DoButton>
                )}
              </li>
            ))}
          </ul>
          <p class="s-dim">{T.hosts.line(host.user)}</p>
          <pre class="exact" tabIndex={0}>
            {showExact(host.authorizedKeys)}
          </pre>
        </>
      )}
    </div>
  );
}

/** What is done there before each command that a person let through. */
export function HostPrelude({ host, done }: { readonly host: Host; readonly done: () => void }): JSX.Element {
  return (
    <details class="wrote">
      <summary>{T.hosts.prelude}</summary>
      <RowForm
        key={`${host.prelude} ${host.rollback}`}
        title={T.hosts.setPrelude}
        send={async (value) => {
          const prelude = value('prelude') === '' ? null : value('prelude');
          const rollback = prelude === null || value('rollback') === '' ? null : value('rollback');
          await call(hostsApi.setPrelude, { params: { name: host.name }, body: { prelude, rollback } });
          done();
        }}
      >
        <Field label={T.hosts.prelude} help={T.hosts.preludeHelp}>
          <input name="prelude" class="mono" defaultValue={host.prelude ?? ''} spellcheck={false} autoComplete="off" />
        </Field>
        <Field label={T.hosts.rollback}>
          <input
            name="rollback"
            class="mono"
            defaultValue={host.rollback ?? ''}
            spellcheck={false}
            autoComplete="off"
          />
        </Field>
      </RowForm>
    </details>
  );
}
