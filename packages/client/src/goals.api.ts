import { Digest } from '@aish/contracts/digest';
import { Decision, type GiveVerdict } from '@aish/contracts/decisions';
import { Goal, type EditGoal } from '@aish/contracts/goals';
import { Grant, GrantList } from '@aish/contracts/grants';
import { Schedule, ScheduleList, type CreateSchedule } from '@aish/contracts/schedules';
import type { z } from 'zod';
import type { Transport } from './transport.js';

const goalPath = (reference: string, rest = ''): string => `/v1/goals/${encodeURIComponent(reference)}${rest}`;

export function pauseGoal(
  transport: Transport,
  reference: string,
  { stop }: { readonly stop: boolean },
  signal?: AbortSignal,
): Promise<Goal> {
  const path = goalPath(reference, stop ? '/pause?stop=true' : '/pause');
  return transport.json(Goal, { method: 'POST', path }, signal);
}

export function resumeGoal(transport: Transport, reference: string, signal?: AbortSignal): Promise<Goal> {
  return transport.json(Goal, { method: 'POST', path: goalPath(reference, '/resume') }, signal);
}

export function archiveGoal(
  transport: Transport,
  reference: string,
  archived: boolean,
  signal?: AbortSignal,
): Promise<Goal> {
  const path = goalPath(reference, archived ? '/archive' : '/unarchive');
  return transport.json(Goal, { method: 'POST', path }, signal);
}

/** Deletes a goal that has ended, with its record and its workspace. */
export async function deleteGoal(transport: Transport, reference: string, signal?: AbortSignal): Promise<void> {
  await transport.text({ method: 'DELETE', path: goalPath(reference) }, signal);
}

export function continueGoal(
  transport: Transport,
  reference: string,
  body: { readonly steps?: number; readonly message?: string },
  signal?: AbortSignal,
): Promise<Goal> {
  return transport.json(Goal, { method: 'POST', path: goalPath(reference, '/continue'), body }, signal);
}

export function editGoal(transport: Transport, reference: string, body: EditGoal, signal?: AbortSignal): Promise<Goal> {
  return transport.json(Goal, { method: 'PATCH', path: goalPath(reference), body }, signal);
}

/** Of a goal, or of a chat: `c-12`. */
function grantsPath(reference: string): string {
  return reference.startsWith('c-')
    ? `/v1/sessions/${encodeURIComponent(reference)}/command-grants`
    : goalPath(reference, '/grants');
}

export function listGrants(transport: Transport, reference: string, signal?: AbortSignal): Promise<GrantList> {
  return transport.json(GrantList, { path: grantsPath(reference) }, signal);
}

export function revokeGrant(
  transport: Transport,
  reference: string,
  grantId: string,
  signal?: AbortSignal,
): Promise<Grant> {
  const path = `${grantsPath(reference)}/${encodeURIComponent(grantId)}`;
  return transport.json(Grant, { method: 'DELETE', path }, signal);
}

/** The whole story as the api writes it, Markdown or JSON. */
export function exportGoal(
  transport: Transport,
  reference: string,
  format: 'json' | 'md',
  signal?: AbortSignal,
): Promise<string> {
  return transport.text({ path: goalPath(reference, `/export?format=${format}`) }, signal);
}

/** Any verdict, with all that belongs to it. */
export function giveVerdict(
  transport: Transport,
  reference: string,
  body: GiveVerdict,
  signal?: AbortSignal,
): Promise<Decision> {
  const path = `/v1/decisions/${encodeURIComponent(reference)}/verdict`;
  return transport.json(Decision, { method: 'POST', path, body }, signal);
}

/** Takes back what waits for another person, or for the change window. */
export function takeBackVerdict(transport: Transport, reference: string, signal?: AbortSignal): Promise<Decision> {
  const path = `/v1/decisions/${encodeURIComponent(reference)}/verdict`;
  return transport.json(Decision, { method: 'DELETE', path }, signal);
}

export function createSchedule(
  transport: Transport,
  body: z.input<typeof CreateSchedule>,
  signal?: AbortSignal,
): Promise<Schedule> {
  return transport.json(Schedule, { method: 'POST', path: '/v1/schedules', body }, signal);
}

export function listSchedules(transport: Transport, signal?: AbortSignal): Promise<ScheduleList> {
  return transport.json(ScheduleList, { path: '/v1/schedules' }, signal);
}

export function deleteSchedule(transport: Transport, reference: string, signal?: AbortSignal): Promise<Schedule> {
  const path = `/v1/schedules/${encodeURIComponent(reference)}`;
  return transport.json(Schedule, { method: 'DELETE', path }, signal);
}

export function showDigest(transport: Transport, days: number, signal?: AbortSignal): Promise<Digest> {
  return transport.json(Digest, { path: `/v1/digest?days=${days}` }, signal);
}

/** A verdict for what a person was shown: refused as `decision_changed` where that is another decision by now. */
export function forShown({ version }: Pick<Decision, 'version'>, given: GiveVerdict): GiveVerdict {
  return version === undefined ? given : { ...given, version };
}
