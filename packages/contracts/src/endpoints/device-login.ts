import { endpoint } from '../endpoint.js';
import {
  AskDeviceToken,
  BeginDeviceLogin,
  DecideDevice,
  DeviceLogin,
  DeviceToken,
  UserCode,
  WaitingDevice,
} from '../device-login.js';

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
