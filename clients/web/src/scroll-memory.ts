/**
 * The scroll position of a screen. `item` is the first visible item of a list whose heights are unknown until it is
 * drawn.
 */
interface Place {
  readonly y: number;
  readonly item: ListPlace | null;
}
export interface ListPlace {
  readonly at: number;
  /** The distance of the item above the edge of the window. */
  readonly px: number;
}

const QUIET_MS = 150;
const RESTORE_MS = 3_000;

let listPlace: (() => ListPlace | null) | null = null;

/** Registers the list of the screen, which reports its position. @returns a function that unregisters the list */
export function tellListPlace(tell: () => ListPlace | null): () => void {
  listPlace = tell;
  return () => {
    if (listPlace === tell) listPlace = null;
  };
}

/** Returns the scroll position of this entry of the browser's history, or null for a new entry. */
export function placeBefore(): Place | null {
  const state = history.state as { readonly place?: Place } | null;
  return state?.place ?? null;
}

/**
 * Stores the position in the browser's history, so that Back and a reload restore it.
 * @returns a function that stops storing it
 */
export function rememberScroll(): () => void {
  history.scrollRestoration = 'manual';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const scrolled = (): void => {
    clearTimeout(timer);
    const { hash } = location;
    timer = setTimeout(() => {
      if (location.hash !== hash) return;
      const place: Place = { y: scrollY, item: listPlace?.() ?? null };
      history.replaceState({ ...(history.state as object | null), place }, '');
    }, QUIET_MS);
  };
  addEventListener('scroll', scrolled, { passive: true });
  return () => removeEventListener('scroll', scrolled);
}

/** Restores the position of this screen once enough of it is drawn. @returns a function that stops restoring it */
export function restoreScroll(): () => void {
  const place = placeBefore();
  if (place === null || place.item !== null) {
    if (place === null) scrollTo({ top: 0 });
    return () => undefined;
  }
  const until = performance.now() + RESTORE_MS;
  let frame = 0;
  const stop = (): void => {
    cancelAnimationFrame(frame);
    for (const type of GESTURES) removeEventListener(type, stop);
  };
  const look = (): void => {
    if (document.documentElement.scrollHeight - innerHeight >= place.y) {
      scrollTo({ top: place.y });
      return stop();
    }
    if (performance.now() > until) return stop();
    frame = requestAnimationFrame(look);
  };
  // A person who scrolls overrides the restored position.
  for (const type of GESTURES) addEventListener(type, stop, { passive: true });
  look();
  return stop;
}

export const GESTURES = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;
