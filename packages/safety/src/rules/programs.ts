import type { Command } from '../shell/command.js';
import { anyText } from './options.js';
import { fits, type Pattern } from './pattern.js';
import { judgeRow, type Facts, type Row, type TableRule } from './program.js';
import type { Rule } from './rule.js';
import { SUBJECTS } from './subjects.js';
import { vocabularyOf, writtenOut, type Vocabulary } from './vocabulary.js';

/** Everything that the table says about one program. */
export interface Program {
  readonly facts: Facts;
  /** Whether the first operand of the program is a subcommand. */
  readonly hasSubcommands: boolean;
  readonly vocabulary: Vocabulary | null;
  /** The words of its patterns, whether or not it accepts abbreviations. */
  readonly words: Vocabulary;
}

/** The words of a command, separated by their role for its program. */
export interface Arguments {
  readonly operands: readonly string[];
  /** The options as written, without words that are values of options. */
  readonly options: readonly string[];
}

const rowsOf = new Map<string, Row[]>();
for (const row of SUBJECTS.flatMap(({ rows }) => rows))
  for (const name of row.names) rowsOf.set(name, [...(rowsOf.get(name) ?? []), row]);

const programs = new Map<string, Program>();

/** Returns the entry for the program of this name, or undefined if the table has none. */
export function programOf(name: string): Program | undefined {
  const known = programs.get(name);
  const rows = rowsOf.get(name);
  if (known !== undefined || rows === undefined) return known;
  const made = programFrom(rows);
  programs.set(name, made);
  return made;
}

function programFrom(rows: readonly Row[]): Program {
  const facts = factsOf(rows);
  const loses = rows.flatMap((row) => row.loses.map(({ pattern }) => pattern));
  const words = vocabularyOf([...loses, ...facts.makes, ...facts.reads]);
  return {
    facts,
    words,
    hasSubcommands: loses.some(
      ({ words: [first] }) => first?.anywhere === false && /^\w/.test(first.alternatives[0] ?? ''),
    ),
    vocabulary: facts.abbreviates.has('subcommands') ? words : null,
  };
}

const factsOf = (rows: readonly Row[]): Facts => ({
  values: rows
    .map(({ values }) => values)
    .join(' ')
    .trim(),
  dry: rows
    .map(({ dry }) => dry)
    .join(' ')
    .trim(),
  shortHelp: rows.some(({ shortHelp }) => shortHelp),
  abbreviates: new Set(rows.flatMap(({ abbreviates }) => [...abbreviates])),
  makes: rows.flatMap(({ makes }) => makes),
  reads: rows.flatMap(({ reads }) => reads),
  harmless: rows.flatMap(({ harmless }) => harmless),
  complete: rows.some(({ complete }) => complete),
});

/** Makes the rule that `classify` uses from a table. */
export function ruleOf(table: TableRule, read: (c: Command) => Arguments): Rule {
  const byName = new Map(table.rows.flatMap((row) => row.names.map((name) => [name, row] as const)));
  return {
    ...table,
    tools: [...byName.keys()],
    matches: (c) => {
      const row = byName.get(c.name);
      const program = programOf(c.name);
      return row === undefined || program === undefined ? false : judgeRow(row, c, fullOperands(program, read(c)));
    },
    // A getter, because only tests and people who look up a rule need these examples.
    get stops() {
      return table.rows.flatMap((row) => underEachName(row, row.stops));
    },
    get passes() {
      return table.rows.flatMap((row) => underEachName(row, row.passes));
    },
  };
}

/** Returns the examples of a program under each of its names. */
export function underEachName({ names }: Row, examples: readonly string[]): readonly string[] {
  const [first = ''] = names;
  const place = new RegExp(`(?<![\\w-])${first.replace(/[.+*?^${}()[\]\\|]/g, '\\$&')}(?![\\w-])`);
  return names.flatMap((name) => examples.map((text) => text.replace(place, () => name)));
}

const fullOperands = ({ vocabulary }: Program, { operands }: Arguments): readonly string[] =>
  vocabulary === null ? operands : writtenOut(operands, vocabulary);

/**
 * Whether the table says that this command only reads and prints. A use that no pattern names, or an unknown option,
 * may do more.
 */
export function readsOnly(c: Command, args: Arguments): boolean {
  const program = programOf(c.name);
  if (program === undefined) return false;
  const operands = fullOperands(program, args);
  const { reads, harmless } = program.facts;
  return reads.some((pattern) => fits(pattern, c, operands) && areHarmless(args.options, harmless, pattern));
}

/** Whether all `options` belong to the pattern or to the harmless ones. */
export function areHarmless(options: readonly string[], harmless: readonly string[], pattern?: Pattern): boolean {
  const asked = pattern?.options.filter(({ not }) => !not).flatMap((step) => step.names) ?? [];
  const names = [...harmless, ...asked];
  return names.includes('*') || options.every((option) => isAmong(option, names));
}

function isAmong(option: string, names: readonly string[]): boolean {
  const [word = ''] = option.split('=');
  if (names.some((name) => name === word || (name.includes('*') && anyText(name).test(word)))) return true;
  // `-la` is `-l -a`, and `-n20` is `-n` with a number.
  return (
    /^-[a-zA-Z0-9]+$/.test(word) &&
    word
      .slice(1)
      .split('')
      .every((letter) => /\d/.test(letter) || names.includes(`-${letter}`))
  );
}
