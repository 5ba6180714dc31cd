/** Longest text that is read, UTF-16 code units. */
const MAX_LENGTH = 65_536;
/** Most characters that mean something to a shell: reading costs time for each of them. */
const MAX_STRUCTURE = 1_500;
const MAX_WORDS = 3_000;
const MAX_NESTING = 60;

/** Whether reading `text` to its end could take longer than the gate may. */
export function isTooMuch(text: string): boolean {
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
