import type { Prompt } from '../model.js';
import { splitCharacters } from '../text/width.js';

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

/** Erases back over blanks and then one word. */
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
