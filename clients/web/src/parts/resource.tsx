import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '@aish/client/api.error';
import { urlOf, type Answer, type Endpoint, type Sent } from '@aish/contracts/endpoint';
import { call, earlyAnswer, isOnline, wordsOf } from '../api.js';
import { changes } from '../live/live.js';
import { useStore } from '../store.js';
import { T } from '../texts.js';

export interface Resource<T> {
  readonly data: T | null;
  readonly trouble: string | null;
  readonly reload: () => void;
}

const PAUSE_MIN_MS = 1_000;
const PAUSE_MAX_MS = 30_000;

/**
 * Loads the answer of an endpoint. If `live`, the answer is reloaded whenever anything changes. If the api is
 * unavailable, the request is retried after growing pauses. Null requests nothing.
 */
export function useResource<const E extends Endpoint>(
  endpoint: E,
  sent: Sent<E> | null,
  isLive = false,
): Resource<Answer<E>> {
  type T = Answer<E>;
  const path = sent === null ? null : urlOf(endpoint, sent);
  const [first] = useState(() => (path === null ? null : (earlyAnswer(path) as T | null)));
  const [state, setState] = useState<{ path: string | null; data: T | null; trouble: string | null }>({
    path,
    data: first,
    trouble: null,
  });
  const isHere = useRef(first !== null);
  const [again, setAgain] = useState(0);
  const pauseMs = useRef(PAUSE_MIN_MS);
  const change = useStore(changes);
  const online = useStore(isOnline);
  const shown = useRef(path);
  useEffect(() => {
    if (sent === null) return;
    if (isHere.current) {
      isHere.current = false;
      return;
    }
    const stop = new AbortController();
    if (shown.current !== path) {
      setState({ path, data: null, trouble: null });
      pauseMs.current = PAUSE_MIN_MS;
    }
    shown.current = path;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      try {
        const data = await call(endpoint, sent, stop.signal);
        pauseMs.current = PAUSE_MIN_MS;
        setState({ path, data, trouble: null });
      } catch (error) {
        if (stop.signal.aborted) return;
        setState((old) => ({ ...old, path, trouble: wordsOf(error) }));
        if (!(error instanceof ApiError) || error.kind !== 'unreachable') return;
        timer = setTimeout(() => setAgain((n) => n + 1), pauseMs.current);
        pauseMs.current = Math.min(PAUSE_MAX_MS, pauseMs.current * 2);
      }
    };
    void load();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [path, again, isLive ? change : 0]);
  // The network is back, so the next attempt starts immediately.
  useEffect(() => {
    if (online && state.trouble !== null) setAgain((n) => n + 1);
  }, [online]);
  const isOther = state.path !== path;
  return {
    data: isOther ? null : state.data,
    trouble: isOther ? null : state.trouble,
    reload: () => setAgain((n) => n + 1),
  };
}

/** Shows a resource that is loaded, is loading, or cannot be loaded. */
export function Loaded<T>({
  of: { data, trouble, reload },
  children,
}: {
  readonly of: Resource<T>;
  readonly children: (data: T) => ComponentChildren;
}): JSX.Element {
  if (data !== null) return <>{children(data)}</>;
  if (trouble === null) return <p class="s-dim loading">{T.loading}</p>;
  return (
    <Trouble>
      {trouble}{' '}
      <button type="button" onClick={reload}>
        {T.retry}
      </button>
    </Trouble>
  );
}

export function Trouble({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <p class="trouble" role="alert">
      {children}
    </p>
  );
}

export interface Doing {
  readonly isBusy: boolean;
  readonly trouble: string | null;
  /** Does one thing at a time. @returns whether it succeeded */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
}

export function useDoing(): Doing {
  const [state, setState] = useState<{ isBusy: boolean; trouble: string | null }>({ isBusy: false, trouble: null });
  const busy = useRef(false);
  return {
    ...state,
    run: async (work) => {
      if (busy.current) return false;
      busy.current = true;
      setState({ isBusy: true, trouble: null });
      try {
        await work();
        setState({ isBusy: false, trouble: null });
        return true;
      } catch (error) {
        setState({ isBusy: false, trouble: wordsOf(error) });
        return false;
      } finally {
        busy.current = false;
      }
    },
  };
}
