import { SignIn, SignInState } from '@aish/contracts/sign-in';
import type { Transport } from './transport.js';

export function beginSignIn(transport: Transport, signal: AbortSignal): Promise<SignIn> {
  return transport.json(SignIn, { method: 'POST', path: '/v1/sign-in', withoutToken: true }, signal);
}

export function fetchSignIn(
  transport: Transport,
  id: string,
  secret: string,
  signal: AbortSignal,
): Promise<SignInState> {
  const path = `/v1/sign-in/${encodeURIComponent(id)}`;
  return transport.json(SignInState, { method: 'POST', path, body: { secret }, withoutToken: true }, signal);
}
