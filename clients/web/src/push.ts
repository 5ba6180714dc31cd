import { webPushApi } from '@aish/contracts/endpoints/sign-in';
import type { SubscribePush, WebPush } from '@aish/contracts/web';
import { call } from './api.js';
import { T } from './texts.js';

/** Whether this browser can be told anything while no page is open. */
export const canPush = (): boolean => 'serviceWorker' in navigator && 'PushManager' in globalThis;

/** Subscribes at the browser's push service and tells aish. @throws Error where the person or the browser refuses */
export async function startPush({ publicKey }: WebPush): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') throw new Error(T.settings.noticesDenied);
  const { pushManager } = await navigator.serviceWorker.ready;
  const old = await pushManager.getSubscription();
  // One that was made with another key of aish would never be told anything.
  if (old !== null) await old.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  await call(webPushApi.subscribe, { body: made.toJSON() as SubscribePush });
}

export async function stopPush(): Promise<void> {
  await call(webPushApi.unsubscribe, {});
  await unsubscribePush();
}

/** The push service forgets this browser. */
export async function unsubscribePush(): Promise<void> {
  if (!canPush()) return;
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  await subscription?.unsubscribe();
}
