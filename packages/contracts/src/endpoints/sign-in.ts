import {
  AskDeviceToken,
  BeginDeviceLogin,
  DecideDevice,
  DeviceLogin,
  DeviceToken,
  UserCode,
  WaitingDevice,
} from '../device-login.js';
import { endpoint } from '../endpoint.js';
import { FetchSignIn, SignIn, SignInState } from '../sign-in.js';
import { CreateToken, NewToken, Token, TokenList, TokenName } from '../tokens.js';
import {
  AskWebDevice,
  BeginWebSession,
  SubscribePush,
  WebDeviceList,
  WebPush,
  WebSession,
  WebSignInState,
  WebSignIns,
} from '../web.js';
import * as z from 'zod';

const Id = z.uuid();
const TokenReference = z.union([z.uuid(), TokenName]);

export const signInApi = {
  begin: endpoint('POST /v1/sign-in', {
    scope: 'nothing',
    summary: 'Begin to sign in through the household’s provider',
    answer: SignIn,
  }),
  fetch: endpoint('POST /v1/sign-in/:id', {
    scope: 'nothing',
    summary: 'Fetch the token, once the person has confirmed',
    params: { id: Id },
    body: FetchSignIn,
    answer: SignInState,
  }),
};

export const deviceLoginApi = {
  begin: endpoint('POST /v1/device', {
    scope: 'nothing',
    summary: 'Ask to be let in by a code (RFC 8628)',
    body: BeginDeviceLogin,
    answer: DeviceLogin,
  }),
  token: endpoint('POST /v1/device/token', {
    scope: 'nothing',
    summary: 'Fetch the token, once somebody has said yes; given once',
    body: AskDeviceToken,
    answer: DeviceToken,
  }),
  find: endpoint('GET /v1/device/:code', {
    scope: 'admin',
    summary: 'The device that waits with this code',
    params: { code: UserCode },
    answer: WaitingDevice,
  }),
  decide: endpoint('POST /v1/device/:code/decide', {
    scope: 'admin',
    summary: 'Let a device in, or not',
    params: { code: UserCode },
    body: DecideDevice,
    answer: WaitingDevice,
  }),
};

export const tokensApi = {
  list: endpoint('GET /v1/tokens', {
    scope: 'admin',
    summary: 'Every token, newest first; never its secret',
    answer: TokenList,
  }),
  create: endpoint('POST /v1/tokens', {
    scope: 'admin',
    summary: 'Make a token; its secret is in this answer and nowhere else',
    body: CreateToken,
    answer: NewToken,
    status: 201,
  }),
  revoke: endpoint('DELETE /v1/tokens/:ref', {
    scope: 'admin',
    summary: 'Revoke a token by name or id; it is refused from now on',
    params: { ref: TokenReference },
    answer: Token,
  }),
};

export const webSessionApi = {
  signInsHere: endpoint('GET /v1/web/sign-ins', {
    scope: 'nothing',
    summary: 'How a browser may sign in',
    answer: WebSignIns,
  }),
  begin: endpoint('POST /v1/web/session', {
    scope: 'nothing',
    summary: 'Sign a browser in with a token, which is sent this once; sets a cookie',
    body: BeginWebSession,
    answer: WebSignInState,
  }),
  device: endpoint('POST /v1/web/device', {
    scope: 'nothing',
    summary: 'Ask for a code that somebody who is signed in lets this browser in with',
    answer: DeviceLogin,
  }),
  deviceSession: endpoint('POST /v1/web/device/session', {
    scope: 'nothing',
    summary: 'Sign the browser in, once somebody has said yes; sets a cookie',
    body: AskWebDevice,
    answer: WebSignInState,
  }),
  signIn: endpoint('POST /v1/web/sign-in', {
    scope: 'nothing',
    summary: 'Begin to sign a browser in through the household’s provider',
    answer: SignIn,
  }),
  signInSession: endpoint('POST /v1/web/sign-in/:id/session', {
    scope: 'nothing',
    summary: 'Sign the browser in, once the person has confirmed; sets a cookie',
    params: { id: Id },
    body: FetchSignIn,
    answer: WebSignInState,
  }),
  show: endpoint('GET /v1/web/session', {
    scope: 'any token',
    summary: 'Who is signed in, and what its pages prove themselves with',
    answer: WebSession,
  }),
  signOut: endpoint('DELETE /v1/web/session', {
    scope: 'any token',
    summary: 'Sign this browser out',
  }),
  devices: endpoint('GET /v1/web/devices', {
    scope: 'any token',
    summary: 'The browsers that this person is signed in with',
    answer: WebDeviceList,
  }),
  signOutEverywhere: endpoint('DELETE /v1/web/devices', {
    scope: 'any token',
    summary: 'Sign every browser of this person out, this one too',
  }),
  signOutOther: endpoint('DELETE /v1/web/devices/:id', {
    scope: 'any token',
    summary: 'Sign one browser of this person out',
    params: { id: Id },
  }),
};

export const webPushApi = {
  show: endpoint('GET /v1/web/push', {
    scope: 'observe',
    summary: 'Whether this browser gets notices, and what it subscribes with',
    answer: WebPush,
  }),
  subscribe: endpoint('PUT /v1/web/push', {
    scope: 'observe',
    summary: 'Send notices to this browser, until it is signed out',
    body: SubscribePush,
    answer: WebPush,
  }),
  unsubscribe: endpoint('DELETE /v1/web/push', {
    scope: 'observe',
    summary: 'Send no more notices to this browser',
  }),
};
