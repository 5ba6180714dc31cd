import { parsePatterns, type Pattern } from './pattern.js';
import type { Odd, Row, TableRule } from './program.js';
import type { Severity } from './rule.js';

/**
 * Reads a table of rules. A line holds one field, or several with two spaces between them:
 *
 *     rule    proxmox.change  critical  destroys, stops or changes a guest of Proxmox
 *     why     the guest stops, or its disks are deleted or replaced
 *
 *     program qm
 *       abbreviates subcommands
 *       loses   destroy -> the machine, its disks and its settings
 *       loses   stop|shutdown|reset, disk unlink|move
 *       reads   list|config|status
 *       stops   qm destroy 101 --purge ; qm des 101
 *       passes  qm list
 *
 * packages/safety/README.md explains each field. The value of `odd` may be a function, and any value may be a string of
 * words. The patterns of a program are parsed on first use, because few programs are ever needed.
 *
 * @throws TableError with the line that it cannot read; SyntaxError of a pattern, on its first use.
 */
export function table(strings: TemplateStringsArray, ...values: readonly (string | Odd)[]): readonly TableRule[] {
  const functions = values.filter((value) => typeof value === 'function');
  const text = String.raw(
    { raw: strings.raw },
    ...values.map((value) => (typeof value === 'function' ? `odd#${functions.indexOf(value)}` : value)),
  );
  const rules: DraftRule[] = [];
  for (const line of text.split('\n').filter((part) => part.trim() !== '')) {
    for (const [key, value] of fieldsOf(line)) read({ rules, functions, line }, key, value);
  }
  return rules;
}

/** A table has a syntax error. */
class TableError extends Error {
  constructor(problem: string, line: string) {
    super(`${problem}: ${line.trim()}`);
    this.name = 'TableError';
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

interface DraftRule extends Writable<Omit<TableRule, 'rows'>> {
  readonly rows: WrittenRow[];
}

/** A row as it is written in the table. */
class WrittenRow implements Row {
  values = '';
  dry = '';
  shortHelp = false;
  abbreviates: Row['abbreviates'] = new Set();
  readonly harmless: string[] = [];
  complete = false;
  odd: Odd | null = null;
  readonly stops: string[] = [];
  readonly passes: string[] = [];
  readonly written = { makes: new Written(), reads: new Written(), unless: new Written(), loses: [] as string[] };
  private losses: Row['loses'] | null = null;

  constructor(readonly names: readonly string[]) {}

  get makes(): readonly Pattern[] {
    return this.written.makes.patterns;
  }

  get reads(): readonly Pattern[] {
    return this.written.reads.patterns;
  }

  get unless(): readonly Pattern[] {
    return this.written.unless.patterns;
  }

  get loses(): Row['loses'] {
    this.losses ??= this.written.loses.flatMap((text) => {
      const [patterns = '', what = null] = text.split(' -> ');
      return parsePatterns(patterns).map((pattern) => ({ pattern, what }));
    });
    return this.losses;
  }
}

class Written {
  private readonly texts: string[] = [];
  private read: readonly Pattern[] | null = null;

  add(text: string): void {
    this.texts.push(text);
  }

  get patterns(): readonly Pattern[] {
    this.read ??= this.texts.flatMap(parsePatterns);
    return this.read;
  }
}

interface Place {
  readonly rules: DraftRule[];
  readonly functions: readonly Odd[];
  readonly line: string;
}

const FIELDS = 'program|values|dry|help|abbreviates|makes|reads|harmless|complete|loses|odd|unless|stops|passes';
const NEXT_FIELD = new RegExp(`\\s{2,}(?=(?:${FIELDS})(?:\\s|$))`);

function fieldsOf(line: string): readonly (readonly [string, string])[] {
  const text = line.trim();
  const fields = /^(rule|why)\s/.test(text) ? [text] : text.split(NEXT_FIELD);
  return fields.map((field) => {
    const at = field.search(/\s|$/);
    return [field.slice(0, at), field.slice(at).trim()];
  });
}

function read(place: Place, key: string, value: string): void {
  const { rules, line } = place;
  const rule = rules.at(-1);
  if (key === 'rule') return void rules.push(ruleFrom(value, line));
  if (rule === undefined) throw new TableError('no rule before it', line);
  if (key === 'why') return void (rule.why = value);
  if (key === 'ignores-dry-run') return void (rule.ignoresDryRun = true);
  if (key === 'program') return void rule.rows.push(new WrittenRow(value.split(' ')));
  const row = rule.rows.at(-1);
  const set = SETTERS[key];
  if (row === undefined || set === undefined)
    throw new TableError(`unknown field "${key}", or no program before it`, line);
  set(row, value, place);
}

function ruleFrom(value: string, line: string): DraftRule {
  const [, id, severity, title] = /^(\S+)\s+(low|medium|high|critical)\s+(.+)$/.exec(value) ?? [];
  if (id === undefined || title === undefined) throw new TableError('not "rule ID SEVERITY TITLE"', line);
  return { id, severity: severity as Severity, title, why: '', rows: [] };
}

const SETTERS: Readonly<Record<string, (row: WrittenRow, value: string, place: Place) => void>> = {
  values: (row, value) => (row.values = `${row.values} ${value}`.trim()),
  dry: (row, value) => (row.dry = `${row.dry} ${value}`.trim()),
  help: (row) => (row.shortHelp = true),
  complete: (row) => (row.complete = true),
  abbreviates: (row, value) => (row.abbreviates = new Set(value.split(' ') as 'subcommands'[])),
  makes: (row, value) => row.written.makes.add(value),
  reads: (row, value) => row.written.reads.add(value),
  harmless: (row, value) => row.harmless.push(...value.split(' ')),
  unless: (row, value) => row.written.unless.add(value),
  stops: (row, value) => row.stops.push(...value.split(' ; ')),
  passes: (row, value) => row.passes.push(...value.split(' ; ')),
  loses: (row, value) => row.written.loses.push(value),
  odd: (row, value, { functions, line }) => {
    const [, index, why] = /^odd#(\d+)\s+(\S.*)$/.exec(value) ?? [];
    if (why === undefined)
      throw new TableError('"odd" needs a function, and the reason why a pattern is not enough', line);
    row.odd = functions[Number(index)] ?? null;
  },
};
