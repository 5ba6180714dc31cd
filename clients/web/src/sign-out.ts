import { webSessionApi } from '@aish/contracts/endpoints/sign-in';
import { call, who } from './api.js';
import { forgetDrafts } from './drafts.js';
import { goSilent, tellSignedOut } from './live/live.js';
import { forgetAll } from './offline.js';
import { unsubscribePush } from './push.js';

/** Ends this browser's session, or all sessions of this person. All data stored in this browser is deleted. */
export async function signOut(what: 'session' | 'devices'): Promise<void> {
  goSilent();
  await call(what === 'session' ? webSessionApi.signOut : webSessionApi.signOutEverywhere, {});
  tellSignedOut();
  forgetDrafts();
  await unsubscribePush();
  await forgetAll();
  location.hash = '';
  who.set(null);
}
