import { dropHidden, markHidden } from '@aish/contracts/visible-text';
import { span, type Line, type Span, type Style } from './line.js';

/**
 * These functions clean text of models and commands. Such text is data: it must not move the cursor, colour the screen,
 * reorder letters, or hide anything from the person who decides about it.
 */

const ESC = '\u001b';
const BEL = '\u0007';
const CSI_BODY = '[0-?]*[ -/]*';
/** Matches the beginning of OSC, DCS, SOS, PM or APC, whose content ends with BEL or ST. */
const OPENS_STRING = String.raw`(?:${ESC}[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^${BEL}${ESC}\u009c]*`;
// The pattern matches 7-bit and 8-bit (C1) forms. Two-letter escapes come last.
const ESCAPE_SEQUENCES = new RegExp(
  String.raw`(?:${ESC}\[|\u009b)${CSI_BODY}[@-~]|${OPENS_STRING}(?:${BEL}|${ESC}\\|\u009c)?|${ESC}[ -/]*[0-~]`,
  'g',
);
/** Matches an escape sequence whose end is missing. */
const UNFINISHED = new RegExp(String.raw`(?:(?:${ESC}\[|\u009b)${CSI_BODY}|${OPENS_STRING}${ESC}?|${ESC}[ -/]*)$`);
const MAX_HELD_CHARS = 4096;

// Some terminals draw skin tones as part of the emoji before them, others beside it.
const SKIN_TONES = /[\u{1f3fb}-\u{1f3ff}]/gu;
const TAB = '    ';

/**
 * Cleans the text of an output or answer for people. The result has no escape sequences and invisible characters, tabs
 * are spaces, and only the last state of an overwritten line (a progress bar) remains. Lines are separated by `\n`.
 */
export function cleanText(text: string): string {
  const plain = text.replaceAll(ESCAPE_SEQUENCES, '');
  return cleanLine(plain.includes('\r') ? plain.split('\n').map(lastDrawn).join('\n') : plain);
}

/** Matches the only escape sequences that are kept, as a style, because they only colour letters. */
const SGR = new RegExp(String.raw`${ESC}\[([0-9;:]*)m`, 'g');
const SGR_OR_NOT = new RegExp(`${String.raw`${ESC}\[[0-9;:]*m`}|${ESCAPE_SEQUENCES.source}`, 'g');

/**
 * Cleans text like {@link cleanText}, and keeps the command's letter colours. Backgrounds are dropped, so that output
 * cannot imitate aish's marks. Black and white are dropped because not every theme can show them.
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

/** Applies SGR parameters to a style: the sixteen colours, bold, faint, and reset. */
function styleAfter(before: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  let style = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      // These are the first sixteen of 256 colours. A theme defines no others.
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

/** Cleans text like cleanText and puts it on one line: line breaks become spaces. */
export function oneLine(text: string): string {
  return cleanText(text)
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim();
}

/**
 * Shows exactly what a person approves, without dropping anything. Invisible and look-alike characters are written as
 * `\u{202e}`, tabs as `\t`. Only line breaks stay.
 */
export function showExact(text: string): string {
  return markHidden(text, (code) => `\\u{${code.toString(16)}}`).replaceAll('\t', '\\t');
}

/** Whether {@link showExact} spells out an invisible character. */
export function hidesSomething(text: string): boolean {
  return showExact(text) !== text.replaceAll('\t', '\\t');
}

/** Cleans streamed text. It holds back a split escape sequence until its end arrives. */
export class StreamCleaner {
  private held = '';

  push(piece: string): string {
    const text = this.held + piece;
    const start = text.search(UNFINISHED);
    const isHeld = start >= 0 && text.length - start <= MAX_HELD_CHARS;
    this.held = isHeld ? text.slice(start) : '';
    const whole = (isHeld ? text.slice(0, start) : text).replaceAll(ESCAPE_SEQUENCES, '');
    // Text that was printed cannot be overwritten any more, so a lone carriage return begins a new line.
    return cleanLine(whole.replaceAll(/\r+\n?/g, '\n'));
  }
}

function cleanLine(text: string): string {
  return dropHidden(text.replaceAll('\t', TAB)).replaceAll(SKIN_TONES, '');
}
