import { hostsApi } from '@aish/contracts/endpoints/access';
import type { Host, HostCheck, SeenHost } from '@aish/contracts/hosts';
import { readSshTarget } from '@aish/contracts/ssh-target';
import { hostAdvice } from '@aish/views/host-advice';
import { oneLine, showExact } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../api.js';
import { CopyButton } from '../parts/copy-button.js';
import { DoButton } from '../parts/do-button.js';
import { Field } from '../parts/frame.js';
import { Trouble, useDoing } from '../parts/resource.js';
import { RowForm } from '../parts/row-form.js';
import { T } from '../texts.js';

/** A form that lets goals and chats use another machine. Nothing runs there until a person trusts one of its keys. */
export function AddHost({ done }: { readonly done: () => void }): JSX.Element {
  return (
    <RowForm
      title={T.hosts.add}
      send={async (value) => {
        const name = value('name');
        const address = value('address') === '' ? name : value('address');
        // An address as people type it for ssh overrides the other fields.
        const target = readSshTarget(address) ?? { address };
        const login = value('login') as Host['login'];
        await call(hostsApi.add, {
          body: { name, port: Number(value('port')), user: value('user'), login, ...target },
        });
        done();
      }}
    >
      <p class="s-dim">{T.hosts.first}</p>
      <div class="grid">
        <Field label={T.hosts.name} help={T.hosts.nameHelp}>
          <input name="name" required maxLength={32} placeholder="nas" autoComplete="off" />
        </Field>
        <Field label={T.hosts.address}>
          <input name="address" placeholder="nas.lan or root@nas.lan:2222" autoComplete="off" />
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

/** Shows the next steps after adding a host. They are open until a command has used the host. */
export function HostGuide({ host, done }: { readonly host: Host; readonly done: () => void }): JSX.Element {
  return (
    <details class="wrote" open={host.lastSeenAt === null}>
      <summary>{T.hosts.guide}</summary>
      <h3>{T.hosts.second}</h3>
      <p class="s-dim">{T.hosts.line(host.user)}</p>
      <pre class="exact" tabIndex={0}>
        {showExact(host.authorizedKeys)}
      </pre>
      <CopyButton text={host.authorizedKeys} what="authorized_keys" />
      <h3>{T.hosts.third}</h3>
      <HostKeys host={host} done={done} />
      <Check name={host.name} />
    </details>
  );
}

function Check({ name }: { readonly name: string }): JSX.Element {
  const [check, setCheck] = useState<HostCheck | null>(null);
  const doing = useDoing();
  return (
    <div aria-live="polite">
      <DoButton doing={doing} act={async () => setCheck(await call(hostsApi.check, { params: { name } }))}>
        {T.hosts.check}
      </DoButton>
      {check === null ? null : <span class={check.ok ? 's-good' : 's-bad'}>{oneLine(check.detail)}</span>}
      {check === null || check.ok ? null : <p>{hostAdvice(check.detail)}</p>}
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
    </div>
  );
}

/** Shows the current keys of the host. A person compares a key before they trust it. */
function HostKeys({ host, done }: { readonly host: Host; readonly done: () => void }): JSX.Element {
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
        </>
      )}
    </div>
  );
}

/** A form for the command that runs on a host before each approved command. */
export function HostPrelude({ host, done }: { readonly host: Host; readonly done: () => void }): JSX.Element {
  return (
    <details class="wrote">
      <summary>{T.hosts.prelude}</summary>
      <RowForm
        key={`${host.prelude} ${host.rollback}`}
        title={T.hosts.setPrelude}
        draft={host.name}
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
