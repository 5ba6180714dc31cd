import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { T } from '../texts.js';

/** Nobody intends to press a button that has just appeared or moved. */
const STEADY_MS = 500;
/** A smaller distance does not count as a move. */
const SLACK_PX = 3;
const SAID_MS = 3_000;

/** All watched boxes look again when one of them changes, because a box that grows moves the others. */
const looks = new Set<() => void>();
const sizes = typeof ResizeObserver === 'undefined' ? null : new ResizeObserver(() => looks.forEach((look) => look()));

/**
 * Makes buttons ignore presses for half a second after they have appeared or moved, and say so. A move caused by the
 * person's own scrolling does not count. A repeating key presses nothing.
 */
export function Steady({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const top = useRef<number | null>(null);
  const movedAt = useRef(performance.now());
  const isStray = useRef(false);
  const [saidAt, setSaidAt] = useState<number | null>(null);

  const topNow = (): number | null => {
    const buttons = box.current?.querySelector('.actions') ?? box.current;
    return buttons?.getBoundingClientRect().top ?? null;
  };
  const look = (): void => {
    const now = topNow();
    if (top.current !== null && now !== null && Math.abs(now - top.current) > SLACK_PX) {
      movedAt.current = performance.now();
    }
    top.current = now;
  };
  useLayoutEffect(look);
  useLayoutEffect(() => {
    const scrolled = (): void => {
      top.current = topNow();
    };
    const watched = [document.body, box.current?.closest('article'), box.current?.closest('article')?.parentElement];
    for (const each of watched) if (each instanceof Element) sizes?.observe(each);
    looks.add(look);
    addEventListener('scroll', scrolled, { capture: true, passive: true });
    return () => {
      looks.delete(look);
      removeEventListener('scroll', scrolled, { capture: true });
      const [, article] = watched;
      if (article instanceof Element) sizes?.unobserve(article);
    };
  }, []);
  useEffect(() => {
    if (saidAt === null) return;
    const late = setTimeout(() => setSaidAt(null), SAID_MS);
    return () => clearTimeout(late);
  }, [saidAt]);

  const isTooSoon = (): boolean => performance.now() - movedAt.current < STEADY_MS;
  const ignore = (event: Event): void => {
    event.preventDefault();
    event.stopPropagation();
  };
  const begin = (event: Event): void => {
    isStray.current = isOnButton(event) && isTooSoon();
    if (!isStray.current) return;
    ignore(event);
    setSaidAt(performance.now());
  };
  return (
    <div
      ref={box}
      class="steady"
      onPointerDownCapture={begin}
      onKeyDownCapture={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        if (!event.repeat) begin(event);
        else if (isOnButton(event)) ignore(event);
      }}
      onClickCapture={(event) => {
        const isIgnored = isOnButton(event) && (isStray.current || isTooSoon());
        isStray.current = false;
        if (!isIgnored) return;
        ignore(event);
        setSaidAt(performance.now());
      }}
    >
      {children}
      <p class="too-soon s-warn" role="status">
        {saidAt === null ? '' : T.decision.tooSoon}
      </p>
    </div>
  );
}

function isOnButton({ target }: Event): boolean {
  return target instanceof Element && target.closest('button') !== null;
}
