import type { LiveProgress } from '@aish/contracts/chat';
import { formatDuration } from './duration.format.js';
import { plural } from '@aish/contracts/plural';

/** The activity of a model and its duration: `the model is reading 40 % of 6000 tokens · 12 s`. */
export function formatProgress({ phase, done, of, seconds }: LiveProgress): string {
  return `${doingOf({ phase, done, of })} · ${seconds < 10 ? `${seconds} s` : formatDuration(seconds * 1_000)}`;
}

function doingOf({ phase, done, of }: Omit<LiveProgress, 'seconds'>): string {
  switch (phase) {
    case 'waits':
      return 'waiting for the model';
    case 'unreachable':
      return 'the model is not responding, retrying';
    case 'loads':
      return done === null ? 'the model is loading' : `the model is loading, ${done} %`;
    case 'reads':
      return of === null
        ? 'the model is reading'
        : `the model is reading ${Math.floor((100 * (done ?? 0)) / Math.max(1, of))} % of ${plural(of, 'token')}`;
    case 'thinks':
      return `the model is thinking, about ${plural(done ?? 0, 'token')}`;
    case 'writes':
      return `the model is writing, about ${plural(done ?? 0, 'token')}`;
  }
}
