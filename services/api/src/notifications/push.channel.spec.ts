import { createPublicKey, createSign, createPrivateKey, createVerify, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { notification } from '../testing/notification.fixture.js';
import { isPushService, pushText, vapidKeys } from './push.channel.js';

describe('Web Push notifications', () => {
  it("Web Push messages are signed with a key pair that is derived from the deployment's key", () => {
    const secret = randomBytes(32);
    const { publicKey, privateJwk } = vapidKeys(secret);
    expect(vapidKeys(secret).publicKey).toBe(publicKey);
    const { d, ...publicJwk } = privateJwk as { d: string; x: string; y: string };
    expect(Buffer.from(publicKey, 'base64url')).toEqual(
      Buffer.concat([Buffer.from([4]), Buffer.from(publicJwk.x, 'base64url'), Buffer.from(publicJwk.y, 'base64url')]),
    );
    const signature = createSign('sha256')
      .update('x')
      .sign(createPrivateKey({ key: { ...publicJwk, d }, format: 'jwk' }));
    const key = createPublicKey({ key: publicJwk, format: 'jwk' });
    expect(createVerify('sha256').update('x').verify(key, signature)).toBe(true);
  });

  it('Web Push messages go only to configured push services', () => {
    const services = ['https://fcm.example', 'https://*.push.example', 'https://own.example:8443'];
    const asked = [
      ['https://fcm.example/send/1', true],
      ['https://web.push.example/a', true],
      ['https://own.example:8443/x', true],
      ['https://own.example/x', false],
      ['http://fcm.example/send/1', false],
      ['https://push.example/a', false],
      ['https://evilpush.example/a', false],
      ['https://web.push.example.evil.example/a', false],
      ['https://web.push.example:8080/a', false],
      ['https://fcm.example@evil.example/a', false],
      ['https://a:b@web.push.example/a', false],
      ['https://127.0.0.1/a', false],
    ] as const;
    expect(asked.map(([endpoint]) => [endpoint, isPushService(endpoint, services)])).toEqual(asked);
    expect(isPushService('https://fcm.example/send/1', [])).toBe(false);
  });

  it('a Web Push message shows the whole action or none of it', () => {
    expect(pushText(notification)).toEqual({
      id: notification.id,
      title: notification.title,
      text: notification.text,
      at: 'decisions/d3',
    });
    const cut = { ...notification, decision: { ...notification.decision!, isWhole: false } };
    expect(pushText(cut)).toMatchObject({ title: notification.title, text: 'Open it to read the rest.' });
    const long = { ...notification, text: '€'.repeat(1_200) };
    expect(pushText(long)).toMatchObject({ text: 'Open it to read the rest.' });
    expect(Buffer.byteLength(JSON.stringify(pushText({ ...long, title: '€'.repeat(5_000) })))).toBeLessThan(3_000);
    expect(pushText({ ...notification, decision: null })).toMatchObject({ text: notification.text, at: 'goals/7' });
    const brief = pushText({ ...notification, decision: null, goal: null, text: '€'.repeat(5_000) });
    expect(brief).toMatchObject({ text: '€'.repeat(900), at: 'lab' });
    expect(Buffer.byteLength(JSON.stringify(brief))).toBeLessThan(3_000);
  });
});
