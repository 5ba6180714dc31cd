/** Maximum length of a text that is read, without here-documents that are only data, in UTF-16 code units. */
const MAX_LENGTH = 65_536;
/** Maximum length of a text including such here-documents, in UTF-16 code units. */
const MAX_WHOLE = 262_144;
/** The maximum number of characters that mean something to a shell. Each of them takes time to read. */
const MAX_STRUCTURE = 1_500;
const MAX_WORDS = 3_000;
const MAX_NESTING = 60;

/** The beginning of a here-document that `cat` or `tee` only writes to a file. */
const WRITES = /^\s*(?:cat|tee)\b[^'"`;|&()]*?<<-?[ \t]*(['"]?)([\w.-]+)\1[^'"`;|&()]*$/;

/**
 * Returns the text without the bodies of here-documents that are only data: their delimiter is quoted, or the shell
 * expands nothing in the body. These bodies take no time to read, however long they are.
 */
function withoutData(text: string): string {
  if (!text.includes('<<')) return text;
  const lines = text.split('\n');
  const marks = lines.map((line) => line.replace(/^\t+/, ''));
  const known = new Set(marks);
  const kept: string[] = [];
  let quotes = 0;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    kept.push(line);
    const [, quote, mark = ''] = WRITES.exec(line) ?? [];
    // A `<<` inside quotes does not begin a here-document.
    if (quote !== undefined && known.has(mark) && quotes % 2 === 0) {
      const end = marks.indexOf(mark, at + 1);
      const isData = quote !== '' || !lines.slice(at + 1, end).some((each) => /`|\$[({[]/.test(each));
      if (end !== -1 && isData) at = end - 1;
    } else quotes += line.split(/['"]/).length - 1;
  }
  return kept.join('\n');
}

/** Whether reading `whole` to its end could take longer than the gate allows. */
export function isTooMuch(whole: string): boolean {
  if (whole.length > MAX_WHOLE) return true;
  const text = withoutData(whole);
  if (text.length > MAX_LENGTH) return true;
  let structure = 0;
  let depth = 0;
  let ticks = 0;
  let words = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x28: // (
      case 0x7b: // {
      case 0x5b: // [
        depth += 1;
        structure += 1;
        if (depth > MAX_NESTING) return true;
        break;
      case 0x29: // )
      case 0x7d: // }
      case 0x5d: // ]
        depth = Math.max(0, depth - 1);
        break;
      case 0x60: // `
        ticks += 1;
        structure += 1;
        break;
      case 0x20: // space
      case 0x09: // tab
        words += 1;
        break;
      case 0x2a: // *
      case 0x3f: // ?
      case 0x0a: // new line
      case 0x24: // $
      case 0x26: // &
      case 0x3b: // ;
      case 0x3c: // <
      case 0x3e: // >
      case 0x7c: // |
      case 0x21: // !
        structure += 1;
        break;
      default:
    }
  }
  return structure > MAX_STRUCTURE || words > MAX_WORDS || ticks > 400;
}
