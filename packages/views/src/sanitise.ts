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
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Variation_Selector}\u{1f3fb}-\u{1f3ff}]/gu;
// Beside what cannot be printed: blanks that are no space, and letters that look like nothing.
const NOT_PLAIN = /(?! )(?:[\p{C}\p{Z}\p{Variation_Selector}\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5)/gu;
const TAB = '    ';

/**
 * What a person reads of an output or an answer: escape sequences and invisible characters are gone, tabs are spaces,
 * and of a line that was drawn over itself (a progress bar) the last state is left. Lines are separated by `\n`.
 */
export function cleanText(text: string): string {
  const plain = text.replaceAll(ESCAPE_SEQUENCES, '');
  return cleanLine(plain.includes('\r') ? plain.split('\n').map(lastDrawn).join('\n') : plain);
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
  return text.replaceAll(NOT_PLAIN, (char) => {
    if (char === '\n') return char;
    if (char === '\t') return '\\t';
    return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
  });
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
  return text.replaceAll('\t', TAB).replaceAll(UNPRINTABLE, (char) => (char === '\n' ? char : ''));
}
