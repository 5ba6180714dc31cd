import { createHash } from 'node:crypto';
import type { Decision, Verdict } from '@aish/contracts/decisions';
import { AishError } from '@aish/contracts/problems';
import { readLink, signLink } from '../notifications/decision-link.js';
import type { Place } from './messenger.js';

const LETTERS = { p: 'proceed', s: 'skip', a: 'abort' } as const;
/** Telegram's buttons carry at most 64 bytes. */
const TICKET = /^([psa])(\d{1,7})\.([\w-]{20,60})$/;

/**
 * Returns the ticket of a button. It is a decision link that works only for one verdict, from one account in one room,
 * and only while the decision is what the message shows. The first verdict uses it up, because a decision takes one.
 */
export function signTicket(
  key: Uint8Array,
  decision: Decision,
  verdict: Verdict,
  place: Place,
  now = new Date(),
): string | null {
  const letter = letterOf(verdict);
  if (letter === null) return null;
  const until = decision.expiresAt === null ? null : new Date(decision.expiresAt);
  const link = signLink(key, decision.id, place.channel, now, until, bindingOf(decision, letter, place));
  return `${letter}${decision.number}.${link}`;
}

/** Returns the number of the decision that a ticket names. The ticket may still be forged. */
export function numberIn(ticket: string): string | null {
  return TICKET.exec(ticket)?.[2] ?? null;
}

/** @throws AishError `link_invalid` if the ticket is forged, expired, from elsewhere, or shows another action */
export function checkTicket(
  key: Uint8Array,
  ticket: string,
  decision: Decision,
  place: Place,
  now = new Date(),
): 'proceed' | 'skip' | 'abort' {
  const [, letter = '', , link = ''] = TICKET.exec(ticket) ?? [];
  const { decisionId, channel } = readLink(key, link, now, bindingOf(decision, letter, place));
  if (decisionId !== decision.id || channel !== place.channel)
    throw new AishError('link_invalid', 'This button is for another decision');
  return LETTERS[letter as keyof typeof LETTERS];
}

function letterOf(verdict: Verdict): string | null {
  return Object.entries(LETTERS).find(([, each]) => each === verdict)?.[0] ?? null;
}

function bindingOf(decision: Decision, letter: string, { channel, account, room }: Place): string {
  const { kind, action, reason, executionContext, difference, binding, request, approval, version } = decision;
  const shown = JSON.stringify([
    [kind, action, reason, version ?? null],
    [executionContext, difference, binding, request, approval ?? null],
  ]);
  return JSON.stringify([letter, channel, account, room, createHash('sha256').update(shown).digest('hex')]);
}
