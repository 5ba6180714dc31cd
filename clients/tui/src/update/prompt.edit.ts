import type { Prompt } from '../view-state.js';
import { splitCharacters } from '@aish/views/text/width';

export const emptyPrompt: Prompt = { text: '', cursor: 0 };

export function promptOf(text: string): Prompt {
  return { text, cursor: text.length };
}

export function insert({ text, cursor }: Prompt, piece: string): Prompt {
  return { text: text.slice(0, cursor) + piece + text.slice(cursor), cursor: cursor + piece.length };
}

export function moveLeft(prompt: Prompt): Prompt {
  return { ...prompt, cursor: prompt.cursor - lastUnit(prompt) };
}

export function moveRight(prompt: Prompt): Prompt {
  return { ...prompt, cursor: prompt.cursor + nextUnit(prompt) };
}

export function eraseLeft(prompt: Prompt): Prompt {
  return erase(prompt, prompt.cursor - lastUnit(prompt), prompt.cursor);
}

export function eraseRight(prompt: Prompt): Prompt {
  return erase(prompt, prompt.cursor, prompt.cursor + nextUnit(prompt));
}

/** Deletes backwards: spaces first, then one word. */
export function eraseWord(prompt: Prompt): Prompt {
  const kept = prompt.text.slice(0, prompt.cursor).replace(/\S*\s*$/, '');
  return erase(prompt, kept.length, prompt.cursor);
}

export function erase({ text }: Prompt, from: number, to: number): Prompt {
  return { text: text.slice(0, from) + text.slice(to), cursor: from };
}

function lastUnit({ text, cursor }: Prompt): number {
  return splitCharacters(text.slice(0, cursor)).at(-1)?.length ?? 0;
}

function nextUnit({ text, cursor }: Prompt): number {
  return splitCharacters(text.slice(cursor))[0]?.length ?? 0;
}

/** Deletes forwards: spaces first, then one word. */
export function eraseWordRight(prompt: Prompt): Prompt {
  return erase(prompt, prompt.cursor, moveWordRight(prompt).cursor);
}

export function moveWordLeft({ text, cursor }: Prompt): Prompt {
  return { text, cursor: text.slice(0, cursor).replace(/\S*\s*$/, '').length };
}

export function moveWordRight({ text, cursor }: Prompt): Prompt {
  return { text, cursor: cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0) };
}

/** Moves to the beginning or end of the current line. */
export function moveToLineEdge({ text, cursor }: Prompt, edge: 'start' | 'end'): Prompt {
  if (edge === 'start') return { text, cursor: text.lastIndexOf('\n', cursor - 1) + 1 };
  const end = text.indexOf('\n', cursor);
  return { text, cursor: end < 0 ? text.length : end };
}

/** Moves one line up or down, to about the same column. Returns null if there is no such line. */
export function moveLine(prompt: Prompt, by: 1 | -1): Prompt | null {
  const { text, cursor } = prompt;
  const start = moveToLineEdge(prompt, 'start').cursor;
  const column = cursor - start;
  if (by < 0) {
    if (start === 0) return null;
    const before = text.lastIndexOf('\n', start - 2) + 1;
    return { text, cursor: Math.min(before + column, start - 1) };
  }
  const end = moveToLineEdge(prompt, 'end').cursor;
  if (end === text.length) return null;
  return { text, cursor: Math.min(end + 1 + column, moveToLineEdge({ text, cursor: end + 1 }, 'end').cursor) };
}
