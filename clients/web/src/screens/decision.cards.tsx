import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import type { Decision } from '@aish/contracts/decisions';
import { formatVerdict } from '@aish/views/decision.format';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../api.js';
import { T } from '../texts.js';
import type { Begun } from './card.props.js';
import { DecisionCard } from './decision.card.js';

/**
 * Shows the cards of pending decisions. A card that was answered elsewhere says who decided and how. A card with typed
 * text stays until the person closes it.
 */
export function DecisionCards({
  items,
  done,
}: {
  readonly items: readonly Decision[];
  readonly done: () => void;
}): JSX.Element {
  const [ended, setEnded] = useState<ReadonlyMap<string, string>>(new Map());
  const [newest, setNewest] = useState<string | null>(null);
  const [, draw] = useState({});
  const begun = useRef(new Map<string, Begun>());
  const drawn = useRef<readonly Decision[]>([]);
  const waited = useRef<readonly Decision[]>([]);

  const begunAt = ({ id }: Decision): Begun => {
    const known = begun.current.get(id) ?? { isKept: false, isSending: false, isOwn: false };
    begun.current.set(id, known);
    return known;
  };
  const waits = new Set(items.map(({ id }) => id));
  const isLeft = (decision: Decision): boolean => {
    const { isKept, isSending, isOwn } = begunAt(decision);
    return !waits.has(decision.id) && !isOwn && (isKept || isSending);
  };
  const shown = withLeft(items, drawn.current, isLeft);
  drawn.current = shown;

  async function seeHow(decision: Decision): Promise<void> {
    const fresh = await call(decisionsApi.show, { params: { ref: decision.id } }).catch(() => null);
    const how = fresh === null ? null : formatVerdict(fresh);
    const { isKept, isOwn } = begunAt(decision);
    if (how === null || isOwn) return;
    const said = T.decision.elsewhere(decision.number, how);
    if (isKept) setEnded((old) => new Map(old).set(decision.id, said));
    else setNewest(said);
  }
  async function sayWho(decision: Decision): Promise<void> {
    await seeHow(decision);
    done();
  }
  useEffect(() => {
    const gone = waited.current.filter(({ id }) => !waits.has(id));
    waited.current = items;
    for (const decision of gone) if (!begunAt(decision).isOwn && !begunAt(decision).isSending) void seeHow(decision);
  }, [items.map(({ id }) => id).join()]);

  // When a focused card is answered, the focus moves to the next card or to the list.
  const list = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  useEffect(() => {
    if (hadFocus.current && document.activeElement === document.body) {
      (list.current?.querySelector<HTMLElement>('article') ?? document.getElementById('main'))?.focus({
        preventScroll: true,
      });
    }
  }, [shown.map(({ id }) => id).join()]);

  return (
    <div
      ref={list}
      class="cards"
      onFocusCapture={() => {
        hadFocus.current = true;
      }}
      onPointerDown={() => {
        hadFocus.current = false;
      }}
    >
      {newest === null ? null : (
        <p class="s-warn" role="status">
          {newest}{' '}
          <button type="button" class="quiet" onClick={() => setNewest(null)}>
            {T.close}
          </button>
        </p>
      )}
      {shown.map((decision) => (
        <DecisionCard
          key={decision.id}
          decision={decision}
          begun={begunAt(decision)}
          ended={waits.has(decision.id) || begunAt(decision).isSending ? null : (ended.get(decision.id) ?? '')}
          done={done}
          taken={() => void sayWho(decision)}
          close={() => {
            begunAt(decision).isKept = false;
            draw({});
          }}
        />
      ))}
    </div>
  );
}

/** Returns the pending decisions and, in their old places, those that are answered but still shown. */
function withLeft(
  items: readonly Decision[],
  before: readonly Decision[],
  isLeft: (decision: Decision) => boolean,
): readonly Decision[] {
  const all = [...items];
  for (const [at, decision] of before.entries())
    if (isLeft(decision)) all.splice(Math.min(at, all.length), 0, decision);
  return all;
}
