/** A part of a statement, with the values that stand in it. */
export class Sql {
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
    /** Whether its text is the same each time. */
    readonly isFixed: boolean,
  ) {}
}

/** Writes a part of a statement, to be put into another one. */
export function sql(strings: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  return new Sql(strings, values, areFixed(values));
}

/** Parts one after the other, at least one. */
export function joinSql(parts: readonly Sql[], separator = ', '): Sql {
  const strings = ['', ...parts.slice(1).map(() => separator), ''];
  return new Sql(strings, parts, false);
}

function areFixed(values: readonly unknown[]): boolean {
  return values.every((value) => !(value instanceof Sql) || value.isFixed);
}

export interface Flattened {
  /** The whole statement, `$1` and so on for its values. */
  readonly text: string;
  readonly values: unknown[];
  /** Whether its text is the same each time: nothing in it is a list of parts. */
  readonly isFixed: boolean;
}

/** Puts parts within parts in their place. */
export function flattened(strings: readonly string[], values: readonly unknown[]): Flattened {
  const flat: unknown[] = [];
  const textOf = (texts: readonly string[], given: readonly unknown[]): string =>
    texts
      .map((text, at) => {
        if (at === 0) return text;
        const value = given[at - 1];
        if (value instanceof Sql) return textOf(value.strings, value.values) + text;
        flat.push(value);
        return `$${flat.length}${text}`;
      })
      .join('');
  return { text: textOf(strings, values), values: flat, isFixed: areFixed(values) };
}
