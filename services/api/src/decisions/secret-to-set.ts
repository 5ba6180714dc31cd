import { X509Certificate } from 'node:crypto';
import type { NeedAnswer } from '@aish/contracts/needs';
import { AishError } from '@aish/contracts/problems';
import { SecretValue, addressOf, certificatesIn, type SecretTarget } from '@aish/contracts/secrets';

/** What is to be written of a secret. */
export interface SecretChange {
  readonly value: string;
  readonly targets: readonly SecretTarget[];
  /** Those that its servers may show (PEM); null: what public authorities signed. */
  readonly certificate: string | null;
}

/**
 * How to set a secret that somebody gives to a goal for `target`. To move a secret to another place, or to trust
 * another server with it, a person has to know its value.
 * @param known the secret of that name, where there is one.
 * @param typed its value and a certificate, where somebody gave them.
 * @returns null where it is set as it is needed.
 * @throws AishError `invalid_body` that says what is missing, never a value
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
    if (known === null) throw refused(`There is no secret ${name} yet: type its value, or set it first`);
    if (isCovered && certificate === known.certificate) return null;
    if (isCovered)
      throw refused(`${name} is set already: type its value to let it go to a server with this certificate`);
    const where = known.targets.map(addressOf).join(', ') || 'no place';
    throw refused(`${name} is for ${where}: type its value to let it go to ${addressOf(target)}, too`);
  }
  const value = SecretValue.safeParse(typed.value);
  if (!value.success) throw refused(`The value ${value.error.issues[0]?.message ?? 'is no secret'}`);
  if (isCovered) return { value: value.data, targets: known?.targets ?? [target], certificate };
  if (known !== null && known.value !== value.data) {
    throw refused(`There is another secret ${name} already, with another value: aish secret set says what it is`);
  }
  return { value: value.data, targets: [...(known?.targets ?? []), target], certificate };
}

/** One more, beside those that there are. */
function withCertificate(known: string | null, given: string | undefined): string | null {
  if (given === undefined || given.trim() === '') return known;
  if (!isReadable(given)) throw refused(NO_CERTIFICATE, 'certificate');
  const all = certificatesIn(`${known ?? ''}${given}`);
  if (all === null) throw refused('A secret has eight certificates at most', 'certificate');
  return all === certificatesIn(known ?? '') ? known : all;
}

/** Half a paste looks like one, and no connection would say why it fails. */
function isReadable(text: string): boolean {
  const found = certificatesIn(text)?.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
  try {
    return found.map((pem) => new X509Certificate(pem)).length > 0;
  } catch {
    return false;
  }
}

const NO_CERTIFICATE = 'The certificate cannot be read: it must be whole and in PEM, from BEGIN to END CERTIFICATE';

function refused(message: string, field: 'value' | 'certificate' = 'value'): AishError {
  return new AishError('invalid_body', message, { errors: [{ path: `answer.${field}`, message }] });
}
