import type { LiveProgress } from '@aish/contracts/chat';
import { formatDuration } from './duration.format.js';
import { plural } from './plural.js';

/** What a model does that is being asked, and for how long: `the model reads 40 % of 6000 tokens · 12 s`. */
export function formatProgress({ phase, done, of, seconds }: LiveProgress): string {
  return `${doingOf({ phase, done, of })} · ${seconds < 10 ? `${seconds} s` : formatDuration(seconds * 1_000)}`;
}

function doingOf({ phase, done, of }: Omit<LiveProgress, 'seconds'>): string {
  switch (phase) {
    case 'waits':
      return 'waits for the model';
    case 'unreachable':
      return 'the model does not answer, asks again';
    case 'loads':
      return done === null ? 'the model is loading' : `the model is loading, ${done} %`;
    case 'reads':
      return of === null
        ? 'the model reads'
        : `the model reads ${Math.floor((100 * (done ?? 0)) / Math.max(1, of))} % of ${plural(of, 'token')}`;
    case 'thinks':
      return `the model thinks, about ${plural(done ?? 0, 'token')}`;
    case 'writes':
      return `the model writes, about ${plural(done ?? 0, 'token')}`;
  }
}
