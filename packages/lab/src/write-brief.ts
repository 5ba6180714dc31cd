import type { Finding } from './findings.js';

const LINES_MAX = 12;

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

/** Lines of a model that name a finding, 12 at most. What names none, or one that is not there, is left out. */
export function checkSentences(lines: readonly string[], all: readonly Pick<Finding, 'id'>[]): readonly string[] {
  const ids = new Set(all.map(({ id }) => id));
  return lines
    .map((line) => line.trim())
    .filter((line) => {
      const named = line.match(/\b[a-z]+-[a-z0-9][a-z0-9._-]*-\d{1,6}\b/g) ?? [];
      return named.length > 0 && named.every((id) => ids.has(id));
    })
    .slice(0, LINES_MAX);
}
