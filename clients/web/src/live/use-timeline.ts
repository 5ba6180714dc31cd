import type { LiveBody, SessionEvent } from '@aish/contracts/events';
import { emptyTimeline, type Timeline } from '@aish/views/entries';
import { addEvent, addLive } from '@aish/views/timeline';
import { useEffect, useState } from 'preact/hooks';
import { keepTimeline, keptTimeline } from '../offline.js';
import { watchSession } from './live.js';

/**
 * New events are drawn at this interval. People see no difference at a higher rate, and a replay of thousands is drawn
 * once.
 */
const DRAW_MS = 40;
const KEEP_MS = 5_000;

export interface Followed {
  readonly timeline: Timeline;
  /** Whether the timeline was stored during an earlier visit and is not current. */
  readonly isOld: boolean;
}

/** Returns the timeline of a session while it grows. */
export function useTimeline(session: string | null): Followed {
  const [followed, setFollowed] = useState<Followed>({ timeline: emptyTimeline, isOld: false });
  useEffect(() => {
    if (session === null) return;
    let timeline = emptyTimeline;
    let drawing: ReturnType<typeof setTimeout> | null = null;
    let keptAt = 0;
    setFollowed({ timeline, isOld: false });
    const drawSoon = (): void => {
      drawing ??= setTimeout(() => {
        drawing = null;
        setFollowed({ timeline, isOld: false });
        if (Date.now() - keptAt < KEEP_MS) return;
        keptAt = Date.now();
        void keepTimeline(session, timeline);
      }, DRAW_MS);
    };
    const stop = watchSession(session, {
      events: (events: readonly SessionEvent[]) => {
        timeline = events.reduce(addEvent, timeline);
        drawSoon();
      },
      live: (bodies: readonly LiveBody[]) => {
        timeline = bodies.reduce((before, body) => addLive(before, body, Date.now()), timeline);
        drawSoon();
      },
    });
    const showOld = async (): Promise<void> => {
      const old = await keptTimeline(session);
      if (old !== null && timeline.entries.length === 0) setFollowed({ timeline: old, isOld: true });
    };
    void showOld();
    return () => {
      stop();
      if (drawing !== null) clearTimeout(drawing);
      if (timeline.entries.length > 0) void keepTimeline(session, timeline);
    };
  }, [session]);
  return followed;
}
