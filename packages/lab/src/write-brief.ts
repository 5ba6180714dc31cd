import type { Finding } from './findings.js';

/** A brief without a model: a line for each finding that nobody muted, the most urgent first. */
export function writeBrief(all: readonly Finding[], hosts: number): readonly string[] {
  const open = all.filter(({ muted }) => !muted);
  const muted = all.length - open.length;
  const also = muted === 0 ? '' : ` ${muted} ${muted === 1 ? 'is' : 'are'} muted.`;
  const looked = `${hosts} ${hosts === 1 ? 'host' : 'hosts'}`;
  if (open.length === 0) return [`Looked at ${looked}, all quiet.${also}`];
  const days = (finding: Finding) => `since ${finding.firstSeen.toISOString().slice(0, 10)}`;
  return [
    `${open.length} ${open.length === 1 ? 'thing needs' : 'things need'} your eyes on ${looked}.${also}`,
    ...open.map((finding) => `${finding.id}: ${finding.sentence} (${days(finding)})`),
  ];
}
