import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { proofOf } from './event-proof.js';

const NOW = 1_614_265_330_000;
const body = Buffer.from('{"test": 2432232314}');
const hex = (key: string, text: Buffer): string => createHmac('sha256', key).update(text).digest('hex');
const refused = (sender: Parameters<typeof proofOf>[0], headers: Record<string, string>, text = body): string | null =>
  proofOf(sender, headers, text, NOW).refused;

describe('the authentication of an event', () => {
  it('a token is accepted as Bearer, as the password of Basic, or alone in a header', () => {
    const sender = { proof: 'token', header: null, secret: 's3cret-s3cret-s3cret' } as const;
    const basic = Buffer.from(`aish:${sender.secret}`).toString('base64');
    expect(refused(sender, { authorization: `Bearer ${sender.secret}` })).toBeNull();
    expect(refused(sender, { authorization: `Basic ${basic}` })).toBeNull();
    expect(refused({ ...sender, header: 'x-token' }, { 'x-token': sender.secret })).toBeNull();
    for (const headers of [
      {},
      { authorization: sender.secret },
      { authorization: 'Bearer other' },
      { authorization: 'Basic !' },
      { 'x-token': sender.secret },
    ])
      expect(refused(sender, headers as Record<string, string>)).toMatch(/token in authorization/);
    expect(refused({ ...sender, header: 'x-token' }, { authorization: `Bearer ${sender.secret}` })).toMatch(/x-token/);
  });

  it("an event signed as in the example of GitHub's documentation is accepted", () => {
    const sender = { proof: 'github', header: null, secret: "It's a Secret to Everybody" } as const;
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const text = Buffer.from('Hello, World!');
    expect(proofOf(sender, { 'x-hub-signature-256': signature, 'x-github-delivery': 'd1' }, text, NOW)).toEqual({
      refused: null,
      // The delivery is not d1, because the name d1 is not signed.
      delivery: signature,
    });
    expect(refused(sender, { 'x-hub-signature-256': signature }, Buffer.from('Hello, World?'))).not.toBeNull();
    expect(refused(sender, {}, text)).not.toBeNull();
    expect(refused({ ...sender, secret: 'another secret' }, { 'x-hub-signature-256': signature }, text)).not.toBeNull();
  });

  it('an event with a Gitea signature is accepted', () => {
    const sender = { proof: 'gitea', header: null, secret: 's3cret-s3cret-s3cret' } as const;
    expect(refused(sender, { 'x-gitea-signature': hex(sender.secret, body) })).toBeNull();
    expect(refused(sender, { 'x-gitea-signature': hex('other', body) })).not.toBeNull();
    expect(refused(sender, {})).not.toBeNull();
  });

  it('an event with a Standard Webhooks signature is accepted for five minutes', () => {
    const sender = {
      proof: 'standard-webhooks',
      header: null,
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    } as const;
    const signed = (at: number, id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'): Record<string, string> => {
      const key = Buffer.from(sender.secret.slice(6), 'base64');
      const text = Buffer.concat([Buffer.from(`${id}.${at}.`), body]);
      const signature = createHmac('sha256', key).update(text).digest('base64');
      return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,AAAA v1,${signature}` };
    };
    // The signature comes from the documentation of the format.
    expect(signed(NOW / 1000)['webhook-signature']).toBe('v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
    expect(refused(sender, signed(NOW / 1000 - 299))).toBeNull();
    expect(refused(sender, signed(NOW / 1000 - 301))).toBe('the signature is too old');
    expect(refused(sender, signed(NOW / 1000 + 301))).toBe('the signature is too old');
    expect(refused(sender, { ...signed(NOW / 1000), 'webhook-timestamp': String(NOW / 1000 + 1) })).not.toBeNull();
    expect(refused(sender, { ...signed(NOW / 1000), 'webhook-id': 'msg_2' })).not.toBeNull();
    expect(refused(sender, { ...signed(NOW / 1000), 'webhook-signature': 'v1,AAAA' })).not.toBeNull();
    expect(refused(sender, {})).not.toBeNull();
  });
});
