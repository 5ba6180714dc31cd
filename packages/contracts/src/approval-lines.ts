import type { Decision } from './decisions.js';

/** `2026-11-28 02:00 UTC`. */
function moment(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

/** What a person reads of who has let it run, who has to, and when it may. None where any one person may, now. */
export function approvalLines({ approval, state }: Pick<Decision, 'approval' | 'state'>): readonly string[] {
  if (approval === undefined || state !== 'pending') return [];
  const { needed, given, author, isOpen, opensAt, waitsUntil } = approval;
  const names = given.map(({ by, inWindow }) => `${by}${inWindow ? ' (in the window)' : ''}`).join(', ');
  return [
    ...(needed > 1 ? [`needs ${needed} people: ${given.length} of ${needed}${names === '' ? '' : `: ${names}`}`] : []),
    ...(author === null ? [] : [`not ${author}, who gave the goal`]),
    ...(waitsUntil === null
      ? []
      : [`runs when the change window opens: ${moment(waitsUntil)}, let through by ${names}`]),
    ...(waitsUntil === null && isOpen === true ? ['the change window is open'] : []),
    ...(waitsUntil === null && opensAt !== null ? [`the change window opens: ${moment(opensAt)}`] : []),
  ];
}

/** Whether it can be let through for a change window that is to come. */
export function canWaitForWindow({
  approval,
  difference,
  goalId,
}: Pick<Decision, 'approval' | 'difference' | 'goalId'>): boolean {
  return goalId !== null && difference === null && approval !== undefined && approval.opensAt !== null;
}

/** Whether somebody has let it run, and it has not. */
export function canTakeBack({ approval, state }: Pick<Decision, 'approval' | 'state'>): boolean {
  return state === 'pending' && (approval?.given.length ?? 0) > 0;
}
