/** The construct for which a shell would still wait after a text; null if the text is complete. */
export type Open = 'backslash' | 'single-quote' | 'double-quote' | 'backquote' | 'here-document';

interface HereDocument {
  readonly delimiter: string;
  readonly stripsTabs: boolean;
}

/**
 * Says whether a POSIX shell would expect more after `text`: because of an open quote, a here-document without its
 * delimiter, or a backslash before the line break. Pure and linear. It ignores keywords: an `if` without `fi` is
 * complete, because models write those on one line or forget the `fi`.
 */
export function openPart(text: string): Open | null {
  const waiting: HereDocument[] = [];
  let at = 0;
  let quote: '' | "'" | '"' | '`' = '';
  let isWordStart = true;
  while (at < text.length) {
    const char = text.charAt(at);
    if (quote === "'") {
      if (char === "'") quote = '';
      at += 1;
    } else if (char === '\\') {
      if (at + 1 >= text.length) return 'backslash';
      at += 2;
      isWordStart = false;
    } else if (quote !== '') {
      if (char === quote) quote = '';
      at += 1;
    } else if (char === "'" || char === '"' || char === '`') {
      quote = char;
      at += 1;
      isWordStart = false;
    } else if (char === '#' && isWordStart) {
      at = endOfLine(text, at);
    } else if (text.startsWith('<<<', at)) {
      at += 3;
    } else if (text.startsWith('<<', at) && !text.startsWith('$((', arithmeticStart(text, at))) {
      const read = readDelimiter(text, at + 2);
      if (read === null) at += 2;
      else {
        waiting.push(read.document);
        at = read.end;
      }
      isWordStart = false;
    } else if (char === '\n') {
      const after = skipDocuments(text, at + 1, waiting);
      if (after === null) return 'here-document';
      at = after;
      isWordStart = true;
    } else {
      isWordStart = /[\s;&|()]/.test(char);
      at += 1;
    }
  }
  if (quote === "'") return 'single-quote';
  if (quote === '"') return 'double-quote';
  if (quote === '`') return 'backquote';
  return waiting.length > 0 ? 'here-document' : null;
}

/** Returns where an arithmetic expansion begins that is still open at `at`; `text.length` if there is none. */
function arithmeticStart(text: string, at: number): number {
  const opened = text.lastIndexOf('$((', at);
  return opened >= 0 && !text.slice(opened, at).includes('))') ? opened : text.length;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function readDelimiter(text: string, from: number): { document: HereDocument; end: number } | null {
  const match = /^(-?)[ \t]*('([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z0-9_.!+,/:@%^-]+))/.exec(text.slice(from, from + 200));
  if (match === null) return null;
  const delimiter = match[3] ?? match[4] ?? match[5] ?? '';
  return { document: { delimiter, stripsTabs: match[1] === '-' }, end: from + match[0].length };
}

/** Returns the position after the bodies of all waiting here-documents, or null if one is incomplete. */
function skipDocuments(text: string, from: number, waiting: HereDocument[]): number | null {
  let at = from;
  for (let document = waiting.shift(); document !== undefined; document = waiting.shift()) {
    for (;;) {
      if (at >= text.length) return null;
      const end = endOfLine(text, at);
      const line = text.slice(at, end);
      at = Math.min(end + 1, text.length);
      if ((document.stripsTabs ? line.replace(/^\t+/, '') : line) === document.delimiter) break;
    }
  }
  return at;
}
