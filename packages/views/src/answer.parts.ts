import type { Decision } from '@aish/contracts/decisions';
import { cleanText } from './sanitise.js';

/** A part of a model's answer, and how to read it. */
export interface Part {
  /** `exact` means a command as it will run, so no character of it may be interpreted. */
  readonly kind: 'markdown' | 'exact' | 'thought';
  readonly text: string;
  /** Whether more of the part may arrive. */
  readonly isOpen: boolean;
}

const ACTION = /^\s*(?:CMD|GOAL):/;
const COMMAND = /^\s*CMD:/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const THINKS = /^\s*<think(?:ing)?>/;
const THOUGHT = /<\/think(?:ing)?>/;
const HERE_DOCUMENT = /<<-?\s*(['"]?)([A-Za-z_]\w*)\1/;

/**
 * Returns the model's text before an action, for the person who decides. Thoughts and the action itself are removed.
 */
export function saidBefore({ context, action }: Pick<Decision, 'context' | 'action'>): string {
  const spoken = cleanText(context)
    .replace(/<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/g, '')
    // The text may begin in the middle of a thought.
    .replace(/^[\s\S]*<\/think(?:ing)?>/, '');
  const parts = partsWithout(spoken, [cleanText(action)]);
  return parts
    .map(({ text }) => text)
    .join('\n')
    .trim();
}

/** Returns the parts of an answer without these commands. Each command is removed once, if a `CMD:` line equals it. */
export function partsWithout(text: string, commands: readonly string[]): readonly Part[] {
  const left = [...commands];
  return partsOf(text).flatMap((part) => {
    if (part.kind !== 'exact' || left.length === 0) return [part];
    const lines = part.text.split('\n');
    const kept: string[] = [];
    for (let at = 0; at < lines.length; at += 1) {
      const found = left.findIndex((command) => isAt(lines, at, command));
      const [command] = found < 0 ? [] : left.splice(found, 1);
      if (command === undefined) kept.push(lines[at] ?? '');
      else at += command.split('\n').length - 1;
    }
    return kept.length === 0 ? [] : [{ ...part, text: kept.join('\n') }];
  });
}

function isAt(lines: readonly string[], at: number, command: string): boolean {
  if (!COMMAND.test(lines[at] ?? '')) return false;
  const [first = '', ...rest] = lines.slice(at, at + command.split('\n').length);
  return [first.replace(COMMAND, '').trimStart(), ...rest].join('\n').trimEnd() === command;
}

/** Splits an answer into parts, in order: prose, commands, and thoughts that models write into the answer. */
export function partsOf(text: string): readonly Part[] {
  const parts: { kind: Part['kind']; lines: string[] }[] = [];
  let kind: Part['kind'] = 'markdown';
  let fence: string | null = null;
  let hereEnd: string | null = null;
  const add = (as: Part['kind'], line: string): void => {
    const last = parts.at(-1);
    if (last?.kind === as) last.lines.push(line);
    else parts.push({ kind: as, lines: [line] });
  };
  for (const line of text.split('\n')) {
    if (kind === 'thought') {
      const [thought = '', ...rest] = line.split(THOUGHT);
      add('thought', thought);
      if (rest.length === 0) continue;
      kind = 'markdown';
      if (rest.join('').trim() !== '') add('markdown', rest.join(''));
      continue;
    }
    if (kind === 'exact' && hereEnd !== null) {
      add('exact', line);
      if (line.trim() === hereEnd) hereEnd = null;
      continue;
    }
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) === true) fence = null;
      add('markdown', line);
    } else if (THINKS.test(line)) {
      const [thought = '', ...rest] = line.replace(THINKS, '').split(THOUGHT);
      add('thought', thought);
      kind = rest.length === 0 ? 'thought' : 'markdown';
      if (rest.join('').trim() !== '') add('markdown', rest.join(''));
    } else if (ACTION.test(line)) {
      kind = 'exact';
      add('exact', line);
      hereEnd = COMMAND.test(line) ? (HERE_DOCUMENT.exec(line)?.[2] ?? null) : null;
      // The reason on a GOAL: line is prose.
      if (!COMMAND.test(line)) kind = 'markdown';
    } else if (kind === 'exact' && line.trim() !== '' && mark === undefined) {
      // A command of several lines ends with a blank line.
      add('exact', line);
    } else {
      kind = 'markdown';
      fence = mark ?? null;
      add('markdown', line);
    }
  }
  return parts.map((part, index) => ({
    kind: part.kind,
    text: part.lines.join('\n'),
    isOpen: index === parts.length - 1 && (part.kind !== 'thought' || kind === 'thought'),
  }));
}
