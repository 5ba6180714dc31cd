import { goTo } from './route.js';
import { Store } from './store.js';

export const overlay = new Store<'palette' | 'keys' | null>(null);

let ahead = '';

/** Returns the letters that were typed between `/` and the moment when the finder accepts input. */
export function takeTypedAhead(): string {
  const text = ahead;
  ahead = '';
  return text;
}

const OFF = 'aish-letter-keys-off';
/** The screens that letters after `g` open. */
const PLACES: Readonly<Record<string, string>> = {
  g: 'goals',
  d: 'decisions',
  c: 'chats',
  m: 'memory',
  k: 'knowledge',
  l: 'lab',
  h: 'hosts',
  s: 'settings',
  n: 'give',
};
const PREFIX_MS = 1_500;
/** The keys j and k move through these entries. */
const ENTRIES = '#main a.row, #main article.decision, #main [role=article]';

/** Returns whether letters act immediately. People who use speech input or switches can turn this off (WCAG 2.1.4). */
export function lettersOn(): boolean {
  return localStorage.getItem(OFF) === null;
}

export function setLetters(areOn: boolean): void {
  if (areOn) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, 'yes');
}

/** @returns a function that stops listening */
export function listenToKeys(): () => void {
  let prefixAt = -Infinity;
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      if (overlay.get() === null) ahead = '';
      return overlay.set('palette');
    }
    if (overlay.get() !== null && !isTyping(event)) {
      // The finder is still loading.
      if (event.key === 'Escape') overlay.set(null);
      else if (overlay.get() === 'palette' && event.key.length === 1) ahead += event.key;
      return;
    }
    if (isTyping(event) || !lettersOn()) return;
    const isPrefixed = performance.now() - prefixAt < PREFIX_MS;
    prefixAt = -Infinity;
    const place = PLACES[event.key];
    if (isPrefixed && place !== undefined) goTo(place);
    else if (event.key === 'g') prefixAt = performance.now();
    else if (event.key === '/') {
      ahead = '';
      overlay.set('palette');
    } else if (event.key === '?') overlay.set('keys');
    else if (event.key === 'j' || event.key === 'k') move(event.key === 'j' ? 1 : -1);
    else return;
    event.preventDefault();
  };
  addEventListener('keydown', pressed);
  return () => removeEventListener('keydown', pressed);
}

function isTyping({ target, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || isComposing) return true;
  return target instanceof Element && target.closest('input, textarea, select, dialog, [contenteditable]') !== null;
}

function move(by: 1 | -1): void {
  const entries = Array.from(document.querySelectorAll<HTMLElement>(ENTRIES)).filter((each) => each.offsetHeight > 0);
  const at = entries.findIndex((each) => each.contains(document.activeElement));
  const next = at < 0 ? entries.at(by === 1 ? 0 : -1) : entries[at + by];
  if (next === undefined) return;
  if (next.tabIndex < 0) next.tabIndex = -1;
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}
