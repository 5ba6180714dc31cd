import { webSessionApi } from '@aish/contracts/endpoints/sign-in';
import type { DeviceLogin } from '@aish/contracts/device-login';
import type { SignIn as ProviderSignIn } from '@aish/contracts/sign-in';
import type { WebSignInState } from '@aish/contracts/web';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call, lookWho, wordsOf } from '../api.js';
import { Field } from '../parts/frame.js';
import { Trouble, useDoing, useResource } from '../parts/resource.js';
import { T } from '../texts.js';

type Way = 'token' | 'code' | 'provider';

export function SignIn(): JSX.Element {
  const [way, setWay] = useState<Way>('token');
  const ways = useResource(webSessionApi.signInsHere, {});
  return (
    <main class="sign-in" id="main">
      <h1>
        <span class="brand" aria-hidden="true">
          ›
        </span>{' '}
        {T.app}
      </h1>
      <p class="s-dim">{T.signIn.lead}</p>
      {way === 'token' ? <WithToken /> : way === 'code' ? <WithCode /> : <WithProvider />}
      <div class="actions">
        {way === 'token' ? (
          <>
            <button type="button" class="quiet" onClick={() => setWay('code')}>
              {T.signIn.withCode}
            </button>
            {ways.data?.oidc === true ? (
              <button type="button" class="quiet" onClick={() => setWay('provider')}>
                {T.signIn.withProvider}
              </button>
            ) : null}
          </>
        ) : (
          <button type="button" class="quiet" onClick={() => setWay('token')}>
            {T.signIn.back}
          </button>
        )}
      </div>
    </main>
  );
}

function WithToken(): JSX.Element {
  const [token, setToken] = useState('');
  const doing = useDoing();
  return (
    <form
      class="form card"
      onSubmit={(event) => {
        event.preventDefault();
        void doing.run(async () => {
          // npm start prints the path of the file, and no token has a slash.
          if (token.includes('/')) throw new Error(T.signIn.isPath);
          await call(webSessionApi.begin, { body: { token } });
          setToken('');
          await lookWho();
        });
      }}
    >
      <Field label={T.signIn.token} help={T.signIn.tokenHelp}>
        <input
          type="password"
          class="mono"
          required
          autoComplete="off"
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
      </Field>
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      <button class="primary" disabled={doing.isBusy}>
        {T.signIn.withToken}
      </button>
    </form>
  );
}

/** Polls until someone has approved or rejected the sign-in. */
function useWaiting(ask: (() => Promise<WebSignInState>) | null, everyMs: number): string | null {
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    if (ask === null) return;
    const timer = setInterval(() => {
      ask()
        .then(({ state }) => (state === 'done' ? lookWho() : undefined))
        .catch((error: unknown) => {
          clearInterval(timer);
          setTrouble(wordsOf(error));
        });
    }, everyMs);
    return () => clearInterval(timer);
  }, [ask === null]);
  return trouble;
}

function WithCode(): JSX.Element {
  const [login, setLogin] = useState<DeviceLogin | null>(null);
  const doing = useDoing();
  useEffect(() => void doing.run(async () => setLogin(await call(webSessionApi.device, {}))), []);
  const trouble = useWaiting(
    login === null ? null : () => call(webSessionApi.deviceSession, { body: { deviceCode: login.device_code } }),
    (login?.interval ?? 5) * 1000 + 200,
  );
  return (
    <div class="card">
      <h2>{T.signIn.codeTitle}</h2>
      <p>{T.signIn.codeHelp}</p>
      <pre class="exact">aish token approve {login?.user_code ?? '…'}</pre>
      <p class="s-dim" role="status">
        {trouble === null ? T.signIn.codeWaits : null}
      </p>
      {trouble === null && doing.trouble === null ? null : <Trouble>{trouble ?? doing.trouble}</Trouble>}
    </div>
  );
}

function WithProvider(): JSX.Element {
  const [begun, setBegun] = useState<ProviderSignIn | null>(null);
  const doing = useDoing();
  useEffect(() => void doing.run(async () => setBegun(await call(webSessionApi.signIn, {}))), []);
  const trouble = useWaiting(
    begun === null
      ? null
      : () => call(webSessionApi.signInSession, { params: { id: begun.id }, body: { secret: begun.secret } }),
    2_000,
  );
  return (
    <div class="card">
      <p>{T.signIn.providerHelp}</p>
      <pre class="exact">{begun?.code ?? '…'}</pre>
      {begun === null || !/^https?:/.test(begun.url) ? null : (
        <a class="button primary" href={begun.url} target="_blank" rel="noopener noreferrer">
          {T.signIn.openProvider}
        </a>
      )}
      {trouble === null && doing.trouble === null ? null : <Trouble>{trouble ?? doing.trouble}</Trouble>}
    </div>
  );
}
