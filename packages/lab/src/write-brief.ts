import { plural } from '@aish/contracts/plural';
import type { Snapshot } from './facts.js';
import type { Finding } from './findings.js';

/** Names the probes of a host that were ended early: "disk, smart (no answer within 10 s)". Empty if there are none. */
export function unknownOf({ answered, readings }: Snapshot): string {
  const cut = answered ? readings.filter((reading) => reading.cut) : [];
  if (cut.length === 0) return '';
  const reasons = new Set(cut.flatMap(({ skipped }) => skipped.at(-1) ?? []));
  const why = reasons.size === 0 ? '' : ` (${[...reasons].join('; ')})`;
  return `${cut.map(({ probe }) => probe).join(', ')}${why}`;
}

/**
 * A brief without a model: one line for each finding that is not muted, most urgent first, and for each host that did not
 * say everything.
 */
export function writeBrief(
  all: readonly Finding[],
  hosts: number,
  newest: readonly Snapshot[] = [],
): readonly string[] {
  const open = all.filter(({ muted }) => !muted);
  const muted = all.length - open.length;
  const also = muted === 0 ? '' : ` ${plural(muted, 'is', 'are')} muted.`;
  const looked = plural(hosts, 'host');
  const unknown = newest.flatMap((snapshot) => {
    const what = unknownOf(snapshot);
    return what === '' ? [] : [`Not known of ${snapshot.host}: ${what}`];
  });
  if (open.length === 0) return [`Looked at ${looked}, all quiet.${also}`, ...unknown];
  const days = (finding: Finding) => `since ${finding.firstSeen.toISOString().slice(0, 10)}`;
  return [
    `${plural(open.length, 'thing needs', 'things need')} your attention on ${looked}.${also}`,
    ...open.map((finding) => `${finding.id}: ${finding.sentence} (${days(finding)})`),
    ...unknown,
  ];
}
