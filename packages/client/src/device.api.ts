import { DEVICE_GRANT, DeviceLogin, DeviceToken, WaitingDevice, type DecideDevice } from '@aish/contracts/device-login';
import type { Transport } from './transport.js';

const devicePath = (code: string): string => `/v1/device/${encodeURIComponent(code)}`;

export function beginDeviceLogin(transport: Transport, name: string, signal: AbortSignal): Promise<DeviceLogin> {
  const request = { method: 'POST', path: '/v1/device', body: { name }, withoutToken: true } as const;
  return transport.json(DeviceLogin, request, signal);
}

export function askDeviceToken(transport: Transport, deviceCode: string, signal: AbortSignal): Promise<DeviceToken> {
  const body = { grant_type: DEVICE_GRANT, device_code: deviceCode };
  return transport.json(DeviceToken, { method: 'POST', path: '/v1/device/token', body, withoutToken: true }, signal);
}

export function findDevice(transport: Transport, code: string, signal: AbortSignal): Promise<WaitingDevice> {
  return transport.json(WaitingDevice, { path: devicePath(code) }, signal);
}

export function decideDevice(
  transport: Transport,
  code: string,
  body: DecideDevice,
  signal: AbortSignal,
): Promise<WaitingDevice> {
  return transport.json(WaitingDevice, { method: 'POST', path: `${devicePath(code)}/decide`, body }, signal);
}
