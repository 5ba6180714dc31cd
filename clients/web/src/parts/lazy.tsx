import { webSessionApi } from '@aish/contracts/endpoints/sign-in';
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call, isOnline } from '../api.js';

const PAUSE_MIN_MS = 500;
const PAUSE_MAX_MS = 10_000;
const RELOADED_AT = 'aish-reloaded-at';
const RELOAD_PAUSE_MS = 60_000;
const ANSWER_MAX_MS = 5_000;

/** Whether the api itself answers. Stored answers do not count. */
function isServerThere(): Promise<boolean> {
  return call(webSessionApi.show, {}, AbortSignal.timeout(ANSWER_MAX_MS)).then(
    () => isOnline.get(),
    () => false,
  );
}

/**
 * Browsers remember a module that they could not load, so only a new page can load it. A module that is really missing
 * must not reload the page without end.
 */
function reloadOnce(): void {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < RELOAD_PAUSE_MS) return;
  sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  location.reload();
}

/** Returns a part that is loaded when it is first drawn. Until then `placeholder` is drawn. */
export function lazy<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
  placeholder: (props: P) => JSX.Element | null,
): (props: P) => JSX.Element | null {
  let loaded: ComponentType<P> | null = null;
  return function Lazy(props: P) {
    const [Part, setPart] = useState<{ readonly it: ComponentType<P> } | null>(loaded === null ? null : { it: loaded });
    useEffect(() => {
      if (Part !== null) return;
      let isGone = false;
      let pauseMs = PAUSE_MIN_MS;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const show = async (): Promise<void> => {
        clearTimeout(timer);
        try {
          const { default: it } = await load();
          loaded = it;
          if (!isGone) setPart({ it });
        } catch {
          // If the browser is offline, the placeholder stays until the network is back.
          if (isGone) return;
          if (await isServerThere()) reloadOnce();
          if (isGone) return;
          timer = setTimeout(() => void show(), pauseMs);
          pauseMs = Math.min(PAUSE_MAX_MS, pauseMs * 2);
        }
      };
      const atOnce = (): void => void show();
      addEventListener('online', atOnce);
      void show();
      return () => {
        isGone = true;
        clearTimeout(timer);
        removeEventListener('online', atOnce);
      };
    }, [Part]);
    return Part === null ? placeholder(props) : <Part.it {...props} />;
  };
}
