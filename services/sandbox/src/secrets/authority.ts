// The package @peculiar/x509 needs this import while it loads.
// oxlint-disable-next-line import/no-unassigned-import
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
  cryptoProvider,
} from '@peculiar/x509';
import { writeDurably } from '../storage/durable-file.js';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3_650;
/** This is less than the 398 days that clients accept for a server's certificate. */
const SERVER_DAYS = 30;
const KEPT_MAX = 200;

type CryptoKey = webcrypto.CryptoKey;

interface KeyAndCertificate {
  readonly key: CryptoKey;
  readonly certificate: X509Certificate;
}

/**
 * The certificate authority of this sandbox service. Only containers trust it. It signs certificates for hosts whose
 * TLS connections the proxy terminates to insert a secret. The authority's key never leaves this service.
 */
export class Authority {
  private made: Promise<KeyAndCertificate> | null = null;
  private readonly contexts = new Map<string, Promise<SecureContext>>();

  /** @param folder which only this service can read. It is created if it is missing. */
  constructor(private readonly folder: string) {
    cryptoProvider.set(webcrypto as unknown as Parameters<typeof cryptoProvider.set>[0]);
  }

  /** Returns the authority's certificate as PEM. */
  async certificate(): Promise<string> {
    return (await this.open()).certificate.toString('pem');
  }

  /** Returns the TLS settings of a server that presents itself as `host`. */
  contextFor(host: string): Promise<SecureContext> {
    const known = this.contexts.get(host);
    if (known !== undefined) return known;
    const made = this.issue(host);
    made.catch(() => this.contexts.delete(host));
    this.contexts.set(host, made);
    // The context is dropped long before its certificate expires.
    setTimeout(() => this.contexts.delete(host), DAY_MS).unref();
    const [oldest] = this.contexts.keys();
    if (this.contexts.size > KEPT_MAX && oldest !== undefined) this.contexts.delete(oldest);
    return made;
  }

  private open(): Promise<KeyAndCertificate> {
    this.made ??= this.load();
    this.made.catch(() => (this.made = null));
    return this.made;
  }

  private async load(): Promise<KeyAndCertificate> {
    const path = join(this.folder, 'authority.pem');
    try {
      return await parse(await readFile(path, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    const made = await makeAuthority();
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await writeDurably(path, await textOf(made));
    await chmod(path, 0o600);
    return made;
  }

  private async issue(host: string): Promise<SecureContext> {
    const authority = await this.open();
    const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    const certificate = await X509CertificateGenerator.create({
      serialNumber: serial(),
      subject: `CN=${host.slice(0, 60)}`,
      issuer: authority.certificate.subject,
      ...lifeOf(SERVER_DAYS),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: authority.key,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension([{ type: isIP(host) === 0 ? 'dns' : 'ip', value: host }]),
      ],
    });
    return createSecureContext({
      key: PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY'),
      cert: `${certificate.toString('pem')}\n${authority.certificate.toString('pem')}`,
      minVersion: 'TLSv1.2',
    });
  }
}

async function makeAuthority(): Promise<KeyAndCertificate> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=aish sandbox ${randomBytes(4).toString('hex')}`,
    ...lifeOf(AUTHORITY_DAYS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  return { key: keys.privateKey, certificate };
}

async function textOf({ key, certificate }: KeyAndCertificate): Promise<string> {
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', key);
  return `${PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n${certificate.toString('pem')}\n`;
}

async function parse(text: string): Promise<KeyAndCertificate> {
  const [pkcs8, der] = PemConverter.decode(text);
  const key = await webcrypto.subtle.importKey('pkcs8', pkcs8 ?? new ArrayBuffer(0), ALGORITHM, true, ['sign']);
  return { key, certificate: new X509Certificate(der ?? new ArrayBuffer(0)) };
}

function serial(): string {
  // The serial number must be positive (RFC 5280, 4.1.2.2).
  return `01${randomBytes(15).toString('hex')}`;
}

function lifeOf(days: number): { readonly notBefore: Date; readonly notAfter: Date } {
  // The period begins a day early, because clocks differ between machines.
  return { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + days * DAY_MS) };
}
