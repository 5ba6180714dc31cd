import { deviceLoginApi, messengersApi, webPushApi, webSessionApi } from '@aish/contracts/endpoints/sign-in';
import type { WaitingDevice } from '@aish/contracts/device-login';
import type { MessengerCode } from '@aish/contracts/messengers';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, who } from '../api.js';
import { CopyButton } from '../parts/copy-button.js';
import { DoButton } from '../parts/do-button.js';
import { Age, Card, Field, Screen, may } from '../parts/frame.js';
import { Loaded, Trouble, useDoing, useResource } from '../parts/resource.js';
import { canPush, startPush, stopPush } from '../push.js';
import { signOut } from '../sign-out.js';
import { useStore } from '../store.js';
import { T } from '../texts.js';
import { ServerSettings } from './server-settings.js';

export default function Settings(): JSX.Element {
  const session = useStore(who);
  const devices = useResource(webSessionApi.devices, {});
  const doing = useDoing();
  return (
    <Screen title={T.settings.title}>
      <Card title={T.settings.you}>
        <p>
          {session?.name} · {T.settings.roles.toLowerCase()} {session?.scopes.join(', ')} ·{' '}
          {T.settings.version.toLowerCase()} {session?.version}
        </p>
        <div class="actions">
          <button type="button" disabled={doing.isBusy} onClick={() => void doing.run(() => signOut('session'))}>
            {T.settings.signOut}
          </button>
        </div>
      </Card>
      <Card title={T.settings.devices}>
        <Loaded of={devices}>
          {({ items }) => (
            <ul class="rows">
              {items.map(({ id, name, isThis, createdAt, lastUsedAt }) => (
                <li key={id} class="row still">
                  <span class="row-main">
                    <span class="row-title">
                      {name} {isThis ? <strong class="s-good">{T.settings.thisOne}</strong> : null}
                    </span>
                    <span class="row-note">
                      <Age at={createdAt} />
                      {lastUsedAt === null ? null : (
                        <>
                          {' '}
                          · {T.settings.lastUsed} <Age at={lastUsedAt} />
                        </>
                      )}
                    </span>
                  </span>
                  {isThis ? null : (
                    <span class="row-side">
                      <DoButton
                        doing={doing}
                        act={async () => {
                          await call(webSessionApi.signOutOther, { params: { id } });
                          devices.reload();
                        }}
                      >
                        {T.settings.signOutOther}
                      </DoButton>
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
        {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
        <div class="actions">
          <button
            type="button"
            class="danger"
            disabled={doing.isBusy}
            onClick={() => void doing.run(() => signOut('devices'))}
          >
            {T.settings.everywhere}
          </button>
        </div>
      </Card>
      {may('observe') ? <Notifications /> : null}
      {may('decide') ? <Messenger /> : null}
      {may('admin') ? <LetIn /> : null}
      {may('admin') ? <ServerSettings /> : null}
    </Screen>
  );
}

/** Turns on notifications in this browser, even while no page is open. */
function Notifications(): JSX.Element {
  const push = useResource(webPushApi.show, {});
  const doing = useDoing();
  return (
    <Card title={T.settings.notifications}>
      <p class="s-dim">{canPush() ? T.settings.notificationsHelp : T.settings.notificationsOff}</p>
      {canPush() ? (
        <Loaded of={push}>
          {(state) => (
            <div class="actions">
              <DoButton
                doing={doing}
                act={async () => {
                  await (state.isOn ? stopPush() : startPush(state));
                  push.reload();
                }}
              >
                {state.isOn ? T.settings.notificationsEnd : T.settings.notificationsOn}
              </DoButton>
            </div>
          )}
        </Loaded>
      ) : null}
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
    </Card>
  );
}

/** Shows a code that binds the person's account of a messenger. */
function Messenger(): JSX.Element {
  const [shown, setShown] = useState<MessengerCode | null>(null);
  const doing = useDoing();
  return (
    <Card title={T.settings.messenger}>
      <p class="s-dim">{T.settings.messengerHelp}</p>
      {shown === null ? null : (
        <p>
          <strong class="mono">{shown.code}</strong> <CopyButton text={shown.code} what={T.settings.messengerCode} />
        </p>
      )}
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      <div class="actions">
        <DoButton doing={doing} act={async () => setShown(await call(messengersApi.code, {}))}>
          {T.settings.messengerShow}
        </DoButton>
      </div>
    </Card>
  );
}

/** Approves a device that shows a code: a terminal, or another browser. */
function LetIn(): JSX.Element {
  const [code, setCode] = useState('');
  const [device, setDevice] = useState<WaitingDevice | null>(null);
  const doing = useDoing();
  const params = { code: code.trim() };
  const decide = (approve: boolean): void =>
    void doing.run(async () => {
      await call(deviceLoginApi.decide, { params, body: { approve } });
      setDevice(null);
      setCode('');
    });
  return (
    <Card title={T.settings.letIn}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void doing.run(async () => setDevice(await call(deviceLoginApi.find, { params })));
        }}
      >
        <Field label={T.settings.code}>
          <input
            class="mono"
            required
            autoComplete="off"
            autoCapitalize="characters"
            placeholder="ABCD-EFGH"
            value={code}
            onInput={({ currentTarget }) => setCode(currentTarget.value)}
          />
        </Field>
        {device === null ? null : (
          <p>
            <strong>{device.name}</strong> · {device.address} · <Age at={device.createdAt} />
          </p>
        )}
        {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
        <div class="actions">
          {device === null ? (
            <button disabled={doing.isBusy}>{T.settings.look}</button>
          ) : (
            <>
              <button type="button" class="primary" disabled={doing.isBusy} onClick={() => decide(true)}>
                {T.settings.allow}
              </button>
              <button type="button" disabled={doing.isBusy} onClick={() => decide(false)}>
                {T.settings.refuse}
              </button>
            </>
          )}
        </div>
      </form>
    </Card>
  );
}
