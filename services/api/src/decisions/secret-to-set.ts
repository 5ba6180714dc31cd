import { AishError } from '@aish/contracts/problems';
import { SecretValue, addressOf, type SecretTarget } from '@aish/contracts/secrets';

/** What is to be written of a secret. */
export interface SecretChange {
  readonly value: string;
  readonly targets: readonly SecretTarget[];
}

/**
 * What follows for a secret that somebody gives a goal towards `target`. Whoever takes one to another place has to know it.
 * @param known the secret of that name, where there is one.
 * @param typed its value, where somebody typed one.
 * @returns null where it is set as it is needed.
 * @throws AishError `invalid_body` that says what is missing, never a value
 */
export function secretToSet(
  name: string,
  target: SecretTarget,
  known: { readonly targets: readonly SecretTarget[]; readonly value: string } | null,
  typed: string | undefined,
): SecretChange | null {
  const isCovered = known?.targets.some((each) => addressOf(each) === addressOf(target)) ?? false;
  if (typed === undefined || typed === '') {
    if (isCovered) return null;
    if (known === null) throw refused(`There is no secret ${name} yet: type its value, or set it first`);
    const where = known.targets.map(addressOf).join(', ') || 'no place';
    throw refused(`${name} is for ${where}: type its value to let it go to ${addressOf(target)}, too`);
  }
  const value = SecretValue.safeParse(typed);
  if (!value.success) throw refused(`The value ${value.error.issues[0]?.message ?? 'is no secret'}`);
  if (isCovered) return { value: value.data, targets: known?.targets ?? [target] };
  if (known !== null && known.value !== value.data) {
    throw refused(`There is another secret ${name} already, with another value: aish secret set says what it is`);
  }
  return { value: value.data, targets: [...(known?.targets ?? []), target] };
}

function refused(message: string): AishError {
  return new AishError('invalid_body', message, { errors: [{ path: 'answer.value', message }] });
}
