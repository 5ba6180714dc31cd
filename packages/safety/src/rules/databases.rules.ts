import type { Command } from '../shell/command.js';
import { snippet } from '../shell/snippet.js';
import { exact, has, operands, option } from './arguments.js';
import type { Rule } from './rule.js';
import { destructiveRedis, destructiveSql } from './sql.js';

const SQL_CLIENTS = [
  'psql',
  'mysql',
  'mariadb',
  'sqlite3',
  'sqlite',
  'duckdb',
  'clickhouse-client',
  'clickhouse',
  'cqlsh',
  'sqlcmd',
  'cockroach',
  'usql',
  'sqlplus',
  'pgcli',
  'mycli',
  'isql',
  'vsql',
  'litecli',
];

const REDIS = ['redis-cli', 'valkey-cli', 'keydb-cli'];

export const DATABASES: readonly Rule[] = [
  {
    id: 'database.statement',
    title: 'changes or deletes rows, tables or databases',
    why: 'a database has no undo for a statement that is committed',
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
    id: 'database.bare-statement',
    title: 'changes or deletes rows, tables or databases',
    why: 'a database has no undo for a statement that is committed',
    severity: 'critical',
    tools: ['DROP', 'drop', 'DELETE', 'delete', 'TRUNCATE', 'UPDATE', 'ALTER', 'alter'],
    matches: (c) =>
      /^(TABLE|DATABASE|SCHEMA|INDEX|VIEW|USER|ROLE|FROM|SYSTEM|COLUMN)$/i.test(c.args[0] ?? '') ||
      (c.name === 'UPDATE' && c.args.includes('SET')) ||
      (c.name === 'TRUNCATE' && c.args.length === 1),
    stops: ['DROP TABLE x', 'DELETE FROM users', 'TRUNCATE TABLE a', 'drop database x'],
    passes: ['createdb x', 'grep -i "drop table" dump.sql'],
  },
  {
    id: 'database.run-file',
    title: 'runs statements that this command does not show',
    why: 'a dump or script that is fed to a database replaces what is there',
    severity: 'high',
    tools: SQL_CLIENTS,
    matches: (c) => {
      if (c.snippets.some((s) => /^\s*(source|\\\.|\\ir?|\.read|@)\s*\S/im.test(s.skeleton))) return true;
      const asks = c.snippets.length > 0;
      if (
        has(c, '-f', '--file', '-i', '--init') &&
        !/^(mysql|mariadb|mycli|sqlite3?)$/.test(c.name) &&
        (option(c, '-f', '--file', '-i') ?? '') !== ''
      )
        return true;
      return (
        !asks &&
        (c.input.kind === 'file' || c.input.kind === 'opaque' || c.input.kind === 'fetched') &&
        !has(c, '-l', '--list', '--version')
      );
    },
    stops: [
      'mysql db < dump.sql',
      'psql -d db -f dump.sql',
      'gunzip -c dump.sql.gz | psql db',
      'zcat a.sql.gz | docker exec -i db mysql',
      'sqlite3 a.db < x.sql',
      'mysql app -e "source x.sql"',
    ],
    passes: ['psql', 'psql -l', 'psql -c "select 1"', 'mysql -u root -p'],
  },
  {
    id: 'database.redis',
    title: 'deletes or overwrites keys, or changes the server',
    why: 'Redis keeps no older values',
    severity: 'high',
    tools: REDIS,
    matches: (c) =>
      redisCommands(c).some((words) => destructiveRedis(words)) ||
      has(c, '--pipe', '--cluster-yes') ||
      (exact(c, '--cluster') && !/^(info|check|help)$/.test(option(c, '--cluster') ?? '')) ||
      c.input.kind === 'file' ||
      (c.input.kind === 'opaque' && operands(c).length === 0),
    stops: [
      'redis-cli FLUSHALL',
      'redis-cli -h x -p 6379 del key',
      'redis-cli -n 1 flushdb',
      'echo FLUSHALL | redis-cli',
      'redis-cli set a b',
      'redis-cli CONFIG SET maxmemory 1',
      'redis-cli shutdown',
      'redis-cli --scan | xargs redis-cli del',
    ],
    passes: [
      'redis-cli get key',
      'redis-cli -h x info',
      'redis-cli --scan --pattern "a*"',
      'redis-cli ping',
      'redis-cli CONFIG GET maxmemory',
      'redis-cli',
      'redis-cli --bigkeys',
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

/** A text that is known to be SQL: the argument of a tool, for one. */
export const sqlOf = (text: string): string | null =>
  destructiveSql(snippet('sql', text, { text, source: { text, spanOf: () => [0, 0] }, pos: 0, end: 0, glob: false }));
