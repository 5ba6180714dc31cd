/** One value that a server asks a person for. */
export interface Field {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly kind: 'text' | 'number' | 'integer' | 'yes or no' | 'choice' | 'choices';
  /** Of `choice` and `choices`. */
  readonly choices: readonly Choice[];
  readonly isRequired: boolean;
  /** Typed unseen, and kept nowhere. */
  readonly isHidden: boolean;
  readonly initial: string;
  /** What a text or a number must be, as far as the schema says. */
  readonly bounds: Bounds;
}

export interface Choice {
  readonly value: string;
  readonly title: string;
}

interface Bounds {
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly format?: string | undefined;
}

/** The value after one key press on a field that is chosen from: the next choice; of many, whether it is in. */
export function nextChoice({ choices, kind }: Field, value: string, by: 1 | -1): string {
  if (kind === 'choices') return value; // its choices are toggled by number
  const at = choices.findIndex((choice) => choice.value === value);
  const next = at < 0 ? (by > 0 ? 0 : choices.length - 1) : (at + by + choices.length) % choices.length;
  return choices[next]?.value ?? value;
}

/** Takes the choice with this number (from 1), or of many puts it in or out. */
export function chooseNumber({ choices, kind }: Field, value: string, number: number): string {
  const choice = choices[number - 1];
  if (choice === undefined) return value;
  if (kind !== 'choices') return choice.value;
  const chosen = value === '' ? [] : value.split('\n');
  const isIn = chosen.includes(choice.value);
  return (isIn ? chosen.filter((each) => each !== choice.value) : [...chosen, choice.value]).join('\n');
}

/** As many marks as there are characters of what is typed unseen. */
export function maskOf(value: string): string {
  return '•'.repeat(Array.from(value).length);
}

/** A field that is chosen from instead of typed into. */
export function isChosen({ kind }: Field): boolean {
  return kind === 'choice' || kind === 'choices' || kind === 'yes or no';
}
