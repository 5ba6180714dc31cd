import {
  createCipheriv,
  createDecipheriv,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { AishError } from '@aish/contracts/problems';
import {
  ED25519,
  privateFile,
  privateKeyOf,
  publicBlob,
  publicLine,
  rawPublic,
  string,
  uint32,
  uint64,
} from './ssh-wire.js';

const TYPE = 'ssh-ed25519-cert-v01@openssh.com';
const USER_CERTIFICATE = 1;
/** Clocks differ; a command takes a moment from its signature to the host. */
const BEFORE_S = 30;
const AFTER_S = 60;

/** What a certificate is for: one command on one host. */
export interface Purpose {
  readonly host: string;
  readonly command: string;
  readonly serial: number;
  readonly id: string;
}

/** A key made for one command, and the certificate with which the host lets it run exactly that. */
export interface SignedKey {
  readonly privateKey: string;
  readonly certificate: string;
}

/** Signs approved commands. The process that decides holds it. The process that runs commands never does. */
export class HostAuthority {
  private readonly key: KeyObject;
  private readonly sealing: Buffer;

  /** @param secret at least 32 characters; the same one makes the same authority. */
  constructor(secret: string) {
    const derive = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', `aish hosts: ${use}`, 32));
    this.key = privateKeyOf(derive('certificates'));
    this.sealing = derive('stored keys');
  }

  /** The line for `authorized_keys` of the host. */
  authorizedKeys(host: string): string {
    return `cert-authority,principals="${principalOf(host)}" ${publicLine(this.key)} aish`;
  }

  /** A key that lives for a minute, and can do nothing but run this command: no terminal, no forwarding, no agent. */
  sign({ host, command, serial, id }: Purpose, nowMs = Date.now()): SignedKey {
    const { privateKey } = generateKeyPairSync('ed25519');
    const nowS = Math.floor(nowMs / 1000);
    const forced = Buffer.concat([string('force-command'), string(string(command))]);
    const body = Buffer.concat([
      string(TYPE),
      string(randomBytes(32)),
      string(rawPublic(privateKey)),
      uint64(serial),
      uint32(USER_CERTIFICATE),
      string(id),
      string(string(principalOf(host))),
      uint64(nowS - BEFORE_S),
      uint64(nowS + AFTER_S),
      string(forced),
      string(''),
      string(''),
      string(publicBlob(this.key)),
    ]);
    const signature = Buffer.concat([string(ED25519), string(sign(null, body, this.key))]);
    const certificate = `${TYPE} ${Buffer.concat([body, string(signature)]).toString('base64')}`;
    return { privateKey: privateFile(privateKey, randomBytes(4).readUInt32BE()), certificate };
  }

  /** A key to be stored, for a host that knows no certificates: encrypted, with the line for its `authorized_keys`. */
  storedKey(): { readonly sealed: string } {
    const seed = randomBytes(32);
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.sealing, iv);
    const sealed = Buffer.concat([iv, cipher.update(seed), cipher.final(), cipher.getAuthTag()]);
    return { sealed: sealed.toString('base64') };
  }

  /** @throws AishError `hosts_off` when it was stored under another HOSTS_CA_KEY. */
  openKey(sealed: string): { readonly privateKey: string; readonly authorizedKeys: string } {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.sealing, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(-16));
    try {
      const seed = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
      const key = privateKeyOf(seed);
      return {
        privateKey: privateFile(key, 1),
        authorizedKeys: `no-port-forwarding,no-agent-forwarding,no-X11-forwarding,no-pty ${publicLine(key)} aish`,
      };
    } catch (error) {
      const message = 'The key of this host was stored under another HOSTS_CA_KEY; remove the host and add it again';
      throw new AishError('hosts_off', message, {}, { cause: error });
    }
  }
}

function principalOf(host: string): string {
  return `aish-${host}`;
}
