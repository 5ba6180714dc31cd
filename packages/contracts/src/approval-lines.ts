import type { Decision } from './decisions.js';

/** Formats a time in UTC, for example `2026-11-28 02:00 UTC`. */
function moment(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

/**
 * Tells a person who has approved the action, who still has to, and when it may run. Empty if any one person may
 * approve it now.
 */
export function approvalLines({ approval, state }: Pick<Decision, 'approval' | 'state'>): readonly string[] {
  if (approval === undefined || state !== 'pending') return [];
  const { needed, given, author, isOpen, opensAt, waitsUntil } = approval;
  const names = given.map(({ by, inWindow }) => `${by}${inWindow ? ' (in the window)' : ''}`).join(', ');
  return [
    ...(needed > 1 ? [`needs ${needed} people: ${given.length} of ${needed}${names === '' ? '' : `: ${names}`}`] : []),
    ...(author === null ? [] : [`not ${author}, who gave the goal`]),
    ...(waitsUntil === null ? [] : [`runs when the change window opens: ${moment(waitsUntil)}, approved by ${names}`]),
    ...(waitsUntil === null && isOpen === true ? ['the change window is open'] : []),
    ...(waitsUntil === null && opensAt !== null ? [`the change window opens: ${moment(opensAt)}`] : []),
  ];
}

/** Whether the decision can be approved for a future change window. */
export function canWaitForWindow({
  approval,
  difference,
  goalId,
}: Pick<Decision, 'approval' | 'difference' | 'goalId'>): boolean {
  return goalId !== null && difference === null && approval !== undefined && approval.opensAt !== null;
}

/** Whether somebody has approved the action and it has not run yet. */
export function canTakeBack({ approval, state }: Pick<Decision, 'approval' | 'state'>): boolean {
  return state === 'pending' && (approval?.given.length ?? 0) > 0;
}
