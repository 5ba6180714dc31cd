import { render } from 'preact';
import { askEarly, lookWho, who, wordsOf } from './api.js';
import { App } from './app.js';
import { forgetAll } from './offline.js';
import { wordsOfHash } from './route.js';
import { GOALS } from './screens/goals.js';
import { scriptUrl } from './trusted.js';

/** What the first screen asks for; of a goal the screen comes beside it. */
function firstPaths([part = 'goals', reference]: readonly string[]): readonly string[] {
  if (part !== 'goals') return [];
  if (reference === undefined) return [GOALS];
  void import('./screens/goal.js');
  return [`/v1/goals/${encodeURIComponent(reference)}`];
}

const root = document.getElementById('app');
const AGAIN_MAX_MS = 10_000;
/** The first screen comes first. */
const WORKER_AFTER_MS = 1_000;
if (root !== null) {
  const early = askEarly(['/v1/decisions', ...firstPaths(wordsOfHash(location.hash))]);
  // An api that starts, or is busy, answers later: nobody has to load the page again for that.
  for (let againMs = 1_000; who.get() === undefined; againMs = Math.min(againMs * 2, AGAIN_MAX_MS)) {
    try {
      await lookWho();
    } catch (error) {
      root.textContent = wordsOf(error);
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }
  if (who.get()) await early;
  root.textContent = '';
  render(<App />, root);
}

// The worker comes with a session and goes with it: what it keeps is what somebody who is signed in has seen. Whoever signs in
// at once does not lose the new one to what takes the old one away.
let forgotten: Promise<unknown> = Promise.resolve();
const follow = (): void => {
  if (who.get() === null) forgotten = forgetAll();
  else setTimeout(() => void forgotten.then(startWorker), WORKER_AFTER_MS);
};
function startWorker(): void {
  if (who.get() && 'serviceWorker' in navigator)
    void navigator.serviceWorker.register(scriptUrl('sw.js')).catch(() => undefined); // the page works without it, only not offline
}
follow();
who.listen(follow);
