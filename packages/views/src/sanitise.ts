import { dropHidden, markHidden } from '@aish/contracts/visible-text';
import { span, type Line, type Span, type Style } from './line.js';

/**
 * Text of models and commands is data. Nothing in it may move a cursor, colour a screen, reorder letters or hide
 * itself from the person who is asked about it.
 */

const ESC = '\u001b';
const BEL = '\u0007';
const CSI_BODY = '[0-?]*[ -/]*';
/** Opens OSC, DCS, SOS, PM or APC; their content runs to BEL or ST. */
const OPENS_STRING = String.raw`(?:${ESC}[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^${BEL}${ESC}\u009c]*`;
// 7-bit and 8-bit (C1) forms; two-letter escapes last.
const ESCAPE_SEQUENCES = new RegExp(
  String.raw`(?:${ESC}\[|\u009b)${CSI_BODY}[@-~]|${OPENS_STRING}(?:${BEL}|${ESC}\\|\u009c)?|${ESC}[ -/]*[0-~]`,
  'g',
);
/** An escape sequence whose end has not come yet. */
const UNFINISHED = new RegExp(String.raw`(?:(?:${ESC}\[|\u009b)${CSI_BODY}|${OPENS_STRING}${ESC}?|${ESC}[ -/]*)$`);
const MAX_HELD_CHARS = 4096;

// Skin tones are drawn as part of the emoji before them by some terminals and beside it by others.
const SKIN_TONES = /[\u{1f3fb}-\u{1f3ff}]/gu;
const TAB = '    ';

/**
 * What a person reads of an output or an answer: escape sequences and invisible characters are gone, tabs are spaces,
 * and of a line that was drawn over itself (a progress bar) the last state is left. Lines are separated by `\n`.
 */
export function cleanText(text: string): string {
  const plain = text.replaceAll(ESCAPE_SEQUENCES, '');
  return cleanLine(plain.includes('\r') ? plain.split('\n').map(lastDrawn).join('\n') : plain);
}

/** Of escape sequences these alone are kept, as a style: they colour letters and do nothing else. */
const SGR = new RegExp(String.raw`${ESC}\[([0-9;:]*)m`, 'g');
const SGR_OR_NOT = new RegExp(`${String.raw`${ESC}\[[0-9;:]*m`}|${ESCAPE_SEQUENCES.source}`, 'g');

/**
 * The same as {@link cleanText}, with the colours of letters that a command chose. Backgrounds are left out, so that no
 * output passes for what aish marks with one; so is black and white, which not every theme can show.
 */
export function colouredText(text: string): Line {
  if (!text.includes(`${ESC}[`)) return [span(cleanText(text))];
  const kept = text.replaceAll(SGR_OR_NOT, (sequence) =>
    sequence.endsWith('m') && IS_SGR.test(sequence) ? sequence : '',
  );
  let style: Style = 'plain';
  return kept.split('\n').flatMap((each, index): Line => {
    const states = each.split('\r').map((state) => {
      const spans = spansOf(state, style);
      style = spans.style;
      return spans.spans;
    });
    const drawn = states.findLast((state) => state.length > 0) ?? [];
    return index === 0 ? drawn : [span('\n'), ...drawn];
  });
}

const IS_SGR = new RegExp(`^${SGR.source}$`);

function spansOf(text: string, from: Style): { readonly spans: Line; readonly style: Style } {
  const spans: Span[] = [];
  let style = from;
  let at = 0;
  const add = (piece: string): void => {
    const clean = cleanLine(piece);
    if (clean !== '') spans.push(span(clean, style));
  };
  for (const match of text.matchAll(SGR)) {
    add(text.slice(at, match.index));
    style = styleAfter(style, match[1] ?? '');
    at = match.index + match[0].length;
  }
  add(text.slice(at));
  return { spans, style };
}

const COLOURS: readonly Style[] = ['plain', 'bad', 'string', 'warn', 'name', 'keyword', 'number', 'plain'];

/** What the parameters of SGR make of a style: the sixteen colours, bold, faint, and back. */
function styleAfter(before: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  let style = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      // Of 256 the first sixteen; others are more than a theme has.
      const isIndexed = codes[at + 1] === 5;
      const index = codes[at + 2] ?? 0;
      if (code === 38) style = isIndexed && index < 16 ? (COLOURS[index % 8] ?? 'plain') : 'plain';
      at += isIndexed ? 2 : 4;
    } else if (code === 0 || code === 39) style = 'plain';
    else if (code === 90) style = 'comment';
    else if (code >= 30 && code <= 37) style = COLOURS[code - 30] ?? 'plain';
    else if (code >= 91 && code <= 97) style = COLOURS[code - 90] ?? 'plain';
    else if (code === 1 && style === 'plain') style = 'bold';
    else if (code === 2 && style === 'plain') style = 'comment';
    else if (code === 22 && (style === 'bold' || style === 'comment')) style = 'plain';
  }
  return style;
}

function lastDrawn(line: string): string {
  return line.split('\r').findLast((state) => state !== '') ?? '';
}

/** The same on one line: line breaks become spaces. */
export function oneLine(text: string): string {
  return cleanText(text)
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim();
}

/**
 * What a person approves, exactly: nothing is dropped. Characters that cannot be seen, or that pass for others, are
 * written as `\u{202e}`, tabs as `\t`. Only line breaks stay what they are.
 */
export function showExact(text: string): string {
  return markHidden(text, (code) => `\\u{${code.toString(16)}}`).replaceAll('\t', '\\t');
}

/** Whether {@link showExact} writes something out that would not be seen. */
export function hidesSomething(text: string): boolean {
  return showExact(text) !== text.replaceAll('\t', '\\t');
}

/** Cleans a text that comes in pieces: an escape sequence cut in two is held back until its end is there. */
export class StreamCleaner {
  private held = '';

  push(piece: string): string {
    const text = this.held + piece;
    const start = text.search(UNFINISHED);
    const isHeld = start >= 0 && text.length - start <= MAX_HELD_CHARS;
    this.held = isHeld ? text.slice(start) : '';
    const whole = (isHeld ? text.slice(0, start) : text).replaceAll(ESCAPE_SEQUENCES, '');
    // What has been printed cannot be drawn over any more: a lone carriage return begins a line.
    return cleanLine(whole.replaceAll(/\r+\n?/g, '\n'));
  }
}

function cleanLine(text: string): string {
  return dropHidden(text.replaceAll('\t', TAB)).replaceAll(SKIN_TONES, '');
}
