/** A part of a statement with its values. */
export class Sql {
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
    /** Whether the text of this part is always the same. */
    readonly isFixed: boolean,
  ) {}
}

/** Creates a part of a statement, for use in another statement. */
export function sql(strings: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  return new Sql(strings, values, areFixed(values));
}

/** Joins parts, of which there must be at least one. */
export function joinSql(parts: readonly Sql[], separator = ', '): Sql {
  const strings = ['', ...parts.slice(1).map(() => separator), ''];
  return new Sql(strings, parts, false);
}

function areFixed(values: readonly unknown[]): boolean {
  return values.every((value) => !(value instanceof Sql) || value.isFixed);
}

export interface Flattened {
  /** The text of the whole statement, with `$1` and so on for its values. */
  readonly text: string;
  readonly values: unknown[];
  /** Whether the text is always the same, because it contains no list of parts. */
  readonly isFixed: boolean;
}

/** Inserts nested parts into the text. */
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
