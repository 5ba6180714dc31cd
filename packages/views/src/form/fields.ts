/** A value that a server asks a person for. */
export interface Field {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly kind: 'text' | 'number' | 'integer' | 'yes or no' | 'choice' | 'choices';
  /** The choices of a field of kind `choice` or `choices`. */
  readonly choices: readonly Choice[];
  readonly isRequired: boolean;
  /** Whether the value is hidden while it is typed, and never stored. */
  readonly isHidden: boolean;
  readonly initial: string;
  /** The limits of the schema for a text or number. */
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

/** Returns the value of a choice field after a key press: the next choice, or whether a choice is selected. */
export function nextChoice({ choices, kind }: Field, value: string, by: 1 | -1): string {
  if (kind === 'choices') return value; // Choices of this kind are toggled by number.
  const at = choices.findIndex((choice) => choice.value === value);
  const next = at < 0 ? (by > 0 ? 0 : choices.length - 1) : (at + by + choices.length) % choices.length;
  return choices[next]?.value ?? value;
}

/** Selects the choice with this number (from 1). With several choices, toggles it. */
export function chooseNumber({ choices, kind }: Field, value: string, number: number): string {
  const choice = choices[number - 1];
  if (choice === undefined) return value;
  if (kind !== 'choices') return choice.value;
  const chosen = value === '' ? [] : value.split('\n');
  const isIn = chosen.includes(choice.value);
  return (isIn ? chosen.filter((each) => each !== choice.value) : [...chosen, choice.value]).join('\n');
}

/** Returns one mark for each hidden character. */
export function maskOf(value: string): string {
  return '•'.repeat(Array.from(value).length);
}

/** Whether a field has choices instead of typed text. */
export function isChosen({ kind }: Field): boolean {
  return kind === 'choice' || kind === 'choices' || kind === 'yes or no';
}
