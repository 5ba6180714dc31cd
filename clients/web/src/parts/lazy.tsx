import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A part that is loaded when it is first drawn. Until then `placeholder` is drawn. */
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
      const show = async (): Promise<void> => {
        const { default: it } = await load();
        loaded = it;
        if (!isGone) setPart({ it });
      };
      show().catch(() => undefined); // offline: the placeholder stays
      return () => {
        isGone = true;
      };
    }, [Part]);
    return Part === null ? placeholder(props) : <Part.it {...props} />;
  };
}
