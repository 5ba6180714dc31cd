import { NetworkConnectionList, NetworkPolicy, type NetworkPolicyInput } from '@aish/contracts/network';
import { SessionSandbox } from '@aish/contracts/sandboxes';
import type { Transport } from './transport.js';

const at = (sessionId: string, what: string): string => `/v1/sessions/${sessionId}/${what}`;

export function sessionSandbox(transport: Transport, sessionId: string, signal?: AbortSignal): Promise<SessionSandbox> {
  return transport.json(SessionSandbox, { path: at(sessionId, 'sandbox') }, signal);
}

export function setCarryOver(
  transport: Transport,
  sessionId: string,
  carryOver: boolean,
  signal?: AbortSignal,
): Promise<SessionSandbox> {
  return transport.json(SessionSandbox, { method: 'PUT', path: at(sessionId, 'sandbox'), body: { carryOver } }, signal);
}

export function networkPolicy(transport: Transport, sessionId: string, signal?: AbortSignal): Promise<NetworkPolicy> {
  return transport.json(NetworkPolicy, { path: at(sessionId, 'network') }, signal);
}

export function setNetworkPolicy(
  transport: Transport,
  sessionId: string,
  policy: NetworkPolicyInput,
  signal?: AbortSignal,
): Promise<NetworkPolicy> {
  return transport.json(NetworkPolicy, { method: 'PUT', path: at(sessionId, 'network'), body: policy }, signal);
}

export function networkConnections(
  transport: Transport,
  sessionId: string,
  signal?: AbortSignal,
): Promise<NetworkConnectionList> {
  return transport.json(NetworkConnectionList, { path: at(sessionId, 'network/connections') }, signal);
}
