import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { invariant } from '@aish/contracts/invariant';
import { AishError } from '@aish/contracts/problems';
import type { RunSecret } from '@aish/contracts/secrets';

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts texts for the database: AES-256-GCM, bound to their owner. */
export class SecretBox {
  private readonly key: Buffer;

  /**
   * @param secret at least 32 characters that nobody knows.
   * @param purpose a text that is sealed for one purpose does not open for another one
   */
  constructor(secret: string, purpose: 'mcp secrets' | 'secrets' | 'events') {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', `aish ${purpose}`, 32));
  }

  /**
   * Returns a keyed digest of words. It is always the same, but nobody else can compute it. It has 32 hexadecimal
   * digits and reveals nothing.
   */
  mark(words: string): string {
    return createHmac('sha256', this.key).update(words).digest('hex').slice(0, 32);
  }

  /** @param about the owner of the secret. It opens only for that owner. */
  seal(text: string, about: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(about));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `${VERSION}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
  }

  /** @throws AishError `invalid_config` if it was sealed with another key or for another owner. */
  open(sealed: string, about: string): string {
    try {
      const [version, payload = ''] = sealed.split('.', 2);
      invariant(version === VERSION, `a sealed text has the form ${VERSION}`);
      const bytes = Buffer.from(payload, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      throw new AishError(
        'invalid_config',
        `The secrets of ${about} were encrypted with another key (MCP_SECRET_KEY). Enter them again`,
        {},
        { cause: error },
      );
    }
  }
}

/**
 * Returns the placeholder that a secret's user and models see. It is different for each user, and constant for one
 * user.
 */
function placeholderFor(box: SecretBox, user: string, name: string): string {
  return `aish-secret-${box.mark(`${user} ${name}`)}`;
}

/**
 * Opens a secret for a run or a program.
 *
 * @param user a session or a program
 */
export function openSecret(
  box: SecretBox,
  user: string,
  kept: Omit<RunSecret, 'value' | 'placeholder'> & { readonly sealed: string },
): RunSecret {
  const { name, sealed, targets, exposed, body, certificate } = kept;
  const placeholder = placeholderFor(box, user, name);
  return { name, value: box.open(sealed, name), placeholder, targets, exposed, body, certificate };
}
