import type { Command } from '../shell/command.js';
import { anyText, given } from './options.js';

/**
 * One way to use a program, written like its usage line: words in order, options in any position.
 *
 * | pattern | matches if |
 * | --- | --- |
 * | `disk unlink\|resize` | the operands begin with `disk unlink` or `disk resize` |
 * | `delete-*` | `*` is any text within one word; alone, any word |
 * | `... delete` | `delete` is in any position from there on |
 * | `remote $` | nothing follows `remote` |
 * | `!list\|show` | one more word, but none of these |
 * | `push -f\|--force` | one of these options is given; `-f` also within `-uf` |
 * | `--mode=stop\|kill` | the option has one of these values, as `--mode=stop` or `--mode stop` |
 * | `clean !-n\|--dry-run` | none of these options is given |
 *
 * A comma and a space separate patterns.
 */
export interface Pattern {
  readonly words: readonly WordStep[];
  readonly options: readonly OptionStep[];
  /** Whether nothing may follow the last word. */
  readonly ends: boolean;
}

interface WordStep {
  readonly alternatives: readonly string[];
  readonly is: RegExp;
  readonly not: boolean;
  /** Whether the word may be in any position from here on. */
  readonly anywhere: boolean;
}

interface OptionStep {
  readonly names: readonly string[];
  readonly value: RegExp | null;
  readonly not: boolean;
}

export function parsePatterns(text: string): readonly Pattern[] {
  return text.split(', ').map(parsePattern);
}

function parsePattern(text: string): Pattern {
  const words: WordStep[] = [];
  const options: OptionStep[] = [];
  let anywhere = false;
  const tokens = text.split(' ').filter((token) => token !== '');
  const ends = tokens.at(-1) === '$';
  for (const token of ends ? tokens.slice(0, -1) : tokens) {
    if (token === '...') {
      anywhere = true;
      continue;
    }
    const not = /^!./.test(token);
    const plain = not ? token.slice(1) : token;
    if (/^-./.test(plain)) options.push({ ...optionOf(plain), not });
    else {
      words.push({ alternatives: plain.split('|'), is: anyText(plain), not, anywhere });
      anywhere = false;
    }
  }
  return { words, options, ends };
}

function optionOf(text: string): Omit<OptionStep, 'not'> {
  const at = text.indexOf('=');
  const names = (at === -1 ? text : text.slice(0, at)).split('|');
  if (!names.every((name) => /^[-+]/.test(name))) throw new SyntaxError(`options and words in one place: ${text}`);
  return { names, value: at === -1 ? null : anyText(text.slice(at + 1)) };
}

/** Whether a command with these operands matches this pattern. */
export const fits = (pattern: Pattern, c: Command, operands: readonly string[], abbreviated = false): boolean =>
  wordsFit(pattern, operands, 0, 0) &&
  pattern.options.every(
    ({ names, value, not }) => given(c, { names, value, abbreviated: abbreviated && !not }) !== not,
  );

function wordsFit(pattern: Pattern, operands: readonly string[], step: number, at: number): boolean {
  const next = pattern.words[step];
  if (next === undefined) return !pattern.ends || at === operands.length;
  const last = next.anywhere ? operands.length - 1 : at;
  for (let place = at; place <= last; place += 1) {
    const word = operands[place];
    if (word === undefined) return false;
    if (next.is.test(word) !== next.not && wordsFit(pattern, operands, step + 1, place + 1)) return true;
  }
  return false;
}

/**
 * Returns every command line that a pattern spells out word by word. These serve as examples. `*` and negated words
 * become `x`.
 */
export function spelledOut({ words, options }: Pattern): readonly string[] {
  const choices = [
    ...words.map(({ alternatives, not }) => (not ? ['x'] : alternatives.map((word) => word.replaceAll('*', 'x')))),
    ...options.filter(({ not }) => !not).map(({ names, value }) => names.map((name) => spelled(name, value))),
  ];
  return choices.reduce<readonly string[]>(
    (lines, alternatives) => lines.flatMap((line) => alternatives.map((word) => `${line} ${word}`.trim())),
    [''],
  );
}

function spelled(name: string, value: RegExp | null): string {
  const first = /^\^\(\?:(.*?)(?:\||\)\$$)/s.exec(value?.source ?? '')?.[1];
  const plain = name.replaceAll('*', 'x');
  if (first === undefined) return plain;
  return `${plain}${name.startsWith('--') ? '=' : ' '}${first.replaceAll('.*', 'x').replaceAll('\\', '')}`;
}
