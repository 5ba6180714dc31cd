import { MEMORY_CONTENT_MAX_CHARS } from '@aish/contracts/limits';
import { MEMORY_CANDIDATES_MAX, type MemoryKind } from '@aish/contracts/memory';

interface ParsedCandidate {
  readonly kind: MemoryKind;
  readonly content: string;
}

export interface ParsedAnswer {
  readonly candidates: readonly ParsedCandidate[];
  /** Number of lines that are not candidates. */
  readonly unreadable: number;
}

const KINDS: Readonly<Record<string, MemoryKind>> = {
  fact: 'fact',
  facts: 'fact',
  pref: 'pref',
  prefs: 'pref',
  preference: 'pref',
  preferences: 'pref',
  context: 'context',
};

const BULLET = /^(?:[-*+•–—>]\s+|\(?\d{1,3}[.):]\s+|#{1,6}\s+)*/;
/** Matches a candidate: `fact: x`, `**Fact:** x`, `[pref] x`, `(context) x`, `` `fact`: x ``, `FACT - x`. */
const CANDIDATE =
  /^[*_`"'[(]{0,4}\s?([A-Za-z]{4,11})\s?[*_`"'\])]{0,4}\s?(?:[:–—]|-\s|(?<=[\])]))\s?[*_`]{0,3}\s*(.+)$/;

/**
 * Parses the candidates in a model's answer, one per line; at most 10, without duplicates. Bullets, bold, numbers and
 * case are tolerated. Thoughts and fences around the list are ignored.
 */
export function parseCandidates(answer: string): ParsedAnswer {
  const text = answer.replaceAll(/<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/gi, '');
  const candidates: ParsedCandidate[] = [];
  const seen = new Set<string>();
  let unreadable = 0;
  for (const raw of text.split(/\r\n?|\n/)) {
    const line = raw.trim();
    if (line === '' || /^(?:`{3,}|~{3,})/.test(line)) continue;
    const candidate = parseLine(line);
    if (candidate === null) unreadable += 1;
    else if (!seen.has(candidate.content.toLowerCase()) && candidates.length < MEMORY_CANDIDATES_MAX) {
      seen.add(candidate.content.toLowerCase());
      candidates.push(candidate);
    }
  }
  return { candidates, unreadable };
}

function parseLine(line: string): ParsedCandidate | null {
  const match = CANDIDATE.exec(line.replace(BULLET, ''));
  const kind = KINDS[match?.[1]?.toLowerCase() ?? ''];
  const content = unwrap(match?.[2] ?? '').slice(0, MEMORY_CONTENT_MAX_CHARS);
  return kind === undefined || content === '' ? null : { kind, content };
}

/** Removes bold or quotes around the whole text. */
function unwrap(text: string): string {
  const trimmed = text.trim();
  const inner = /^(\*\*|__|["'`])([\s\S]+)\1$/.exec(trimmed)?.[2];
  return inner === undefined ? trimmed.replace(/\s*(?:\*\*|__)$/, '') : inner.trim();
}
