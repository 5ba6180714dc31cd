/** Parsed JSON, and whether it had to be repaired first. */
export interface Mended {
  readonly value: Readonly<Record<string, unknown>>;
  readonly isMended: boolean;
}

/** Maximum length of a text that is repaired in one pass. */
const MAX_CHARS = 1024 * 1024;

/**
 * Parses the arguments of a tool call as a JSON object. It repairs only faults with a single possible meaning: a code
 * fence around it, an object written as a JSON string, `{}` before the real one, raw line breaks in strings, commas
 * before a closing bracket, Python's True, False and None, and (unless `isCut`) missing closing brackets at the end.
 *
 * @param isCut whether the answer ended because it was too long, so that the missing end is unknown.
 * @returns null if the meaning is not certain.
 */
export function readObject(text: string, isCut = false): Mended | null {
  const trimmed = text.trim();
  if (trimmed.length > MAX_CHARS) return null;
  if (trimmed === '') return { value: {}, isMended: true };
  const plain = parseObject(trimmed);
  if (plain !== null) return { value: plain, isMended: false };
  for (const candidate of candidates(trimmed)) {
    const direct = parseObject(candidate) ?? parseObject(mend(candidate, isCut));
    if (direct !== null) return { value: direct, isMended: true };
  }
  return null;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null; // The caller tries the next interpretation.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return value as Record<string, unknown>;
}

function* candidates(text: string): Generator<string> {
  yield text;
  const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(text)?.[1];
  if (fenced !== undefined) yield fenced.trim();
  if (text.startsWith('{}') && text.length > 2) yield text.slice(2).trim();
  if (text.startsWith('"')) {
    try {
      const inner: unknown = JSON.parse(text);
      if (typeof inner === 'string') yield inner.trim();
    } catch {
      return; // The text is not a JSON string after all.
    }
  }
}

const PYTHON: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };
const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Repairs a text in one pass that tracks strings. It holds back a comma until it sees the next token. */
function mend(text: string, isCut: boolean): string {
  const out: string[] = [];
  const open: string[] = [];
  let inString = false;
  let comma = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (inString) {
      if (char === '\\') {
        out.push(char, text.charAt(at + 1));
        at += 1;
      } else {
        if (char === '"') inString = false;
        out.push(ESCAPES[char] ?? char);
      }
      continue;
    }
    if (comma !== '' && /\s/.test(char)) continue;
    const isClosing = char === '}' || char === ']';
    if (!isClosing) out.push(comma);
    comma = '';
    if (char === ',') {
      comma = ',';
      continue;
    }
    if (char === '"') inString = true;
    else if (char === '{' || char === '[') open.push(char === '{' ? '}' : ']');
    else if (isClosing) open.pop();
    const word = char >= 'A' && char <= 'Z' ? (/^[A-Za-z]+/.exec(text.slice(at, at + 8))?.[0] ?? '') : '';
    const json = PYTHON[word];
    if (json === undefined) out.push(char);
    else {
      out.push(json);
      at += word.length - 1;
    }
  }
  if (!inString && !isCut) out.push(...open.toReversed());
  return out.join('');
}
