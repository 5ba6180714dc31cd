import { useState } from 'preact/hooks';
import { who } from './api.js';

const STORE = 'aish-drafts';
/** The oldest drafts are deleted first. */
const DRAFTS_MAX = 100;

interface Kept {
  readonly owner: string;
  readonly texts: Readonly<Record<string, string>>;
}

/**
 * Returns the text that a person has typed into a box but not sent, by the name of the box. The text survives leaving
 * the screen, a reload and a new sign-in of the same person in this tab. Another person sees none of it, and a sign-out
 * deletes it.
 */
export function draftOf(name: string): string {
  return drafts()[name] ?? '';
}

export function keepDraft(name: string, text: string): void {
  const owner = who.get()?.owner;
  if (owner === undefined) return;
  const { [name]: _before, ...others } = drafts();
  const texts = text === '' ? others : { ...others, [name]: text };
  const kept: Kept = { owner, texts: Object.fromEntries(Object.entries(texts).slice(-DRAFTS_MAX)) };
  try {
    sessionStorage.setItem(STORE, JSON.stringify(kept));
  } catch {
    // The storage is full, but the text is still in its box.
  }
}

export function forgetDrafts(): void {
  sessionStorage.removeItem(STORE);
}

/** Keeps the text of a box, which is stored while it is typed. */
export function useDraft(name: string): readonly [string, (text: string) => void] {
  const [text, setText] = useState(() => draftOf(name));
  return [
    text,
    (next) => {
      setText(next);
      keepDraft(name, next);
    },
  ];
}

function drafts(): Kept['texts'] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORE) ?? 'null') as Kept | null;
    return kept !== null && kept.owner === who.get()?.owner ? kept.texts : {};
  } catch {
    return {};
  }
}
