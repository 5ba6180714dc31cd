import { X509Certificate } from 'node:crypto';
import type { NeedAnswer } from '@aish/contracts/needs';
import { AishError } from '@aish/contracts/problems';
import { SecretValue, addressOf, certificatesIn, type SecretTarget } from '@aish/contracts/secrets';

/** The new state of a secret. */
export interface SecretChange {
  readonly value: string;
  readonly targets: readonly SecretTarget[];
  /** The certificates (PEM) that the servers of the secret may present. Null means those of public authorities. */
  readonly certificate: string | null;
}

/**
 * Decides how to set a secret that someone gives to a goal for `target`. To move a secret to another address, or to
 * trust another server with it, a person must know its value. @param known the existing secret with that name @param
 * typed its value and a certificate, if given @returns null if the secret needs no change @throws AishError
 * `invalid_body`, which says what is missing and never contains a value
 */
export function secretToSet(
  name: string,
  target: SecretTarget,
  known: SecretChange | null,
  typed: Pick<NeedAnswer, 'value' | 'certificate'>,
): SecretChange | null {
  const isCovered = known?.targets.some((each) => addressOf(each) === addressOf(target)) ?? false;
  const certificate = withCertificate(known?.certificate ?? null, typed.certificate);
  if (typed.value === undefined || typed.value === '') {
    if (known === null) throw refused(`There is no secret ${name} yet. Enter its value, or set it first`);
    if (isCovered && certificate === known.certificate) return null;
    if (isCovered)
      throw refused(`${name} is already set. Enter its value to allow it for a server with this certificate`);
    const where = known.targets.map(addressOf).join(', ') || 'no place';
    throw refused(`${name} is set for ${where}. Enter its value to allow it for ${addressOf(target)} too`);
  }
  const value = SecretValue.safeParse(typed.value);
  if (!value.success) throw refused(`The value ${value.error.issues[0]?.message ?? 'is not a secret'}`);
  if (isCovered) return { value: value.data, targets: known?.targets ?? [target], certificate };
  if (known !== null && known.value !== value.data) {
    throw refused(`There is already a secret ${name} with another value. Change it with aish secret set`);
  }
  return { value: value.data, targets: [...(known?.targets ?? []), target], certificate };
}

/** Returns the existing certificates with another one added. */
function withCertificate(known: string | null, given: string | undefined): string | null {
  if (given === undefined || given.trim() === '') return known;
  if (!isReadable(given)) throw refused(NO_CERTIFICATE, 'certificate');
  const all = certificatesIn(`${known ?? ''}${given}`);
  if (all === null) throw refused('A secret can have at most eight certificates', 'certificate');
  return all === certificatesIn(known ?? '') ? known : all;
}

/**
 * Returns whether a certificate is complete. An incomplete paste looks like a certificate, and the failed connection
 * would not say why.
 */
function isReadable(text: string): boolean {
  const found = certificatesIn(text)?.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
  try {
    return found.map((pem) => new X509Certificate(pem)).length > 0;
  } catch {
    return false;
  }
}

const NO_CERTIFICATE = 'The certificate cannot be read. It must be complete PEM, from BEGIN to END CERTIFICATE';

function refused(message: string, field: 'value' | 'certificate' = 'value'): AishError {
  return new AishError('invalid_body', message, { errors: [{ path: `answer.${field}`, message }] });
}
