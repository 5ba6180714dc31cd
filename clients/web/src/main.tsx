import { render } from 'preact';
import { lookWho, who, wordsOf } from './api.js';
import { App } from './app.js';
import { scriptUrl } from './trusted.js';

const root = document.getElementById('app');
if (root !== null) {
  await lookWho().catch((error: unknown) => {
    root.textContent = wordsOf(error);
  });
  if (who.get() !== undefined) {
    root.textContent = '';
    render(<App />, root);
  }
}

// The worker comes with a session and goes with it: what it keeps is what somebody who is signed in has seen.
const startWorker = (): void => {
  if (who.get() && 'serviceWorker' in navigator)
    void navigator.serviceWorker.register(scriptUrl('sw.js')).catch(() => undefined); // the page works without it, only not offline
};
startWorker();
who.listen(startWorker);
