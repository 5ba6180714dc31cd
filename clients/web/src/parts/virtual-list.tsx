import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { T } from '../texts.js';

interface Props<Item extends object> {
  readonly items: readonly Item[];
  readonly label: string;
  readonly draw: (item: Item, index: number) => JSX.Element;
}

/** Before one has been drawn. */
const GUESS_PX = 64;
const OVERSCAN_PX = 600;

/**
 * A list of which only what is near the window is in the document: ten thousand lines cost as much as fifty. It scrolls
 * with the page, and stays at its end while more comes unless somebody has scrolled away from there.
 */
export function VirtualList<Item extends object>({ items, label, draw }: Props<Item>): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<number, number>());
  const isAtEnd = useRef(true);
  const lastTop = useRef(0);
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
      // Not at the end without having gone up: it has grown since.
      isAtEnd.current = seesEnd() || (isAtEnd.current && scrollY >= lastTop.current);
      lastTop.current = scrollY;
      drawSoon();
    };
    const forget = (): void => {
      heights.current.clear();
      look();
    };
    // Parts that are loaded when they are first drawn grow by themselves.
    const grows = new ResizeObserver(drawSoon);
    grows.observe(document.body);
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', forget);
    return () => {
      grows.disconnect();
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
    // Scrolled away by the focus, say, of which the event is still to come.
    if (isAtEnd.current && scrollY < lastTop.current && !seesEnd()) isAtEnd.current = false;
    if (isAtEnd.current) {
      isAtEnd.current = scrollToEnd();
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
        // At its end the list scrolls itself. What the browser moves to keep a line in its place would look as if a person had.
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
      {isAtEnd.current ? null : (
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

/** Unless that would take what the keyboard is at out of sight. @returns whether it has */
function scrollToEnd(): boolean {
  const focused = document.activeElement;
  const before = scrollY;
  const isSeen = focused?.matches(':focus-visible') === true && isInWindow(focused);
  scrollTo({ top: document.documentElement.scrollHeight });
  if (!isSeen || isInWindow(focused)) return true;
  scrollTo({ top: before });
  return false;
}

function isInWindow(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

function seesEnd(): boolean {
  return innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
}

/** Which items are to be drawn between two heights, and how much room the others take. */
function windowOf(
  count: number,
  heights: ReadonlyMap<number, number>,
  fromPx: number,
  toPx: number,
  isAtEnd: boolean,
): { readonly from: number; readonly to: number; readonly before: number; readonly after: number } {
  const heightOf = (index: number): number => heights.get(index) ?? GUESS_PX;
  let total = 0;
  for (let index = 0; index < count; index += 1) total += heightOf(index);
  // At the end it is the end that counts, however wrong the guesses before it are.
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
