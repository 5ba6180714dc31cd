import { webPushApi } from '@aish/contracts/endpoints/sign-in';
import type { SubscribePush, WebPush } from '@aish/contracts/web';
import { call } from './api.js';
import { T } from './texts.js';

/** Returns whether this browser can get notifications while no page is open. */
export const canPush = (): boolean => 'serviceWorker' in navigator && 'PushManager' in globalThis;

/** Subscribes with the browser's push service and tells aish. @throws Error if the person or the browser refuses */
export async function startPush({ publicKey }: WebPush): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') throw new Error(T.settings.notificationsDenied);
  const { pushManager } = await navigator.serviceWorker.ready;
  const old = await pushManager.getSubscription();
  // A subscription made with another key of aish would never get a notification.
  if (old !== null) await old.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  await call(webPushApi.subscribe, { body: made.toJSON() as SubscribePush });
}

export async function stopPush(): Promise<void> {
  await call(webPushApi.unsubscribe, {});
  await unsubscribePush();
}

/** Cancels the subscription at the push service, which then forgets this browser. */
export async function unsubscribePush(): Promise<void> {
  if (!canPush()) return;
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  await subscription?.unsubscribe();
}
