import { ask, who } from './api.js';
import { goSilent } from './live/live.js';
import { forgetAll } from './offline.js';
import { unsubscribePush } from './push.js';

/** Ends the session of this browser, or those of all of this person's. Nothing that was seen stays here. */
export async function signOut(what: 'session' | 'devices'): Promise<void> {
  goSilent();
  await ask('DELETE', `/v1/web/${what}`);
  await unsubscribePush();
  await forgetAll();
  location.hash = '';
  who.set(null);
}
