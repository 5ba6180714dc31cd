import type { Classification } from '@aish/contracts/safety';
import { isAddress, outwardCall, type Outward } from './outward-call.js';
import { outwardCommand } from './outward-command.js';
import { provenanceOf, type Heard, type Provenance } from './provenance.js';

/** The rule of what leaves the house for somebody whom the person has not named. Nothing of it can be granted by rule. */
export const OUTWARD = 'outward.address';

/** Whether an action carries anything to somebody else: only then it matters what the session has heard. Pure. */
export const isOutward = (action: OutwardAction): boolean => outwardOf(action).length > 0;

export type OutwardAction =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'tool'; readonly name: string; readonly args: Readonly<Record<string, unknown>> };

/**
 * What speaks against sending, paying, publishing, sharing, inviting or posting: a destination that did not come from the
 * person. Money goes nowhere that the person has not named. Anything else may also go to an address that stands in a field of
 * a record; never to one out of running text, which whoever wrote that chose. Null when nothing does. Pure.
 */
export function judgeOutward(action: OutwardAction, heard: Heard): Classification | null {
  for (const outward of outwardOf(action)) {
    const reason = objection(outward, heard, action.kind);
    if (reason !== null) return { verdict: 'unknown', reason, ruleId: OUTWARD, span: null, by: 'rule' };
  }
  return null;
}

const outwardOf = (action: OutwardAction): readonly Outward[] => {
  if (action.kind === 'command') return outwardCommand(action.command);
  const outward = outwardCall(action.name, action.args);
  return outward === null ? [] : [outward];
};

function objection({ way, to, mentions }: Outward, heard: Heard, kind: OutwardAction['kind']): string | null {
  for (const address of to) {
    if (way === 'send' && !isAddress(address)) continue;
    const provenance = provenanceOf(address, heard);
    if (provenance.kind === 'person' || (way === 'send' && provenance.kind === 'record')) continue;
    // What commands reach was opened by an admin: there only an address that was read is news.
    if (kind === 'command' && provenance.kind !== 'text') continue;
    return way === 'pay'
      ? `it commits money or a booking to ${address}, ${told(provenance)}`
      : `it sends something to ${address}, ${told(provenance)}`;
  }
  for (const address of mentions) {
    const provenance = provenanceOf(address, heard);
    if (provenance.kind === 'text') return `it passes on ${address}, ${told(provenance)}`;
  }
  return null;
}

function told({ from, kind }: Provenance): string {
  return kind === 'nowhere' ? 'which you did not name' : `which you did not name: it stood in what ${from} brought`;
}
