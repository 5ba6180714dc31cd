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
/**
 * Seconds before and after signing in which a certificate is valid. Clocks differ, and a command takes a moment to
 * reach its host.
 */
const BEFORE_S = 30;
const AFTER_S = 60;

/** The purpose of a certificate: one command on one host. */
export interface Purpose {
  readonly host: string;
  readonly command: string;
  readonly serial: number;
  readonly id: string;
}

/** A key for one command, and the certificate that lets it run exactly that command on the host. */
export interface SignedKey {
  readonly privateKey: string;
  readonly certificate: string;
}

/**
 * Signs approved commands. The process that decides about commands holds this object. The process that runs commands
 * never does.
 */
export class HostAuthority {
  private readonly key: KeyObject;
  private readonly sealing: Buffer;

  /** @param secret at least 32 characters. The same secret gives the same authority. */
  constructor(secret: string) {
    const derive = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', `aish hosts: ${use}`, 32));
    this.key = privateKeyOf(derive('certificates'));
    this.sealing = derive('stored keys');
  }

  /** Returns the line for `authorized_keys` of the host. */
  authorizedKeys(host: string): string {
    return `cert-authority,principals="${principalOf(host)}" ${publicLine(this.key)} aish`;
  }

  /** Returns a key that is valid for a minute and can only run this command, without terminal, forwarding or agent. */
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

  /**
   * Makes a key to store, for a host that does not support certificates. The result is encrypted, together with the
   * line for the host's `authorized_keys`.
   */
  storedKey(): { readonly sealed: string } {
    const seed = randomBytes(32);
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.sealing, iv);
    const sealed = Buffer.concat([iv, cipher.update(seed), cipher.final(), cipher.getAuthTag()]);
    return { sealed: sealed.toString('base64') };
  }

  /** @throws AishError `hosts_off` if the key was stored under another HOSTS_CA_KEY. */
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
      const message = 'The key of this host was stored under another HOSTS_CA_KEY. Remove the host and add it again';
      throw new AishError('hosts_off', message, {}, { cause: error });
    }
  }
}

function principalOf(host: string): string {
  return `aish-${host}`;
}
