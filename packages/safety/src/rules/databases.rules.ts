import type { Command } from '../shell/command.js';
import { snippet } from '../shell/snippet.js';
import { exact, has, operands, option, path } from './arguments.js';
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
    matches: (c) => c.snippets.find((s) => s.language === 'sql' && destructiveSql(s) !== null)?.word ?? false,
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
    id: 'database.drop',
    title: 'drops or restores a database',
    why: 'the database that is there is lost or replaced',
    severity: 'critical',
    tools: [
      'dropdb',
      'dropuser',
      'mysqladmin',
      'mariadb-admin',
      'pg_restore',
      'pg_resetwal',
      'pg_dropcluster',
      'pg_ctl',
      'pg_ctlcluster',
      'pg_upgrade',
      'pg_rewind',
      'pg_archivecleanup',
      'pg_basebackup',
      'initdb',
      'createuser',
      'vacuumlo',
      'pg_repack',
      'mysqlimport',
      'myloader',
      'mysqlcheck',
      'myisamchk',
      'innobackupex',
      'xtrabackup',
      'mariabackup',
      'mysql_secure_installation',
      'mysql_upgrade',
      'pt-archiver',
      'pt-kill',
      'pt-online-schema-change',
      'gh-ost',
      'patronictl',
      'repmgr',
      'pgbackrest',
      'barman',
      'wal-g',
      'mongorestore',
      'mongoimport',
      'bsondump',
      'neo4j-admin',
      'influxd',
      'influx',
      'rqlite',
      'litestream',
      'dbmate',
      'flyway',
      'liquibase',
      'migrate',
      'goose',
      'alembic',
      'sqitch',
      'knex',
      'sequelize',
      'sequelize-cli',
      'typeorm',
      'prisma',
      'drizzle-kit',
      'rails',
      'rake',
      'artisan',
      'elasticdump',
      'etcdctl',
      'rabbitmqctl',
      'rabbitmqadmin',
      'kafka-topics',
      'kafka-topics.sh',
      'kafka-delete-records.sh',
      'kafka-consumer-groups',
      'kafka-consumer-groups.sh',
      'kafka-configs.sh',
      'kcat',
      'nats',
      'nodetool',
      'sstableloader',
      'couchbase-cli',
      'arangorestore',
      'cypher-shell',
      'memcflush',
      'memcrm',
      'supabase',
      'turso',
      'planetscale',
      'pscale',
      'neonctl',
      'mysqldump',
      'pgloader',
      'firebase',
    ],
    matches: dropsDatabase,
    stops: [
      'dropdb x',
      'mysqladmin drop x',
      'pg_restore --clean -d x a.dump',
      'mongorestore --drop dump/',
      'prisma migrate reset',
      'rails db:drop',
      'alembic downgrade base',
      'etcdctl del --prefix /',
      'rabbitmqctl purge_queue q',
      'kafka-topics.sh --delete --topic x',
      'pg_ctl stop',
      'flyway clean',
    ],
    passes: [
      'pg_dump x',
      'mysqladmin status',
      'pg_restore -l a.dump',
      'mongodump',
      'prisma generate',
      'rails routes',
      'etcdctl get /',
      'kafka-topics.sh --list',
      'rabbitmqctl list_queues',
      'alembic history',
      'createdb x',
    ],
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
          /\.\s*(drop|dropDatabase|dropIndex\w*|dropUser|dropRole|dropAllUsersFromDatabase|delete(One|Many)|remove|update(One|Many)?|replaceOne|findOneAnd(Delete|Update|Replace)|findAndModify|renameCollection|shutdownServer|bulkWrite|convertToCapped|killOp|stepDown|reconfig|removeShard|changeUserPassword|revokeRoles\w*|grantRoles\w*|fsyncLock|compact)\s*\(|\$(out|merge)\b/.test(
            s.skeleton,
          ) &&
          (s.language === 'mongo' || /\bdb\b/.test(s.skeleton)),
      )?.word ??
      ((c.name === 'mongosh' || c.name === 'mongo') && c.snippets.length === 0 && c.input.kind === 'file'),
    ignoresDryRun: true,
    stops: [
      'mongosh --eval "db.dropDatabase()"',
      "mongo db --eval 'db.users.deleteMany({})'",
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

function dropsDatabase(c: Command): boolean {
  const text = path(c);
  const words = c.args.join(' ');
  switch (c.name) {
    case 'dropdb':
    case 'dropuser':
    case 'pg_resetwal':
    case 'pg_dropcluster':
    case 'pg_rewind':
    case 'pg_archivecleanup':
    case 'mysqlimport':
    case 'myloader':
    case 'mysql_secure_installation':
    case 'mysql_upgrade':
    case 'pt-archiver':
    case 'pt-kill':
    case 'memcflush':
    case 'memcrm':
    case 'elasticdump':
    case 'mongorestore':
    case 'arangorestore':
    case 'sstableloader':
    case 'pgloader':
      return !has(c, '-n', '--dry-run', '--dryRun') && (c.args.length > 0 || /^(mongorestore|memcflush)$/.test(c.name));
    case 'mysqladmin':
    case 'mariadb-admin':
      return /\b(drop|shutdown|kill|flush-logs|password|stop-slave|stop-replica|refresh|reload|flush-privileges|flush-hosts)\b/.test(
        words,
      );
    case 'pg_restore':
      return !has(c, '-l', '--list') && (has(c, '-d', '--dbname', '-c', '--clean') || has(c, '-C'));
    case 'pg_ctl':
    case 'pg_ctlcluster':
      return /\b(stop|restart|reload|kill|promote|logrotate|unregister)\b/.test(words);
    case 'mongoimport':
      return has(c, '--drop') || /--mode[ =](upsert|merge|delete)/.test(words);
    case 'mysqlcheck':
    case 'myisamchk':
      return has(c, '-r', '--repair', '-o', '--optimize', '--auto-repair', '--recover', '-f');
    case 'xtrabackup':
    case 'mariabackup':
    case 'innobackupex':
      return has(c, '--copy-back', '--move-back', '--prepare');
    case 'pt-online-schema-change':
    case 'gh-ost':
      return has(c, '--execute');
    case 'mysqldump':
      return has(c, '--delete-master-logs', '--flush-logs', '-F', '--delete-source-logs');
    case 'prisma':
      return /^(migrate (reset|dev|deploy|resolve)|db (push|execute|pull))/.test(text) && !/^db pull/.test(text);
    case 'rails':
    case 'rake':
      return /\bdb:(drop|reset|rollback|purge|schema:load|seed:replant|truncate_all|migrate|setup|migrate:\w+)|\b(clobber|destroy|clean|tmp:clear|log:clear|assets:clobber|assets:clean)\b/.test(
        words,
      );
    case 'artisan':
      return (
        /migrate(:\w+)?|db:wipe|cache:clear|queue:(clear|flush|forget)|down\b|key:generate|telescope:(clear|prune)|model:prune/.test(
          words,
        ) && !/migrate:status/.test(words)
      );
    case 'alembic':
    case 'goose':
    case 'migrate':
    case 'dbmate':
    case 'knex':
    case 'sequelize':
    case 'sequelize-cli':
    case 'typeorm':
    case 'sqitch':
    case 'flyway':
    case 'liquibase':
    case 'drizzle-kit':
      return (
        /\b(upgrade|downgrade|drop|down|reset|revert|redo|rollback|undo|clean|migrate(:\w+)*|force|deploy|push|stamp|dropAll|drop-all|update|repair|db:\w+|schema:drop|schema:sync|migration:(run|revert)|up|wipe|load)\b/.test(
          words.replace(/db:seed(?!:undo)|db:create|db:version|--\S*/g, ''),
        ) &&
        !/\b(status|--sql|history|info|validate|status:\w+|migrate:(status|list|make|currentVersion)|db:migrate:status)\b/.test(
          words,
        )
      );
    case 'etcdctl':
      return /^(del|put|rm|rmdir|defrag|compact\w*|member (remove|add|update|promote)|snapshot restore|auth disable|user (delete|remove|passwd)|role (delete|revoke\w*)|lease revoke|move-leader|alarm disarm|set|update)\b/.test(
        text,
      );
    case 'rabbitmqctl':
      return /^(delete|purge|stop|reset|force|forget|clear|close|change|set|restart|eval|shutdown|suspend|rotate)/.test(
        text,
      );
    case 'rabbitmqadmin':
      return /^(delete|purge|close|import)/.test(text);
    case 'nats':
      return /\b(rm|remove|del|delete|purge|edit|restore)\b/.test(text);
    case 'nodetool':
      return /^(decommission|removenode|assassinate|clearsnapshot|drain|truncatehints|stopdaemon|move|cleanup|disable\w*|flush|scrub|rebuild|invalidate\w*|garbagecollect|resetlocalschema|import|setcompactionthroughput|stop)/.test(
        text,
      );
    case 'supabase':
      return /^(db (reset|push)|projects delete|stop|functions delete|secrets (unset|set)|branches delete|migration (repair|up|squash))/.test(
        text,
      );
    case 'influx':
      return /^(delete|restore|(bucket|org|user|task|auth|remote|replication|dbrp|v1 dbrp|telegrafs|secret|stacks) (delete|rm|remove|update))\b/.test(
        text,
      );
    case 'litestream':
    case 'wal-g':
    case 'pgbackrest':
    case 'barman':
    case 'patronictl':
    case 'repmgr':
    case 'neo4j-admin':
      return /\b(restore|recover|delete|expire|stanza-delete|remove|reinit|failover|switchover|restart|stop|backup-fetch|wal-purge|pause|standby (promote|switchover|clone)|load|import|drop|reload|st-rm|edit-config)\b/.test(
        text,
      );
    default:
      if (/^kafka-/.test(c.name))
        return (
          exact(c, '--delete', '--alter', '--reset-offsets', '--delete-offsets', '--offset-json-file') &&
          !has(c, '--dry-run')
        );
      return /\b(delete|remove|drop|destroy|purge|wipe|reset|rm|restore|overwrite)\b|:delete\b|-delete\b|:remove\b/.test(
        text,
      );
  }
}

/** A text that is known to be SQL: the argument of a tool, for one. */
export const sqlOf = (text: string): string | null =>
  destructiveSql(snippet('sql', text, { text, source: { text, spanOf: () => [0, 0] }, pos: 0, end: 0, glob: false }));
