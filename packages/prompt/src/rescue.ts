import { openPart } from './shell-complete.js';

/** An answer with its one action in the correct form, and the text that the action replaced. */
export interface Rescued {
  readonly text: string;
  readonly from: string;
}

const SHELLS: ReadonlySet<string> = new Set(['', 'bash', 'sh', 'shell', 'zsh', 'console', 'terminal']);
const FENCE = /^[ \t]*(```+|~~~+)[ \t]*([\w-]*)[ \t]*\r?\n([\s\S]*?)^[ \t]*\1[ \t]*$/gm;
const FENCE_MARK = /^[ \t]*(?:```|~~~)/m;
/** Matches a line that begins an action, except for its case or its marks. */
const MARKED =
  /^(?:(?:[->]|#{1,6}|\*(?!\*)|\d{1,2}[.)])\s+)?(\*\*|__|\*|`)?(cmd|command|goal|need)\s*:?(\1)?\s*:?(\1)?[ \t]+(\S.*)$/i;
/** Matches goal lines. `complete` with more words after it may describe a task. */
const KNOWN_GOAL = /^(?:complete(?![*_`]*\s+\w)|blocked|ask|plan|check|verify)\b/i;
/** Matches the end of a sentence that announces a command, followed by the command as code. */
const SAID = /\b(?:run|running|execute|executing|use|try|command)\b[^`\n]{0,80}:?\s*`([^`\n]+)`[.:]?\s*$/i;
/** Matches a sentence that announces a command, with the command alone on the next line. */
const SAID_ABOVE = /(\b(?:run|running|execute|executing|command)\b[^`\n]{0,80}:)[ \t]*\r?\n\s*(`[^`\n]+`)[ \t]*$/im;
const PROMPT = /^[$#]\s+/;
/** Matches the end of a line after which a shell expects more. */
const GOES_ON = /(?:\||&&)[ \t]*$/;
/** Matches an answer that is only code, or a command after a prompt. */
const ALONE = /^(?:`([^`\n]+)`|\$ +(\S[^\n]*))$/;

/**
 * Reads the one action of a goal's answer that contains none in the correct form: a marked line (`**CMD:** ls`, `cmd:
 * ls`), one fence with exactly one command, or a sentence that ends with its command. It does so only if the meaning is
 * certain: with two fences or two commands it takes nothing. A fence of another language is a file, and never runs.
 * Pure.
 *
 * @returns null if no action is certain.
 */
export function rescue(text: string): Rescued | null {
  const plain = plainMarks(text);
  return (
    marked(plain) ??
    tagged(plain) ??
    fenced(plain) ??
    alone(plain) ??
    commandInProse(plain.replace(SAID_ABOVE, '$1 $2'))
  );
}

/** Whether an answer contains fenced code that was not read as a command. Pure. */
export function hasFence(text: string): boolean {
  return FENCE_MARK.test(text);
}

/** Normalizes wide colons, and joins a mark with a command on the next line. */
function plainMarks(text: string): string {
  return text
    .replaceAll(/^([ \t]*(?:CMD|GOAL|NEED))[ \t]*：/gim, '$1: ')
    .replaceAll(/^([ \t]*(?:\*\*)?CMD:(?:\*\*)?)[ \t]*\r?\n(?=[ \t]*[\w./~])/gm, '$1 ');
}

const TAGGED = /<(bash|sh|shell|cmd|command|execute)>\s*([^<>]+?)\s*<\/\1>/gi;

/** Reads one command in a tag. */
function tagged(text: string): Rescued | null {
  const [tag, another] = text.matchAll(TAGGED);
  const command = tag?.[2] ?? '';
  if (tag === undefined || another !== undefined || !looksLikeCommand(command) || openPart(command) !== null)
    return null;
  return { text: text.replace(tag[0], () => `\nCMD: ${command}\n`).trim(), from: 'a tag' };
}

function marked(text: string): Rescued | null {
  let found = 0;
  const lines = text.split(/\r?\n/).map((line) => {
    const [, mark, word = '', closed, closedLater, rest = ''] = MARKED.exec(line.trim()) ?? [];
    const name = word.toUpperCase() === 'COMMAND' ? 'CMD' : word.toUpperCase();
    const isWords = name === 'GOAL' ? !KNOWN_GOAL.test(rest) : word.length > 4 && !looksLikeCommand(bare(rest));
    if (word === '' || isWords || !/:/.test(line)) return line;
    // In `**CMD: ls**` the mark ends after the command. In `**CMD:** ls *` it ends before the command.
    const isOpen = mark !== undefined && closed === undefined && closedLater === undefined;
    const inner = isOpen && rest.endsWith(mark) ? rest.slice(0, -mark.length) : rest;
    const quoted = /^`([^`]+)`$/.exec(inner)?.[1];
    found += 1;
    return `${name}: ${quoted ?? inner}`;
  });
  return found === 0 || FENCE_MARK.test(text) ? null : { text: lines.join('\n'), from: 'a marked line' };
}

function bare(text: string): string {
  return text.replaceAll(/^[*_`]+|[*_`]+$/g, '');
}

function fenced(text: string): Rescued | null {
  const fences = [...text.matchAll(FENCE)];
  const [fence] = fences;
  const [whole = '', , language = '', body = ''] = fence ?? [];
  if (fence === undefined || fences.length !== 1 || !SHELLS.has(language.toLowerCase())) return null;
  const command = onlyCommand(body);
  if (command === null || (language === '' && !looksLikeCommand(command))) return null;
  const before = text.slice(0, fence.index);
  const after = text.slice(fence.index + whole.length);
  return FENCE_MARK.test(before + after) ? null : { text: `${before}CMD: ${command}${after}`, from: 'a code fence' };
}

/** Returns the one command of a fence, which may take several lines. Comment lines do not count. */
function onlyCommand(body: string): string | null {
  const lines = body.split(/\r?\n/);
  let command: string | null = null;
  let isOver = false;
  for (const line of lines) {
    if (command === null || isOver) {
      if (line.trim() === '' || /^\s*#/.test(line.replace(/^#\s+(?=\S+$)/, '#'))) continue;
      if (isOver) return null;
      command = line.trim().replace(PROMPT, '');
    } else command += GOES_ON.test(command) ? ` ${line.trim()}` : `\n${line}`;
    isOver = openPart(command) === null && !GOES_ON.test(command);
  }
  return isOver && command !== null && !isBlock(command) ? command.trimEnd() : null;
}

/**
 * Whether a command begins a block like `if` or `for`, which continues in the following lines, but these were omitted.
 */
function isBlock(command: string): boolean {
  return /^(?:if|for|while|until|case)\b/.test(command) && !/\b(?:fi|done|esac)\s*$/.test(command);
}

function looksLikeCommand(command: string): boolean {
  return /^[a-z.~/][\w.~/+-]*(?:\s+\S|$)/.test(command) && !/[.!?:]$/.test(command);
}

function alone(text: string): Rescued | null {
  const [, code, behindPrompt] = ALONE.exec(text.trim()) ?? [];
  const command = (code ?? behindPrompt)?.trim().replace(PROMPT, '') ?? '';
  if (!looksLikeCommand(command) || openPart(command) !== null) return null;
  return { text: `CMD: ${command}`, from: code === undefined ? 'a line behind a prompt' : 'a line of code' };
}

function commandInProse(text: string): Rescued | null {
  if (FENCE_MARK.test(text)) return null;
  const lines = text.split(/\r?\n/);
  const found = lines.flatMap((line, at) => {
    const command = SAID.exec(line)?.[1]?.trim();
    return command === undefined ? [] : [{ at, command }];
  });
  const [only] = found;
  // Other code in the answer may be another command, or an example.
  const isAlone = only !== undefined && found.length === 1 && (text.match(/`[^`\n]+`/g) ?? []).length === 1;
  if (!isAlone || !looksLikeCommand(only.command) || openPart(only.command) !== null) return null;
  const shown = [...lines.slice(0, only.at + 1), `CMD: ${only.command}`, ...lines.slice(only.at + 1)];
  return { text: shown.join('\n'), from: 'a sentence' };
}
