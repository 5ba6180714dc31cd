import type { Command } from '../shell/command.js';
import { snippetsIn } from '../shell/snippet.js';
import { exact, has, option } from './options.js';
import type { TableRule } from './program.js';
import type { Rule } from './rule.js';
import { destructiveRedis, destructiveSql } from './sql.js';
import { table } from './table.js';

const OBJECTS = 'TABLE|DATABASE|SCHEMA|INDEX|VIEW|USER|ROLE|FROM|SYSTEM|COLUMN';
const THINGS = `${OBJECTS}|${OBJECTS.toLowerCase()}`;

/** Statements and commands for database clients. */
export const DATABASE_CLIENTS = table`
rule    database.bare-statement  critical  changes or deletes rows, tables or databases
why     a database cannot undo a committed statement

program DROP drop DELETE delete ALTER alter   loses ${THINGS}   stops DROP TABLE x ; DROP database x   passes DROP x
program TRUNCATE   loses ${THINGS}, * $   stops TRUNCATE TABLE a ; TRUNCATE a   passes TRUNCATE
program UPDATE   loses ${THINGS}, ... SET   stops UPDATE users SET a=1   passes UPDATE

rule    database.run-file  high  runs statements that this command does not show
why     a dump or script can replace existing data in the database

program psql cqlsh cockroach usql vsql pgcli
  loses   -f|--file   odd ${runsUnseen}  what it reads is no word of it
  stops   psql -d db -f dump.sql ; gunzip -c a.gz | psql db ; psql < a.sql   passes psql ; psql --version
program duckdb   loses -f|-init   odd ${runsUnseen}  what it reads is no word of it   stops duckdb -init a.sql ; duckdb < a.sql   passes duckdb
program sqlcmd isql   loses -i   odd ${runsUnseen}  what it reads is no word of it   stops sqlcmd -i a.sql ; isql < a.sql   passes sqlcmd
program sqlplus   loses ... @*   odd ${runsUnseen}  what it reads is no word of it   stops sqlplus a/b @x.sql ; sqlplus < a.sql   passes sqlplus a/b
program clickhouse-client clickhouse
  loses   --queries-file   odd ${runsUnseen}  what it reads is no word of it
  stops   clickhouse-client < a.sql ; clickhouse-client --queries-file a.sql   passes clickhouse-client
program mysql mariadb mycli litecli sqlite3 sqlite
  odd     ${runsUnseen}  what it reads is no word of it
  stops   mysql db < dump.sql ; zcat a.sql.gz | docker exec -i db mysql   passes mysql -u root -p

rule    database.redis  high  deletes or overwrites keys, or changes the server
why     Redis keeps no older values

program redis-cli valkey-cli keydb-cli
  complete
  loses   --pipe|--cluster-yes
  odd     ${changesRedis}  most commands of Redis change something: those that only read are listed in sql.ts
  stops   redis-cli FLUSHALL ; redis-cli -h x -p 6379 del key ; redis-cli -n 1 flushdb ; echo FLUSHALL | redis-cli
  stops   redis-cli set a b ; redis-cli CONFIG SET maxmemory 1 ; redis-cli shutdown ; redis-cli --scan | xargs redis-cli del
  passes  redis-cli get key ; redis-cli -h x info ; redis-cli --scan --pattern a* ; redis-cli ; redis-cli --bigkeys
  passes  redis-cli CONFIG GET maxmemory ; redis-cli --cluster check h:1
`;

const STATEMENTS: readonly Rule[] = [
  {
    id: 'database.statement',
    title: 'changes or deletes rows, tables or databases',
    why: 'a database cannot undo a committed statement',
    severity: 'critical',
    matches: (c) =>
      (c.name === 'bq' && exact(c, '--dry_run')
        ? undefined
        : c.snippets.find((s) => s.language === 'sql' && destructiveSql(s) !== null)?.word) ?? false,
    ignoresDryRun: true,
    stops: [
      'psql -c "DROP DATABASE x"',
      'mysql -e "delete from users"',
      "sqlite3 a.db 'update t set a=1'",
      'psql <<EOF\ntruncate t;\nEOF',
      'echo "drop table x" | mysql db',
      'psql -c "with d as (delete from t returning *) select * from d"',
      'mysql -e "replace into t values (1)"',
      'sudo -u postgres psql -tAc "ALTER USER a PASSWORD \'b\'"',
      'psql -c "explain analyze delete from t"',
    ],
    passes: [
      'psql -c "select 1"',
      'psql -c "select \'drop table x\'"',
      'mysql -e "show tables"',
      'psql -c "-- drop table x\nselect 1"',
      'psql -c "explain delete from t"',
      'psql -c "begin; delete from t; rollback;"',
      'psql -c "create table t(a int)"',
      'psql -c "insert into t values (1)"',
      'sqlite3 a.db .dump',
      'psql -c "select * from deleted_items where update_at is null"',
    ],
  },
  {
    id: 'database.mongo',
    title: 'deletes or changes documents or collections',
    why: 'MongoDB keeps no older values',
    severity: 'high',
    matches: (c) =>
      c.snippets.find(
        (s) =>
          (s.language === 'mongo' || s.language === 'javascript') &&
          /\.\s*(_drop\w*|_truncate|_remove|truncate|drop|dropDatabase|dropIndex\w*|dropUser|dropRole|dropAllUsersFromDatabase|delete(One|Many)|remove|update(One|Many)?|replaceOne|findOneAnd(Delete|Update|Replace)|findAndModify|renameCollection|shutdownServer|bulkWrite|convertToCapped|killOp|stepDown|reconfig|removeShard|changeUserPassword|revokeRoles\w*|grantRoles\w*|fsyncLock|compact)\s*\(|\$(out|merge)\b/.test(
            s.skeleton,
          ) &&
          (s.language === 'mongo' || /\bdb\b/.test(s.skeleton)),
      )?.word ??
      ((c.name === 'mongosh' || c.name === 'mongo') && c.snippets.length === 0 && c.input.kind === 'file'),
    ignoresDryRun: true,
    stops: [
      'mongosh --eval "db.dropDatabase()"',
      "mongo db --eval 'db.users.deleteMany({})'",
      "arangosh --javascript.execute-string 'db._drop(1)'",
      "mongosh <<< 'db.x.drop()'",
      'docker exec m mongosh --eval "db.a.updateMany({}, {$set:{b:1}})"',
    ],
    passes: ['mongosh --eval "db.users.find()"', 'mongosh', 'mongosh --eval \'print("db.x.drop()")\''],
  },
];

export const DATABASES: readonly (Rule | TableRule)[] = [...STATEMENTS, ...DATABASE_CLIENTS];

function runsUnseen(c: Command): boolean {
  if (c.snippets.some((s) => /^\s*(source|\\\.|\\ir?|\.read|@)\s*\S/im.test(s.skeleton))) return true;
  return c.snippets.length === 0 && isFed(c) && !has(c, '-l', '--list', '--version');
}

const isFed = ({ input }: Command): boolean =>
  input.kind === 'file' || input.kind === 'opaque' || input.kind === 'fetched';

function changesRedis(c: Command, operands: readonly string[]): boolean {
  return (
    redisCommands(c).some((words) => destructiveRedis(words)) ||
    (exact(c, '--cluster') && !/^(info|check|help)$/.test(option(c, '--cluster') ?? '')) ||
    c.input.kind === 'file' ||
    (c.input.kind === 'opaque' && operands.length === 0)
  );
}

function redisCommands(c: Command): readonly (readonly string[])[] {
  const values =
    /^(-h|-p|-s|-a|-u|-n|-r|-i|-d|-D|-t|--user|--pass|--pattern|--cacert|--cert|--key|--count|--cluster|--sni|--eval|--quoted-pattern|--rdb|--functions-rdb|--type)$/;
  const looksOnly = /^--(scan|bigkeys|memkeys|hotkeys|stat|latency\S*|rdb|lru-test|intrinsic-latency|ldb)/;
  let at = 0;
  while (at < c.args.length && (c.args[at] ?? '').startsWith('-')) {
    if (looksOnly.test(c.args[at] ?? '')) return [];
    if (c.args[at] === '--cluster') return [];
    at += values.test(c.args[at] ?? '') ? 2 : 1;
  }
  if (at < c.args.length) return [c.args.slice(at)];
  const lines = c.input.kind === 'text' ? c.input.text.split('\n') : [];
  return lines.map((line) => line.trim().split(/\s+/)).filter(([first = '']) => first !== '');
}

/** Returns the finding in a text that is known to be SQL, for example the argument of a tool. */
export const sqlOf = (text: string): string | null =>
  snippetsIn('sql', text, { text, source: { text, spanOf: () => [0, 0] }, pos: 0, end: 0, glob: false })
    .map(destructiveSql)
    .find((found) => found !== null) ?? null;
