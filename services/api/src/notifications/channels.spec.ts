import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { GotifyChannel } from './gotify.channel.js';
import { HomeAssistantChannel } from './home-assistant.channel.js';
import { MailChannel } from './mail.channel.js';
import { NtfyChannel } from './ntfy.channel.js';
import { notification } from '../testing/notification.fixture.js';
import { WebhookChannel } from './webhook.channel.js';

interface Taken {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('notification channels', () => {
  let http: Server;
  let url: string;
  let status = 200;
  const taken: Taken[] = [];
  let smtp: SMTPServer;
  let smtpUrl: string;
  const mails: string[] = [];

  const last = (): Taken => {
    const one = taken.at(-1);
    if (one === undefined) throw new Error('nothing was sent');
    return one;
  };

  beforeAll(async () => {
    http = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        taken.push({ path: request.url ?? '', headers: request.headers, body });
        response.writeHead(status, status === 302 ? { location: 'http://127.0.0.1:9/' } : {}).end('{}');
      });
    });
    await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData: (stream, _session, done) => {
        let mail = '';
        stream.on('data', (chunk: Buffer) => (mail += chunk.toString()));
        stream.on('end', () => {
          mails.push(mail);
          done();
        });
      },
    });
    await new Promise<void>((resolve) => void smtp.listen(0, '127.0.0.1', resolve));
    smtpUrl = `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    await new Promise((resolve) => http.close(resolve));
    await new Promise<void>((resolve) => smtp.close(resolve));
  });

  it('an ntfy notification has a button for each verdict, which opens the page of the decision', async () => {
    const channel = new NtfyChannel(`${url}/base/my-topic`, 'tk_secret');
    await channel.send(notification, AbortSignal.timeout(5_000));
    const { path, headers, body } = last();
    expect(path).toBe('/base');
    expect(headers.authorization).toBe('Bearer tk_secret');
    expect(JSON.parse(body)).toMatchObject({
      topic: 'my-topic',
      title: notification.title,
      priority: 4,
      click: notification.link,
      actions: ['proceed', 'skip', 'abort'].map((verdict) => ({
        action: 'view',
        url: `${notification.link}?verdict=${verdict}`,
      })),
    });
  });

  it('Gotify gets the text with the link, and the token in a header', async () => {
    await new GotifyChannel(`${url}/gotify/`, 'A_token').send(notification, AbortSignal.timeout(5_000));
    const { path, headers, body } = last();
    expect([path, headers['x-gotify-key']]).toEqual(['/gotify/message', 'A_token']);
    expect(JSON.parse(body)).toEqual({
      title: notification.title,
      message: `${notification.text}\n\n${notification.link}`,
      priority: 8,
      extras: {
        'aish::notification': { id: notification.id },
        'client::notification': { click: { url: notification.link } },
      },
    });
  });

  it('a Home Assistant notification has a button for each verdict, and an escalation calls another notify action', async () => {
    const channel = new HomeAssistantChannel(`${url}/api/services/notify/mobile_app_phone`, 'llat');
    await channel.send(notification, AbortSignal.timeout(5_000));
    const { path, headers, body } = last();
    expect([path, headers.authorization]).toEqual(['/api/services/notify/mobile_app_phone', 'Bearer llat']);
    expect(JSON.parse(body)).toMatchObject({
      title: notification.title,
      message: notification.text,
      data: {
        tag: notification.id,
        clickAction: notification.link,
        actions: ['proceed', 'skip', 'abort'].map((verdict) => ({
          action: 'URI',
          uri: `${notification.link}?verdict=${verdict}`,
        })),
      },
    });
    await channel.send({ ...notification, to: '../../states' }, AbortSignal.timeout(5_000));
    expect(last().path).toBe('/api/services/notify/..%2F..%2Fstates');
  });

  it('a webhook receiver can verify the sender of a notification', async () => {
    const secret = 'a-secret-of-24-characters';
    await new WebhookChannel(`${url}/hook`, secret).send(notification, AbortSignal.timeout(5_000));
    const { headers, body } = last();
    const signed = `${notification.id}.${String(headers['webhook-timestamp'])}.${body}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', secret).update(signed).digest('base64')}`);
    expect(JSON.parse(body)).toMatchObject({ type: 'goal.halt', decision: { number: 3 }, link: notification.link });
    const brief = { ...notification, kind: 'brief', goal: null, decision: null };
    await new WebhookChannel(`${url}/hook`, secret).send(brief, AbortSignal.timeout(5_000));
    expect(JSON.parse(last().body)).toMatchObject({ type: 'brief', goal: null });
  });

  it.each([500, 403, 302])('a channel treats the status %d as an error', async (wanted) => {
    status = wanted;
    const sent = new WebhookChannel(`${url}/hook`, 'x'.repeat(24)).send(notification, AbortSignal.timeout(5_000));
    await expect(sent).rejects.toThrow(wanted === 302 ? /fetch failed/ : `status ${wanted}`);
    status = 200;
  });

  it('a mail contains the text and the link, and has the ID of its notification', async () => {
    const channel = new MailChannel(smtpUrl, 'aish@home.example', 'me@home.example');
    await channel.send(notification);
    channel.close();
    expect(mails.at(-1)).toContain(`Message-ID: <${notification.id}@aish>`);
    expect(mails.at(-1)).toContain(`Subject: ${notification.title}`);
    expect(mails.at(-1)).toContain('rm -rf x');
    expect(mails.at(-1)).toContain(notification.link);
  });
});
