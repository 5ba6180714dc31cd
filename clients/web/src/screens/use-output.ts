import { outputApi } from '@aish/contracts/endpoints/files';
import { linesOfOutput } from '@aish/views/output.lines';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, wordsOf } from '../api.js';
import {
  isHere,
  linesAfter,
  linesAround,
  linesBefore,
  withAfter,
  withBefore,
  type Lines,
  type OutputPage,
} from './output.window.js';

interface ShownOutput {
  readonly action: string;
  readonly total: number;
  readonly omittedBytes: number;
  readonly pages: readonly OutputPage[];
  /** The number of a line that stays in place although the lines around it change. */
  readonly keep: number | null;
  /** A line to scroll into view. */
  readonly to: { readonly line: number; readonly at: 'start' | 'center' | 'end' } | null;
  /** The number of the line that was found, or `none`. */
  readonly found: number | 'none' | null;
  readonly trouble: string | null;
}

type Change = Partial<ShownOutput>;

const NOTHING: ShownOutput = {
  action: '',
  total: 0,
  omittedBytes: 0,
  pages: [],
  keep: null,
  to: null,
  found: null,
  trouble: null,
};

export interface OutputReader {
  readonly shown: ShownOutput;
  readonly goOn: () => void;
  readonly goBack: () => void;
  readonly goTo: (place: 'start' | 'end') => void;
  readonly find: (wanted: { readonly text: string; readonly from: number; readonly back: boolean }) => void;
  readonly retry: () => void;
}

/** Reads the output of an action, a few pages at a time. */
export function useOutput(actionId: string): OutputReader {
  const [shown, setShown] = useState(NOTHING);
  const now = useRef(shown);
  const asking = useRef<AbortController | null>(null);
  const last = useRef<(signal: AbortSignal) => Promise<Change>>(async () => ({}));
  const params = { id: actionId };

  const run = async (work: (signal: AbortSignal) => Promise<Change>): Promise<void> => {
    asking.current?.abort();
    const mine = new AbortController();
    asking.current = mine;
    last.current = work;
    const change = await work(mine.signal).catch((error: unknown) => ({ trouble: wordsOf(error) }));
    if (mine.signal.aborted) return;
    asking.current = null;
    now.current = { ...now.current, keep: null, to: null, trouble: null, ...change };
    setShown(now.current);
  };

  const read = async ({ from, limit }: Lines, signal: AbortSignal): Promise<[OutputPage, Change]> => {
    const {
      action,
      output,
      lines: total,
      omittedBytes,
    } = await call(outputApi.read, { params, query: { from, limit } }, signal);
    return [
      { from, lines: output === '' ? [] : linesOfOutput(output) },
      { action, total, omittedBytes },
    ];
  };

  const more = (lines: Lines | null, keep: number | undefined, add: typeof withAfter): void => {
    // If a request is running or has failed, no further request starts by itself.
    if (lines === null || asking.current !== null || now.current.trouble !== null) return;
    void run(async (signal) => {
      const [page, about] = await read(lines, signal);
      // The output is shorter than before, because the sandbox no longer stores the complete output.
      if (page.lines.length === 0) return { ...about, total: lines.from - 1 };
      return { ...about, pages: add(now.current.pages, page), keep: keep ?? null };
    });
  };

  const jump = async (to: NonNullable<ShownOutput['to']>, signal: AbortSignal): Promise<Change> => {
    const { pages, total } = now.current;
    if (isHere(pages, to.line)) return { to };
    const [page, about] = await read(linesAround(to.line, total), signal);
    return { ...about, pages: [page], to };
  };

  useEffect(() => {
    void run(async (signal) => {
      const [page, about] = await read(linesAround(1, 0), signal);
      return { ...about, pages: [page] };
    });
    return () => asking.current?.abort();
  }, [actionId]);

  return {
    shown,
    goOn: () => {
      const { pages, total } = now.current;
      more(linesAfter(pages, total), pages.at(-1)?.from, withAfter);
    },
    goBack: () => {
      const { pages } = now.current;
      more(linesBefore(pages), pages[0]?.from, withBefore);
    },
    goTo: (place) => void run((signal) => jump({ line: place === 'start' ? 1 : now.current.total, at: place }, signal)),
    find: ({ text, from, back }) =>
      void run(async (signal) => {
        const { line } = await call(outputApi.find, { params, query: { text, from, back } }, signal);
        return line === null ? { found: 'none' } : { ...(await jump({ line, at: 'center' }, signal)), found: line };
      }),
    retry: () => void run(last.current),
  };
}
