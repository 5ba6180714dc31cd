import { Reference } from '@aish/contracts';
import { InvalidArgumentError } from 'commander';

/** `4` or a UUID: a goal. */
export function goalReference(text: string): string {
  if (Reference.safeParse(text).success) return text;
  throw new InvalidArgumentError('A goal is named by its number (4) or its UUID.');
}

/** `4` or a UUID: a goal; `c-12`: the session with that number, as chats are. */
export function workplaceReference(text: string): string {
  if (/^c-[1-9]\d{0,8}$/i.test(text) || Reference.safeParse(text).success) return text;
  throw new InvalidArgumentError(
    'A goal is named by its number (4), a chat by that of its session (c-12), both by UUIDs.',
  );
}

/** `d-17`, `17` or a UUID: a decision. */
export function decisionReference(text: string): string {
  const reference = text.replace(/^d-(?=\d)/i, '');
  if (Reference.safeParse(reference).success) return reference;
  throw new InvalidArgumentError('A decision is named by its number (d-17 or 17) or its UUID.');
}

/** `s-2`, `2` or a UUID: a schedule. */
export function scheduleReference(text: string): string {
  const reference = text.replace(/^s-(?=\d)/i, '');
  if (Reference.safeParse(reference).success) return reference;
  throw new InvalidArgumentError('A schedule is named by its number (s-2 or 2) or its UUID.');
}

/** Either of them; only `d-…` is a decision. */
export function anyReference(text: string): { readonly type: 'goal' | 'decision'; readonly reference: string } {
  if (/^d-/i.test(text)) return { type: 'decision', reference: decisionReference(text) };
  return { type: 'goal', reference: goalReference(text) };
}
