import type { LikelySecret, MemoryCandidate, MemoryItem, MemoryHistory, NearDuplicate } from '@aish/contracts/memory';
import { line, span, type Line } from './line.js';
import { cleanText, oneLine } from './sanitise.js';
import { formatAge, formatMoment } from './duration.format.js';

/** The origin of an item in a few words; empty for an item that a person typed. */
export const ORIGIN_WORDS: Readonly<Record<MemoryItem['origin'], string>> = {
  typed: '',
  person: 'proposed from what you said',
  output: 'proposed from output, not from what you said',
  imported: 'imported',
};

/** Formats an item as one line of a list. */
export function itemLine(item: MemoryItem, nowMs: number): Line {
  const tags = item.tags.map((tag) => ` #${oneLine(tag)}`).join('');
  const notes = [ORIGIN_WORDS[item.origin], item.forgottenBy === null ? '' : 'forgotten'].filter((note) => note !== '');
  return [
    span(`${String(item.number).padStart(5)}  `, 'bold'),
    span(`${formatAge(item.at, nowMs).padStart(4)}  ${item.kind.padEnd(7)}  `, 'dim'),
    span(oneLine(item.content)),
    span(tags, 'accent'),
    span(notes.length === 0 ? '' : `  (${notes.join('; ')})`, item.origin === 'output' ? 'warn' : 'dim'),
  ];
}

/** The warning about a candidate whose words are not from a person. */
export const NOT_SAID = 'not from what you said: it is from output, or the model made it up';

/** Formats a candidate for its review. */
export function candidateLines(candidate: MemoryCandidate): Line[] {
  const { kind, content, origin, source } = candidate;
  const excerpt = source?.excerpt ?? null;
  return [
    [span('[memory] ', 'accent'), span(`candidate (${kind}): `, 'dim'), span(oneLine(content), 'bold')],
    ...(origin === 'output' ? [line(`  ${NOT_SAID}`, 'warn')] : []),
    ...(excerpt === null ? [] : [line(`  turn ${source?.turn ?? '?'}: ${oneLine(excerpt)}`, 'dim')]),
    ...flagLines(candidate),
  ];
}

/** Formats reasons against remembering something. */
export function flagLines(flags: {
  readonly duplicates: readonly NearDuplicate[];
  readonly secrets: readonly LikelySecret[];
}): Line[] {
  return [
    ...flags.duplicates.map(({ number, content, similarity }) =>
      line(`  similar to ${number} (${Math.round(similarity * 100)} %): ${oneLine(content)}`, 'warn'),
    ),
    ...flags.secrets.map(({ title }) => line(`  looks like a secret: ${title}`, 'bad')),
  ];
}

/** Formats the history of an item. */
export function trailLines({ item, events }: MemoryHistory): Line[] {
  return [
    [span(`${item.number} (${item.kind}) `, 'bold'), span(oneLine(item.content))],
    ...events.map((event): Line => [
      span(`  ${formatMoment(event.at)}  `, 'dim'),
      span(event.what.padEnd(9)),
      span(`  ${oneLine(event.by)}  `, 'dim'),
      span(oneLine(event.detail)),
    ]),
  ];
}

/** Formats the text of a document as lines. */
export function documentLines(text: string): Line[] {
  const clean = cleanText(text).replace(/\n$/, '');
  return clean === '' ? [] : clean.split('\n').map((each) => line(each));
}
