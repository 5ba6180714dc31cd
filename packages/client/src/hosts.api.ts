import {
  Host,
  HostCheck,
  HostCommandList,
  HostList,
  SeenHost,
  type AddHost,
  type SetPrelude,
  type TrustHost,
} from '@aish/contracts/hosts';
import type { z } from 'zod';
import type { Transport } from './transport.js';

export function listHosts(transport: Transport, signal?: AbortSignal): Promise<HostList> {
  return transport.json(HostList, { path: '/v1/hosts' }, signal);
}

export function addHost(transport: Transport, body: z.input<typeof AddHost>, signal?: AbortSignal): Promise<SeenHost> {
  return transport.json(SeenHost, { method: 'POST', path: '/v1/hosts', body }, signal);
}

export function seeHost(transport: Transport, name: string, signal?: AbortSignal): Promise<SeenHost> {
  return transport.json(SeenHost, { path: `${pathOf(name)}/keys` }, signal);
}

export function trustHost(transport: Transport, name: string, body: TrustHost, signal?: AbortSignal): Promise<Host> {
  return transport.json(Host, { method: 'POST', path: `${pathOf(name)}/trust`, body }, signal);
}

export function setHostPrelude(
  transport: Transport,
  name: string,
  body: SetPrelude,
  signal?: AbortSignal,
): Promise<Host> {
  return transport.json(Host, { method: 'PUT', path: `${pathOf(name)}/prelude`, body }, signal);
}

export function checkHost(transport: Transport, name: string, signal?: AbortSignal): Promise<HostCheck> {
  return transport.json(HostCheck, { method: 'POST', path: `${pathOf(name)}/check` }, signal);
}

/** What was asked for there, newest first. */
export function hostCommands(transport: Transport, name: string, signal?: AbortSignal): Promise<HostCommandList> {
  return transport.json(HostCommandList, { path: `${pathOf(name)}/commands` }, signal);
}

export function removeHost(transport: Transport, name: string, signal?: AbortSignal): Promise<Host> {
  return transport.json(Host, { method: 'DELETE', path: pathOf(name) }, signal);
}

function pathOf(name: string): string {
  return `/v1/hosts/${encodeURIComponent(name)}`;
}
