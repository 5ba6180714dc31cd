import { goalsApi } from '@aish/contracts/endpoints/goals';
import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { render } from 'preact';
import { askEarly, earlyAnswers, lookWho, who, wordsOf } from './api.js';
import { App } from './app.js';
import { forgetAll } from './offline.js';
import { wordsOfHash } from './route.js';
import { GOALS } from './screens/goals.js';
import { scriptUrl } from './trusted.js';

/** Sends the first screen's requests early, and loads the code of the goal screen at the same time. */
function askFirst([part = 'goals', reference]: readonly string[]): void {
  if (part !== 'goals') return;
  if (reference === undefined) return askEarly(goalsApi.list, GOALS);
  void import('./screens/goal.js');
  askEarly(goalsApi.show, { params: { ref: reference } });
}

// This has the same effect as `z.config`, without loading zod for the first screen. zod would try to evaluate text as
// code, which the page forbids.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

const root = document.getElementById('app');
const AGAIN_MAX_MS = 10_000;
/** The service worker waits this long, because the first screen has priority. */
const WORKER_AFTER_MS = 1_000;
if (root !== null) {
  askEarly(decisionsApi.list, {});
  askFirst(wordsOfHash(location.hash));
  // If the api is starting or busy, the page retries, so that nobody has to reload it.
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

// The service worker is installed at sign-in and removed at sign-out, because it stores screens that a signed-in person
// has seen. After a quick sign-in, the removal of the old worker must not remove the new one.
let forgotten: Promise<unknown> = Promise.resolve();
const follow = (): void => {
  if (who.get() === null) forgotten = forgetAll();
  else setTimeout(() => void forgotten.then(startWorker), WORKER_AFTER_MS);
};
function startWorker(): void {
  if (who.get() && 'serviceWorker' in navigator)
    // Without the worker the page works only online.
    void navigator.serviceWorker.register(scriptUrl('sw.js')).catch(() => undefined);
}
follow();
who.listen(follow);
