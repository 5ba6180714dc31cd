import type { Command } from '../shell/command.js';
import { exact, has, path } from './arguments.js';
import type { Rule } from './rule.js';

export const DATABASE_TOOLS: readonly Rule[] = [
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
      'vacuumdb',
      'reindexdb',
      'clusterdb',
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
      'pg_upgradecluster',
      'pg_upgrade',
      'mosquitto_passwd',
      'hdfs',
      'hadoop',
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
];

function dropsDatabase(c: Command): boolean {
  const text = path(c);
  const words = c.args.join(' ');
  switch (c.name) {
    case 'dropdb':
    case 'dropuser':
    case 'pg_resetwal':
    case 'pg_dropcluster':
    case 'pg_upgradecluster':
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
    case 'cypher-shell':
      return /\b(delete|remove|drop|set|merge)\b/i.test(words);
    case 'vacuumdb':
      return has(c, '-f', '--full');
    case 'reindexdb':
    case 'clusterdb':
      return true;
    case 'mysqldump':
      return has(c, '--delete-master-logs', '--flush-logs', '-F', '--delete-source-logs');
    case 'pg_upgrade':
      return !has(c, '-c', '--check');
    case 'mosquitto_passwd':
      return has(c, '-D', '-c', '-U');
    case 'hdfs':
    case 'hadoop':
      return (
        exact(
          c,
          '-rm',
          '-rmr',
          '-rmdir',
          '-mv',
          '-expunge',
          '-truncate',
          '-setrep',
          '-chown',
          '-chgrp',
          '-delete',
          '-format',
          '-deleteSnapshot',
          '-moveFromLocal',
        ) || /^(namenode|zkfc|balancer) ?/.test(text)
      );
    case 'prisma':
      return /^(migrate (reset|dev|deploy|resolve)|db (push|execute|pull))/.test(text) && !text.startsWith('db pull');
    case 'rails':
    case 'rake':
      return /\bdb:(drop|reset|rollback|purge|schema:load|seed:replant|truncate_all|migrate(?!:status)|setup|migrate:(?!status)\w+)|\b(clobber|destroy|clean|tmp:clear|log:clear|assets:clobber|assets:clean)\b/.test(
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
      if (c.name.startsWith('kafka-'))
        return (
          exact(c, '--delete', '--alter', '--reset-offsets', '--delete-offsets', '--offset-json-file') &&
          !has(c, '--dry-run')
        );
      return /\b(delete|remove|drop|destroy|purge|wipe|reset|rm|restore|overwrite)\b|:delete\b|-delete\b|:remove\b/.test(
        text,
      );
  }
}
