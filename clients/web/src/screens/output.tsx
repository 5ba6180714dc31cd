import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Trouble } from '../parts/resource.js';
import { Spans } from '../parts/spans.js';
import { T } from '../texts.js';
import type { OutputPage } from './output.window.js';
import { useOutput, type OutputReader } from './use-output.js';

/** The next lines are requested when either end is this close. */
const NEAR_PX = 800;

/** Shows the complete output of a command, over the page from which it was opened. */
export default function OutputPager({ actionId }: { readonly actionId: string }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const reader = useOutput(actionId);
  const { shown, goOn, goBack, goTo, retry } = reader;
  const { action, total, omittedBytes, pages, keep, to, found, trouble } = shown;

  useLayoutEffect(() => {
    const here = dialog.current;
    here?.showModal();
    box.current?.focus();
    return () => here?.close();
  }, []);

  const lineAt = (line: number): HTMLElement | null => box.current?.querySelector(`[data-line="${line}"]`) ?? null;
  const topOf = (line: number): number => lineAt(line)?.getBoundingClientRect().top ?? 0;
  const look = (): void => {
    if (box.current === null) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    if (scrollHeight - scrollTop - clientHeight < NEAR_PX) goOn();
    if (scrollTop < NEAR_PX) goBack();
  };
  // This is the position of the line before the document changes.
  const kept = keep === null ? 0 : topOf(keep);
  useLayoutEffect(() => {
    if (to !== null) lineAt(to.line)?.scrollIntoView({ block: to.at });
    else if (keep !== null && box.current !== null) box.current.scrollTop += topOf(keep) - kept;
    look();
  }, [shown]);

  return (
    <dialog
      ref={dialog}
      class="pager"
      aria-label={T.output.title}
      onCancel={(event) => {
        event.preventDefault();
        history.back();
      }}
    >
      <header>
        <p class="pager-title">
          <code>{oneLine(action)}</code>
          <span class="s-dim">
            {T.output.lines(total)}
            {omittedBytes > 0 ? ` · ${T.goal.omitted(omittedBytes)}` : ''}
            <span role="status">
              {found === null ? '' : ` · ${found === 'none' ? T.output.none : T.output.at(found)}`}
            </span>
          </span>
        </p>
        <div class="pager-tools">
          <button type="button" onClick={() => goTo('start')}>
            {T.output.start}
          </button>
          <button type="button" onClick={() => goTo('end')}>
            {T.output.end}
          </button>
          <button type="button" class="primary" onClick={() => history.back()}>
            {T.close}
          </button>
        </div>
        <Finder reader={reader} firstInSight={() => firstIn(box.current)} />
      </header>
      {trouble === null ? null : (
        <Trouble>
          {trouble}{' '}
          <button type="button" onClick={retry}>
            {T.retry}
          </button>
        </Trouble>
      )}
      <div
        ref={box}
        class="pager-lines"
        role="region"
        aria-label={T.output.title}
        tabIndex={0}
        style={{ '--digits': String(total).length }}
        onScroll={look}
        onKeyDown={(event) => {
          const place = { Home: 'start', End: 'end' } as const;
          const wanted = place[event.key as keyof typeof place] as 'start' | 'end' | undefined;
          if (wanted === undefined) return;
          event.preventDefault();
          goTo(wanted);
        }}
      >
        {pages.map((page) => (
          <Lines key={page.from} page={page} found={found} />
        ))}
      </div>
    </dialog>
  );
}

function Lines({
  page: { from, lines },
  found,
}: {
  readonly page: OutputPage;
  readonly found: number | 'none' | null;
}): JSX.Element {
  return (
    <div>
      {lines.map((spans, index) => (
        <div key={index} data-line={from + index} class={from + index === found ? 'found' : undefined}>
          <Spans of={spans} />
        </div>
      ))}
    </div>
  );
}

function Finder({
  reader: { shown, find },
  firstInSight,
}: {
  readonly reader: OutputReader;
  readonly firstInSight: () => number;
}): JSX.Element {
  const [text, setText] = useState('');
  const lookedFor = useRef('');
  const { found, total } = shown;
  const go = (back: boolean): void => {
    if (text === '') return;
    const isAgain = text === lookedFor.current && typeof found === 'number';
    const beside = isAgain ? found + (back ? -1 : 1) : firstInSight();
    lookedFor.current = text;
    find({ text, from: beside < 1 ? Math.max(1, total) : beside, back });
  };
  return (
    <search class="pager-find">
      <input
        type="search"
        class="search"
        aria-label={T.output.find}
        placeholder={T.output.find}
        title={T.output.findHelp}
        maxLength={1_000}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing) return;
          event.preventDefault();
          go(event.shiftKey);
        }}
      />
      <button type="button" onClick={() => go(true)}>
        {T.output.before}
      </button>
      <button type="button" onClick={() => go(false)}>
        {T.output.next}
      </button>
    </search>
  );
}

/** Returns the number of the first visible line. */
function firstIn(box: HTMLElement | null): number {
  const top = box?.getBoundingClientRect().top ?? 0;
  const lines = Array.from(box?.querySelectorAll<HTMLElement>('[data-line]') ?? []);
  return Number(lines.find((line) => line.getBoundingClientRect().bottom > top)?.dataset['line'] ?? 1);
}
