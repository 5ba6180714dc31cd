import { HOLE, type Command } from '../shell/command.js';
import type { Arguments } from './programs.js';

/** Options of psql that neither write, nor run a file, nor set a variable. */
const OPTIONS =
  /^(-[AtqXxlw]*c?|--(?:list|tuples-only|no-align|quiet|no-psqlrc|expanded|no-password|csv|command|username|dbname|port)|-[UdpF].*|--(?:username|dbname|port)=.*)$/;

/** Functions of PostgreSQL that change nothing. Any other function may do anything. */
const FUNCTIONS = new Set(
  `count sum min max avg lower upper length char_length trim btrim ltrim rtrim left right substr replace concat concat_ws coalesce nullif greatest least
  abs round ceil floor mod now current_setting age date date_trunc date_part extract to_char to_date to_timestamp string_agg array_agg json_agg jsonb_agg array_length
  unnest row_number rank version current_database current_schema pg_size_pretty pg_database_size pg_relation_size pg_total_relation_size pg_table_size
  pg_indexes_size pg_get_indexdef pg_get_viewdef pg_get_constraintdef pg_is_in_recovery pg_postmaster_start_time pg_table_is_visible format_type obj_description`.split(
    /\s+/,
  ),
);

/** Words that may precede a parenthesis but are not functions. */
const WORDS = new Set(
  'select from where and or not in exists over filter as on using any all values by join when then else having cast partition distinct between union intersect except analyse'.split(
    ' ',
  ),
);

/** Words that make a query lock rows, or create or change a table. */
const MORE = /\b(?:into|for|insert|update|delete|merge|copy|call|do|perform|execute|lock|truncate|analyze|uescape)\b/i;

/** Commands that show tables, indexes, views, roles, databases, schemas: `\d orders`, `\l`, `\dt+`. */
const SHOWS = /^\\(?:d[itsvmnfpuxgC]?S?\+?|l\+?|conninfo)(?: [\w.*]+)?$/;

/** Whether psql only lists objects, or runs only read-only queries, each given with `-c`. */
export function psqlReads(c: Command, { options }: Arguments): boolean {
  if (c.name !== 'psql' || c.input.kind === 'text' || !options.every((option) => OPTIONS.test(option))) return false;
  // A part that is known only when the command runs may be an option or any statement.
  if (c.args.some((text) => text.includes(HOLE))) return false;
  const lists = options.some((option) => option === '--list' || /^-[AtqXx]*l/.test(option));
  if (!lists && (c.input.kind !== 'none' || c.snippets.length === 0)) return false;
  return c.snippets.every(({ language, text, skeleton }) => language === 'sql' && readsOnlySql(text, skeleton));
}

function readsOnlySql(text: string, skeleton: string): boolean {
  if (SHOWS.test(text.trim())) return true;
  // Settings of the server decide whether these characters begin a comment, a name or a text.
  if (/--|\/\*|[\\$#`&]/.test(text) || /"\s*\(/.test(skeleton)) return false;
  return skeleton
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .every(readsOnlyStatement);
}

function readsOnlyStatement(statement: string): boolean {
  const query = statement.replace(/^explain\s+(?=select\b)/i, '');
  if (/^show\s+[\w.]+$/i.test(query)) return true;
  const calls = [...query.matchAll(/([\w.]+)\s*\(/g)].map(([, name = '']) => name.toLowerCase());
  return /^select\b/i.test(query) && !MORE.test(query) && calls.every(isKnown);
}

const isKnown = (name: string): boolean => FUNCTIONS.has(name) || WORDS.has(name);

/** Statements of SQLite that only check the database, as one word after its name. A dot command could run programs. */
const CHECKS =
  /^\s*pragma\s+(?:integrity_check|quick_check|foreign_key_check|user_version|table_info\(\w+\))\s*;?\s*$/i;

/** Whether sqlite3 opens a database only for reading, and only checks it. */
export function sqliteReads(c: Command): boolean {
  const [option, database = '-', statement = '', ...more] = c.args;
  const isPlain = option === '-readonly' && !database.startsWith('-') && more.length === 0;
  return c.name === 'sqlite3' && isPlain && c.input.kind === 'none' && CHECKS.test(statement);
}
