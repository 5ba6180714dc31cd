import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { GESTURES, placeBefore, tellListPlace, type ListPlace } from '../scroll-memory.js';
import { T } from '../texts.js';

interface Props<Item extends object> {
  readonly items: readonly Item[];
  readonly label: string;
  /** A growing list opens at its end, a complete one at its beginning. */
  readonly startsAtEnd?: boolean;
  readonly draw: (item: Item, index: number) => JSX.Element;
}

/** The assumed height of an item before the first one is drawn. */
const GUESS_PX = 64;
const OVERSCAN_PX = 600;

/**
 * A list that keeps only the items near the window in the document, so that ten thousand lines cost as much as fifty.
 * The list scrolls with the page. It stays at its end while it grows, unless someone has scrolled away.
 */
export function VirtualList<Item extends object>({ items, label, startsAtEnd = true, draw }: Props<Item>): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<number, number>());
  // This is the position in which the screen was left, until someone scrolls.
  const left = useRef(placeBefore()?.item ?? null);
  const isAtEnd = useRef(startsAtEnd && left.current === null);
  const lastTop = useRef(0);
  // Below a complete list there is more to read, so the list stays at its own end until someone scrolls.
  const isComplete = useRef(!startsAtEnd);
  const asked = useRef<string | null>(null);
  isComplete.current = !startsAtEnd;
  const [, redraw] = useState({});
  useEffect(() => {
    let frame = 0;
    const drawSoon = (): void => {
      if (frame === 0)
        frame = requestAnimationFrame(() => {
          frame = 0;
          redraw({});
        });
    };
    const look = (): void => {
      // The list is not at its end, but nobody scrolled up, so the list has grown.
      if (!isComplete.current) isAtEnd.current = seesEnd() || (isAtEnd.current && scrollY >= lastTop.current);
      lastTop.current = scrollY;
      drawSoon();
    };
    const gesture = (): void => {
      left.current = null;
      if (isComplete.current) isAtEnd.current = false;
    };
    const stopTelling = tellListPlace(() => (isAtEnd.current ? null : firstInSight(box.current)));
    for (const type of GESTURES) addEventListener(type, gesture, { passive: true });
    const forget = (): void => {
      heights.current.clear();
      look();
    };
    // Parts that load when they are first drawn grow by themselves.
    const grows = new ResizeObserver(drawSoon);
    grows.observe(document.body);
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', forget);
    return () => {
      grows.disconnect();
      stopTelling();
      for (const type of GESTURES) removeEventListener(type, gesture);
      removeEventListener('scroll', look);
      removeEventListener('resize', forget);
      cancelAnimationFrame(frame);
    };
  }, []);

  const top = box.current === null ? 0 : -box.current.getBoundingClientRect().top;
  const { from, to, before, after } = windowOf(
    items.length,
    heights.current,
    top - OVERSCAN_PX,
    top + innerHeight + OVERSCAN_PX,
    isAtEnd.current,
  );

  useLayoutEffect(() => {
    let isChanged = false;
    for (const child of Array.from(box.current?.querySelectorAll<HTMLElement>(':scope > [data-at]') ?? [])) {
      const at = Number(child.dataset['at']);
      const height = child.offsetHeight;
      if (heights.current.get(at) === height) continue;
      heights.current.set(at, height);
      isChanged = true;
    }
    const at = left.current?.at ?? items.length;
    if (left.current !== null && box.current !== null && at < items.length) {
      const top =
        box.current.getBoundingClientRect().top + scrollY + heightBefore(heights.current, at) + left.current.px;
      if (Math.abs(top - scrollY) > 1) scrollTo({ top });
    }
    // The page has scrolled, for example because the focus moved, and the event has not arrived yet.
    if (isAtEnd.current && scrollY < lastTop.current && !seesEnd()) isAtEnd.current = false;
    if (isAtEnd.current) {
      isAtEnd.current = !showQuestion(asked) && scrollToEnd(isComplete.current ? box.current : null);
      isChanged ||= !isAtEnd.current;
      lastTop.current = scrollY;
    }
    if (isChanged) redraw({});
  });

  return (
    <>
      <div
        ref={box}
        class="virtual"
        role="feed"
        aria-label={label}
        aria-busy={false}
        // At its end the list scrolls itself. If the browser moved it to keep a line in place, that would look
        // like a person's scrolling.
        style={{ overflowAnchor: isAtEnd.current ? 'none' : 'auto' }}
      >
        <div style={{ height: `${before}px` }} />
        {items.slice(from, to).map((item, index) => (
          <div
            key={from + index}
            data-at={from + index}
            role="article"
            aria-posinset={from + index + 1}
            aria-setsize={items.length}
          >
            {draw(item, from + index)}
          </div>
        ))}
        <div style={{ height: `${after}px` }} />
      </div>
      {isAtEnd.current || (!startsAtEnd && seesEnd()) ? null : (
        <button
          class="to-end"
          type="button"
          onClick={() => {
            isAtEnd.current = true;
            redraw({});
          }}
        >
          ↓ {T.goal.latest}
        </button>
      )}
    </>
  );
}

/**
 * Shows a new question that does not fit into the window from its beginning, because its reason and its action are
 * there. A person who is typing stays at the end. @param asked the last question that was shown so. @returns whether the
 * page has scrolled to one
 */
function showQuestion(asked: { current: string | null }): boolean {
  const question = document.querySelector('#main article.decision');
  const name = question?.getAttribute('aria-labelledby') ?? null;
  if (question === null || name === asked.current || focusedPart() !== null) return false;
  const below = document.documentElement.scrollHeight - (question.getBoundingClientRect().top + scrollY);
  if (below <= innerHeight) return false;
  asked.current = name;
  question.scrollIntoView();
  return true;
}

/**
 * Scrolls to the end, unless that would move the focused element even partly out of sight. @param complete the list, if
 * its own end is meant. @returns whether the page has scrolled
 */
function scrollToEnd(complete: Element | null): boolean {
  const focused = focusedPart();
  const before = scrollY;
  const place = focused?.getBoundingClientRect() ?? null;
  const isSeen = place !== null && place.bottom > 0 && place.top < innerHeight;
  if (complete === null) scrollTo({ top: document.documentElement.scrollHeight });
  else complete.scrollIntoView({ block: 'end' });
  if (!isSeen || (focused?.getBoundingClientRect().top ?? 0) >= 0) return true;
  scrollTo({ top: before });
  return false;
}

/**
 * Returns the element that has keyboard focus. A screen that was just opened has the focus as a whole, which does not
 * count.
 */
function focusedPart(): Element | null {
  const focused = document.activeElement;
  return focused?.matches(':focus-visible:not(#main)') === true ? focused : null;
}

function seesEnd(): boolean {
  return innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
}

function heightBefore(heights: ReadonlyMap<number, number>, count: number): number {
  let height = 0;
  for (let index = 0; index < count; index += 1) height += heights.get(index) ?? GUESS_PX;
  return height;
}

/** Returns the first item that ends below the upper edge of the window. */
function firstInSight(box: HTMLElement | null): ListPlace | null {
  for (const child of Array.from(box?.querySelectorAll<HTMLElement>(':scope > [data-at]') ?? [])) {
    const { top, bottom } = child.getBoundingClientRect();
    if (bottom > 0) return { at: Number(child.dataset['at']), px: -top };
  }
  return null;
}

/** Returns the items to draw between two heights, and the space that the other items take. */
function windowOf(
  count: number,
  heights: ReadonlyMap<number, number>,
  fromPx: number,
  toPx: number,
  isAtEnd: boolean,
): { readonly from: number; readonly to: number; readonly before: number; readonly after: number } {
  const heightOf = (index: number): number => heights.get(index) ?? GUESS_PX;
  const total = heightBefore(heights, count);
  // If the list is at its end, only the end counts, however wrong the estimates before it are.
  const span = toPx - fromPx;
  const start = isAtEnd ? Math.max(0, total - span) : Math.max(0, Math.min(fromPx, total - 1));
  const end = isAtEnd ? total : toPx;
  let from = 0;
  let before = 0;
  while (from < count - 1 && before + heightOf(from) <= start) before += heightOf(from++);
  let to = from;
  let height = before;
  while (to < count && height < end) height += heightOf(to++);
  return { from, to, before, after: Math.max(0, total - height) };
}
