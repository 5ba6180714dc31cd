import { execFile } from 'node:child_process';
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A message to one browser, as the browser reads it. */
export interface PushedMessage {
  readonly text: string;
  readonly urgency: string | undefined;
  /** The verified VAPID claims, or null if the signature was invalid. */
  readonly claims: { readonly aud: string; readonly sub: string; readonly exp: number } | null;
  readonly publicKey: string;
}

/** Simulates a browser's push service on this machine, which accepts Web Push (RFC 8030) over TLS. */
export class PushService {
  /** The status of the service's responses. */
  status = 201;
  readonly taken: PushedMessage[] = [];
  private readonly browser = createECDH('prime256v1');
  private readonly auth = randomBytes(16);

  private constructor(
    private readonly server: Server,
    readonly certificate: string,
  ) {
    this.browser.generateKeys();
  }

  static async start(folder: string): Promise<PushService> {
    const [key, certificate] = [join(folder, 'push.key'), join(folder, 'push.crt')];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=push'];
    const names = ['-addext', 'subjectAltName=IP:127.0.0.1'];
    await run('openssl', ['req', '-x509', '-days', '2', '-keyout', key, '-out', certificate, ...kind, ...names]);
    const server = createServer({ key: await readFile(key), cert: await readFile(certificate) });
    const service = new PushService(server, certificate);
    server.on('request', (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const { authorization = '', urgency } = request.headers;
        service.taken.push({
          ...service.read(Buffer.concat(pieces)),
          ...proven(authorization),
          urgency: urgency?.toString(),
        });
        response.writeHead(service.status).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get origin(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Returns the result of the browser's `pushManager.subscribe`. */
  subscription(name: string): object {
    const p256dh = this.browser.getPublicKey('base64url');
    return {
      endpoint: `${this.origin}/${name}`,
      expirationTime: null,
      keys: { p256dh, auth: this.auth.toString('base64url') },
    };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Decrypts a message as a browser does (RFC 8291, section 3.4), with one record per message (RFC 8188). */
  private read(body: Buffer): { text: string } {
    const [salt, sender] = [body.subarray(0, 16), body.subarray(21, 21 + (body[20] ?? 0))];
    const record = body.subarray(21 + sender.length);
    const secret = this.browser.computeSecret(sender);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.browser.getPublicKey(), sender]);
    const keying = Buffer.from(hkdfSync('sha256', secret, this.auth, info, 32));
    const derive = (of: string, bytes: number) =>
      Buffer.from(hkdfSync('sha256', keying, salt, `Content-Encoding: ${of}\0`, bytes));
    const gcm = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    gcm.setAuthTag(record.subarray(-16));
    const padded = Buffer.concat([gcm.update(record.subarray(0, -16)), gcm.final()]);
    return { text: padded.subarray(0, padded.lastIndexOf(2)).toString() };
  }
}

/** Verifies `vapid t=<JWT>, k=<key>` (RFC 8292). */
function proven(authorization: string): Pick<PushedMessage, 'claims' | 'publicKey'> {
  const [, token = '', publicKey = ''] = /^vapid t=([^,]+), ?k=(\S+)$/.exec(authorization) ?? [];
  const [header = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) => each.toString('base64url'));
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' });
  const signed = { key, dsaEncoding: 'ieee-p1363' } as const;
  const isGood = verify('sha256', Buffer.from(`${header}.${claims}`), signed, Buffer.from(signature, 'base64url'));
  return { publicKey, claims: isGood ? JSON.parse(Buffer.from(claims, 'base64url').toString()) : null };
}
