import { endpoint } from '../endpoint.js';
import { DeviceLogin } from '../device-login.js';
import { FetchSignIn, SignIn } from '../sign-in.js';
import { AskWebDevice, BeginWebSession, WebDeviceList, WebSession, WebSignInState, WebSignIns } from '../web.js';
import { z } from 'zod';

const Id = z.uuid();

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
