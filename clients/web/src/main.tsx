import { goalsApi } from '@aish/contracts/endpoints/goals';
import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { render } from 'preact';
import { askEarly, earlyAnswers, lookWho, who, wordsOf } from './api.js';
import { App } from './app.js';
import { forgetAll } from './offline.js';
import { wordsOfHash } from './route.js';
import { GOALS } from './screens/goals.js';
import { scriptUrl } from './trusted.js';

/** Asks for what the first screen will ask for; of a goal the screen comes beside it. */
function askFirst([part = 'goals', reference]: readonly string[]): void {
  if (part !== 'goals') return;
  if (reference === undefined) return askEarly(goalsApi.list, GOALS);
  void import('./screens/goal.js');
  askEarly(goalsApi.show, { params: { ref: reference } });
}

// As `z.config` does, without zod on the first screen: it would try to make code of text, which the page forbids.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

const root = document.getElementById('app');
const AGAIN_MAX_MS = 10_000;
/** The first screen comes first. */
const WORKER_AFTER_MS = 1_000;
if (root !== null) {
  askEarly(decisionsApi.list, {});
  askFirst(wordsOfHash(location.hash));
  // An api that starts, or is busy, answers later: nobody has to load the page again for that.
  for (let againMs = 1_000; who.get() === undefined; againMs = Math.min(againMs * 2, AGAIN_MAX_MS)) {
    try {
      await lookWho();
    } catch (error) {
      root.textContent = wordsOf(error);
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }
  if (who.get()) await earlyAnswers();
  root.textContent = '';
  render(<App />, root);
}

// The worker comes with a session and goes with it: it keeps what a signed-in person has seen. After a quick sign-in,
// the removal of the old worker must not remove the new one.
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
