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
import { MessengerCode } from '../messengers.js';
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
    summary: 'Start a sign-in through the OIDC provider',
    answer: SignIn,
    problems: ['sign_in_off', 'sign_in_failed', 'authorization_pending'],
  }),
  fetch: endpoint('POST /v1/sign-in/:id', {
    scope: 'nothing',
    summary: 'Fetch the token after the person has confirmed',
    params: { id: Id },
    body: FetchSignIn,
    answer: SignInState,
    problems: ['sign_in_off', 'sign_in_failed', 'authorization_pending'],
  }),
};

export const deviceLoginApi = {
  begin: endpoint('POST /v1/device', {
    scope: 'nothing',
    summary: 'Start a sign-in with a code (RFC 8628)',
    body: BeginDeviceLogin,
    answer: DeviceLogin,
    problems: ['sign_in_off'],
  }),
  token: endpoint('POST /v1/device/token', {
    scope: 'nothing',
    summary: 'Fetch the token after an approval; it is given only once',
    body: AskDeviceToken,
    answer: DeviceToken,
    problems: ['authorization_pending', 'slow_down', 'access_denied', 'expired_token'],
  }),
  find: endpoint('GET /v1/device/:code', {
    scope: 'admin',
    summary: 'Show the device that waits with this code',
    params: { code: UserCode },
    answer: WaitingDevice,
  }),
  decide: endpoint('POST /v1/device/:code/decide', {
    scope: 'admin',
    summary: 'Approve or reject a device',
    params: { code: UserCode },
    body: DecideDevice,
    answer: WaitingDevice,
    problems: ['name_taken'],
  }),
};

export const messengersApi = {
  code: endpoint('POST /v1/messengers/code', {
    scope: 'decide',
    summary: 'Get a code that binds the messenger account that sends it to the bot',
    answer: MessengerCode,
    problems: ['messengers_off'],
  }),
};

export const tokensApi = {
  list: endpoint('GET /v1/tokens', {
    scope: 'admin',
    summary: 'List tokens, newest first, without their secrets',
    answer: TokenList,
  }),
  create: endpoint('POST /v1/tokens', {
    scope: 'admin',
    summary: 'Create a token; only this answer contains its secret',
    body: CreateToken,
    answer: NewToken,
    status: 201,
    problems: ['name_taken'],
  }),
  revoke: endpoint('DELETE /v1/tokens/:ref', {
    scope: 'admin',
    summary: 'Revoke a token by name or ID',
    params: { ref: TokenReference },
    answer: Token,
    problems: ['last_admin'],
  }),
};

export const webSessionApi = {
  signInsHere: endpoint('GET /v1/web/sign-ins', {
    scope: 'nothing',
    summary: 'List the ways in which a browser can sign in',
    answer: WebSignIns,
  }),
  begin: endpoint('POST /v1/web/session', {
    scope: 'nothing',
    summary: 'Sign a browser in with a token, which is sent only this once; sets a cookie',
    body: BeginWebSession,
    answer: WebSignInState,
  }),
  device: endpoint('POST /v1/web/device', {
    scope: 'nothing',
    summary: 'Request a code with which a signed-in person can approve this browser',
    answer: DeviceLogin,
    problems: ['authorization_pending', 'slow_down', 'access_denied', 'expired_token'],
  }),
  deviceSession: endpoint('POST /v1/web/device/session', {
    scope: 'nothing',
    summary: 'Sign the browser in after an approval; sets a cookie',
    body: AskWebDevice,
    answer: WebSignInState,
    problems: ['authorization_pending', 'slow_down', 'access_denied', 'expired_token'],
  }),
  signIn: endpoint('POST /v1/web/sign-in', {
    scope: 'nothing',
    summary: 'Start a browser’s sign-in through the OIDC provider',
    answer: SignIn,
    problems: ['sign_in_off', 'sign_in_failed', 'authorization_pending'],
  }),
  signInSession: endpoint('POST /v1/web/sign-in/:id/session', {
    scope: 'nothing',
    summary: 'Sign the browser in after the person has confirmed; sets a cookie',
    params: { id: Id },
    body: FetchSignIn,
    answer: WebSignInState,
    problems: ['sign_in_off', 'sign_in_failed', 'authorization_pending'],
  }),
  show: endpoint('GET /v1/web/session', {
    scope: 'any token',
    summary: 'Show who is signed in, with the CSRF token for this browser’s requests',
    answer: WebSession,
  }),
  signOut: endpoint('DELETE /v1/web/session', {
    scope: 'any token',
    summary: 'Sign this browser out',
  }),
  devices: endpoint('GET /v1/web/devices', {
    scope: 'any token',
    summary: 'List the browsers in which this person is signed in',
    answer: WebDeviceList,
  }),
  signOutEverywhere: endpoint('DELETE /v1/web/devices', {
    scope: 'any token',
    summary: 'Sign this person out of every browser, this one included',
  }),
  signOutOther: endpoint('DELETE /v1/web/devices/:id', {
    scope: 'any token',
    summary: 'Sign this person out of one browser',
    params: { id: Id },
  }),
};

export const webPushApi = {
  show: endpoint('GET /v1/web/push', {
    scope: 'observe',
    summary: 'Show whether this browser gets notifications, and the key to subscribe with',
    answer: WebPush,
  }),
  subscribe: endpoint('PUT /v1/web/push', {
    scope: 'observe',
    summary: 'Send notifications to this browser until it is signed out',
    body: SubscribePush,
    answer: WebPush,
    problems: ['notification_refused'],
  }),
  unsubscribe: endpoint('DELETE /v1/web/push', {
    scope: 'observe',
    summary: 'Stop sending notifications to this browser',
  }),
};
