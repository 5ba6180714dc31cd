import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** The formats of OpenSSH: RFC 4251, section 5; PROTOCOL.key and PROTOCOL.certkeys of OpenSSH. Only Ed25519. */
export const ED25519 = 'ssh-ed25519';

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

export function string(value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([uint32(bytes.length), bytes]);
}

/** Returns the 32 bytes of a public key. */
export function rawPublic(key: KeyObject): Buffer {
  return Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url');
}

export function publicBlob(key: KeyObject): Buffer {
  return Buffer.concat([string(ED25519), string(rawPublic(key))]);
}

/** Formats a public key as `ssh-ed25519 AAAA…`. */
export function publicLine(key: KeyObject): string {
  return `${ED25519} ${publicBlob(key).toString('base64')}`;
}

/** Makes the private key from 32 secret bytes (RFC 8410, section 7). */
export function privateKeyOf(seed: Buffer): KeyObject {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  return createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' });
}

/** Formats a private key as the file that `ssh -i` reads. */
export function privateFile(key: KeyObject, check: number): string {
  const { d = '' } = key.export({ format: 'jwk' });
  const secret = Buffer.concat([Buffer.from(d, 'base64url'), rawPublic(key)]);
  const inner = Buffer.concat([uint32(check), uint32(check), publicBlob(key), string(secret), string('aish')]);
  const padding = Buffer.from(Array.from({ length: (8 - (inner.length % 8)) % 8 }, (_, at) => at + 1));
  const none = [string('none'), string('none'), string('')];
  const all = [Buffer.from('openssh-key-v1\0'), ...none, uint32(1), string(publicBlob(key)), string(Buffer.concat([inner, padding]))]; // prettier-ignore
  const lines =
    Buffer.concat(all)
      .toString('base64')
      .match(/.{1,70}/g) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n');
}
