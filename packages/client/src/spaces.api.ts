import { Space, SpaceList, type SetSpace } from '@aish/contracts/spaces';
import type { z } from 'zod';
import type { Transport } from './transport.js';

export function listSpaces(transport: Transport, signal?: AbortSignal): Promise<SpaceList> {
  return transport.json(SpaceList, { path: '/v1/spaces' }, signal);
}

export function showSpace(transport: Transport, name: string, signal?: AbortSignal): Promise<Space> {
  return transport.json(Space, { path: pathOf(name) }, signal);
}

export function setSpace(
  transport: Transport,
  name: string,
  body: z.input<typeof SetSpace>,
  signal?: AbortSignal,
): Promise<Space> {
  return transport.json(Space, { method: 'PATCH', path: pathOf(name), body }, signal);
}

export function removeSpace(transport: Transport, name: string, signal?: AbortSignal): Promise<Space> {
  return transport.json(Space, { method: 'DELETE', path: pathOf(name) }, signal);
}

function pathOf(name: string): string {
  return `/v1/spaces/${encodeURIComponent(name)}`;
}
