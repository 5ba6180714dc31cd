import { parsePatterns } from './pattern.js';
import type { Odd, Row, TableRule } from './program.js';
import type { Severity } from './rule.js';

/**
 * Reads a table of rules, one field a line, or several with two spaces between them:
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
 * packages/safety/README.md explains each field. A function stands where `odd` needs one, a string of words anywhere.
 *
 * @throws TableError with the line that it cannot read.
 */
export function table(strings: TemplateStringsArray, ...values: readonly (string | Odd)[]): readonly TableRule[] {
  const functions = values.filter((value) => typeof value === 'function');
  const text = String.raw(
    { raw: strings.raw },
    ...values.map((value) => (typeof value === 'function' ? `odd#${functions.indexOf(value)}` : value)),
  );
  const rules: Draft<TableRule>[] = [];
  for (const line of text.split('\n').filter((part) => part.trim() !== '')) {
    for (const [key, value] of fieldsOf(line)) read({ rules, functions, line }, key, value);
  }
  return rules;
}

/** A table that cannot be read: a mistake of whoever wrote it. */
export class TableError extends Error {
  constructor(problem: string, line: string) {
    super(`${problem}: ${line.trim()}`);
    this.name = 'TableError';
  }
}

type Draft<T> = {
  -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? (U extends Row ? Draft<Row>[] : U[]) : T[K];
};

interface Place {
  readonly rules: Draft<TableRule>[];
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
  if (key === 'depends') return void (rule.depends = true);
  if (key === 'ignores-dry-run') return void (rule.ignoresDryRun = true);
  if (key === 'program') return void rule.rows.push(rowOf(value.split(' ')));
  const row = rule.rows.at(-1);
  const set = SETTERS[key];
  if (row === undefined || set === undefined)
    throw new TableError(`unknown field "${key}", or no program before it`, line);
  set(row, value, place);
}

function ruleFrom(value: string, line: string): Draft<TableRule> {
  const [, id, severity, title] = /^(\S+)\s+(low|medium|high|critical)\s+(.+)$/.exec(value) ?? [];
  if (id === undefined || title === undefined) throw new TableError('not "rule ID SEVERITY TITLE"', line);
  return { id, severity: severity as Severity, title, why: '', rows: [] };
}

const rowOf = (names: readonly string[]): Draft<Row> => ({
  names: [...names], values: '', dry: '', shortHelp: false, abbreviates: new Set(), makes: [], reads: [], harmless: [],
  complete: false, loses: [], odd: null, unless: [], stops: [], passes: [],
}); // prettier-ignore

const SETTERS: Readonly<Record<string, (row: Draft<Row>, value: string, place: Place) => void>> = {
  values: (row, value) => (row.values = `${row.values} ${value}`.trim()),
  dry: (row, value) => (row.dry = `${row.dry} ${value}`.trim()),
  help: (row) => (row.shortHelp = true),
  complete: (row) => (row.complete = true),
  abbreviates: (row, value) => (row.abbreviates = new Set(value.split(' ') as 'subcommands'[])),
  makes: (row, value) => row.makes.push(...parsePatterns(value)),
  reads: (row, value) => row.reads.push(...parsePatterns(value)),
  harmless: (row, value) => row.harmless.push(...value.split(' ')),
  unless: (row, value) => row.unless.push(...parsePatterns(value)),
  stops: (row, value) => row.stops.push(...value.split(' ; ')),
  passes: (row, value) => row.passes.push(...value.split(' ; ')),
  loses: (row, value) => {
    const [patterns = '', what = null] = value.split(' -> ');
    row.loses.push(...parsePatterns(patterns).map((pattern) => ({ pattern, what })));
  },
  odd: (row, value, { functions, line }) => {
    const [, index, why] = /^odd#(\d+)\s+(\S.*)$/.exec(value) ?? [];
    if (why === undefined) throw new TableError('"odd" needs a function and why no pattern does', line);
    row.odd = functions[Number(index)] ?? null;
  },
};
