import { TOOL_UNKNOWN, type Classification } from '@aish/contracts/safety';
import { isAddress, outwardCall, type Outward } from './outward-call.js';
import { outwardCommand } from './outward-command.js';
import { originOf, type AddressOrigin, type SessionWords } from './address-origin.js';

/** The rule of what leaves the house for somebody whom the person has not named. Nothing of it can be granted by rule. */
export const OUTWARD = 'outward.address';

/** Whether an action carries anything to somebody else: only then it matters who named the receiver. Pure. */
export const isOutward = (action: OutwardAction): boolean => outwardOf(action).length > 0;

export type OutwardAction =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'tool'; readonly name: string; readonly args: Readonly<Record<string, unknown>> };

/**
 * What speaks against sending, paying, publishing, sharing, inviting or posting: a destination that the person did
 * not name, or refused. Money goes nowhere that the person has not named. Anything else may also go to an address that stands in a field of
 * a record; never to one out of running text, which whoever wrote that chose. Null when nothing does. Pure.
 */
export function judgeOutward(action: OutwardAction, words: SessionWords): Classification | null {
  for (const outward of outwardOf(action)) {
    const reason = objection(outward, words, action.kind);
    if (reason !== null) return { verdict: 'unknown', reason, ruleId: OUTWARD, span: null, by: 'rule' };
  }
  return null;
}

/** What the rules found; about what would run otherwise, also what speaks against where it sends something. Pure. */
export function withOutward(found: Classification, action: OutwardAction, words: SessionWords): Classification {
  const isOpen = found.verdict === 'safe' || found.ruleId === TOOL_UNKNOWN;
  return (isOpen ? judgeOutward(action, words) : null) ?? found;
}

const outwardOf = (action: OutwardAction): readonly Outward[] => {
  if (action.kind === 'command') return outwardCommand(action.command);
  const outward = outwardCall(action.name, action.args);
  return outward === null ? [] : [outward];
};

function objection({ way, to, mentions }: Outward, words: SessionWords, kind: OutwardAction['kind']): string | null {
  for (const address of to) {
    if (way === 'send' && !isAddress(address)) continue;
    const origin = originOf(address, words);
    if (origin.kind === 'person' || (way === 'send' && origin.kind === 'record')) continue;
    // An admin opened what commands reach: there only an address that was read or refused matters.
    if (kind === 'command' && origin.kind !== 'text' && origin.kind !== 'refused') continue;
    return way === 'pay'
      ? `it commits money or a booking to ${address}, ${told(origin)}`
      : `it sends something to ${address}, ${told(origin)}`;
  }
  for (const address of mentions) {
    const origin = originOf(address, words);
    if (origin.kind === 'text' || origin.kind === 'refused') return `it passes on ${address}, ${told(origin)}`;
  }
  return null;
}

function told({ from, kind }: AddressOrigin): string {
  if (kind === 'refused') return 'which you refused';
  return kind === 'nowhere' ? 'which you did not name' : `which you did not name: it stood in what ${from} brought`;
}
