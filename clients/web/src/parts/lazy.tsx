import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A part that is loaded when it is first drawn; until then `meanwhile` stands in its place. */
export function lazy<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
  meanwhile: (props: P) => JSX.Element | null,
): (props: P) => JSX.Element | null {
  let loaded: ComponentType<P> | null = null;
  return function Lazy(props: P) {
    const [Part, setPart] = useState<{ readonly it: ComponentType<P> } | null>(loaded === null ? null : { it: loaded });
    useEffect(() => {
      if (Part !== null) return;
      let isGone = false;
      const show = async (): Promise<void> => {
        const { default: it } = await load();
        loaded = it;
        if (!isGone) setPart({ it });
      };
      show().catch(() => undefined); // offline: what stands in its place stays
      return () => {
        isGone = true;
      };
    }, [Part]);
    return Part === null ? meanwhile(props) : <Part.it {...props} />;
  };
}
