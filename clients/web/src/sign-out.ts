import { webSessionApi } from '@aish/contracts/endpoints/sign-in';
import { call, who } from './api.js';
import { goSilent } from './live/live.js';
import { forgetAll } from './offline.js';
import { unsubscribePush } from './push.js';

/** Ends the session of this browser, or those of all of this person's. Nothing that was seen stays here. */
export async function signOut(what: 'session' | 'devices'): Promise<void> {
  goSilent();
  await call(what === 'session' ? webSessionApi.signOut : webSessionApi.signOutEverywhere, {});
  await unsubscribePush();
  await forgetAll();
  location.hash = '';
  who.set(null);
}
