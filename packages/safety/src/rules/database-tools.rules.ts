import { table } from './table.js';

export const DATABASE_TOOLS = table`
rule    database.drop  critical  drops or restores a database
why     the existing database is lost or replaced

program dropdb dropuser pg_dropcluster pg_upgradecluster   loses *   stops dropdb x   passes dropdb --help
program pg_resetwal pg_rewind pg_archivecleanup   dry -n --dry-run
  loses   -*, *   stops pg_resetwal /d   passes pg_resetwal -n /d
program pg_restore
  loses   -d|--dbname|-c|--clean|-C|--create   unless -l|--list   reads -l|--list
  stops   pg_restore --clean -d x a.dump ; pg_restore -d x a.dump   passes pg_restore -l a.dump ; pg_restore -f a.sql a.dump
program pg_ctl pg_ctlcluster   values -D -l -m -o -t
  loses   ... stop|restart|reload|kill|promote|logrotate|unregister   reads ... status   harmless -D
  stops   pg_ctl stop ; pg_ctl -D /d restart   passes pg_ctl status ; pg_ctl start
program pg_upgrade   unless -c|--check   loses ...   stops pg_upgrade -b a -B b   passes pg_upgrade -c -b a -B b
program vacuumdb   loses -f|--full   stops vacuumdb -f x   passes vacuumdb -z x
program reindexdb clusterdb   loses ...   stops reindexdb x   passes reindexdb --help

program mysqladmin mariadb-admin   values -u -h -P -S --user --host --port
  loses   ... drop|shutdown|kill|password|stop-slave|stop-replica|refresh|reload|flush-*
  reads   status|extended-status|processlist|version|variables|ping   harmless -u -h -P -p --user --host --port --password
  stops   mysqladmin drop x ; mysqladmin -u root shutdown   passes mysqladmin status ; mysqladmin create x
program mysqldump
  loses   --delete-master-logs|--delete-source-logs|--flush-logs|-F   stops mysqldump -F x   passes mysqldump x
program mysqlimport myloader mysql_secure_installation mysql_upgrade   dry --dry-run
  loses   -*, *   stops mysqlimport x a.txt   passes mysqlimport --help
program mysqlcheck myisamchk
  loses   -r|--repair|-o|--optimize|--auto-repair|--recover|-f   stops mysqlcheck -r x   passes mysqlcheck x
program xtrabackup mariabackup innobackupex
  loses   --copy-back|--move-back|--prepare   stops xtrabackup --copy-back   passes xtrabackup --backup --target-dir=/b
program pt-online-schema-change gh-ost   loses --execute   stops gh-ost --execute   passes gh-ost --alter x

program mongorestore   dry --dryRun --dry-run   loses ...   stops mongorestore --drop dump/ ; mongorestore   passes mongorestore --dryRun a
program mongoimport
  loses   --drop, --mode=upsert|merge|delete   stops mongoimport --drop a ; mongoimport --mode upsert a   passes mongoimport a
program arangorestore sstableloader elasticdump   dry --dry-run   loses -*, *   stops arangorestore x   passes arangorestore --help
program pgloader   dry -n --dry-run   loses -*, *   stops pgloader a b   passes pgloader --dry-run a
program memcflush   loses ...   stops memcflush ; memcflush --servers=h   passes memcflush --help
program memcrm   loses *   stops memcrm a   passes memcrm --help
program etcdctl   values --endpoints --cacert --cert --key --user   help -h
  loses   del|put|rm|rmdir|defrag|compact*|set|update|move-leader, member remove|add|update|promote, snapshot restore, auth disable
  loses   user delete|remove|passwd, role delete|revoke*, lease revoke, alarm disarm
  reads   get|version, endpoint status|health|hashkv, member|user|role|alarm|lease list, snapshot status
  harmless --endpoints --cacert --cert --key --user --prefix --keys-only --limit -w --write-out --print-value-only
  stops   etcdctl del --prefix / ; etcdctl --endpoints a put b c ; etcdctl member remove 1   passes etcdctl get / ; etcdctl snapshot save a
program rabbitmqctl   values -n -p --vhost
  loses   delete*|purge*|stop*|reset|force*|forget*|clear*|close*|change*|set*|restart*|eval|shutdown|suspend*|rotate*
  reads   list_*|status|cluster_status|report|environment|ping   harmless -n -p -q -s --vhost --formatter
  stops   rabbitmqctl purge_queue q ; rabbitmqctl -p x delete_queue q   passes rabbitmqctl list_queues ; rabbitmqctl add_user a b
program rabbitmqadmin   values -H -u -p -P -V -N --host --username --password --port --vhost
  loses   delete|purge|close|import   reads list|show   stops rabbitmqadmin delete queue name=x   passes rabbitmqadmin list queues
program kafka-topics kafka-topics.sh kafka-configs kafka-configs.sh
  dry     --dry-run
  loses   --delete|--alter   reads --list|--describe   harmless --bootstrap-server --topic --zookeeper
  stops   kafka-topics --delete --topic x   passes kafka-topics --list ; kafka-topics --create --topic x
program kafka-delete-records kafka-delete-records.sh
  loses   --offset-json-file   stops kafka-delete-records --offset-json-file a.json   passes kafka-delete-records --help
program kafka-consumer-groups kafka-consumer-groups.sh
  dry     --dry-run
  loses   --delete|--reset-offsets|--delete-offsets   reads --list|--describe   harmless --bootstrap-server --group --all-groups
  stops   kafka-consumer-groups --delete --group x   passes kafka-consumer-groups --list
program nodetool   values -h -p -u -pw
  loses   decommission|removenode|assassinate|clearsnapshot|drain|truncatehints|move|cleanup|disable*|flush|scrub|rebuild*|import
  loses   invalidate*|garbagecollect|resetlocalschema|setcompactionthroughput|stop*
  reads   status|info|ring|describecluster|tpstats|tablestats|gossipinfo|netstats|version|compactionstats
  stops   nodetool -h x decommission ; nodetool stopdaemon   passes nodetool status ; nodetool snapshot
program influx
  loses   delete|restore, bucket|org|user|task|auth|remote|replication|dbrp|telegrafs|secret|stacks delete|rm|remove|update
  loses   v1 dbrp|auth delete|rm|remove|update
  reads   ping|version, bucket|org|user|task|auth list   stops influx bucket delete -n x ; influx restore /b   passes influx bucket list
program influxd   loses inspect delete-tsm   stops influxd inspect delete-tsm --measurement x   passes influxd inspect report-tsm
program hdfs hadoop
  loses   -rm|-rmr|-rmdir|-mv|-expunge|-truncate|-setrep|-chown|-chgrp|-delete|-format|-deleteSnapshot|-moveFromLocal
  loses   namenode|zkfc|balancer
  reads   dfs|fs -ls|-cat|-du|-df|-stat|-count|-tail   harmless -h -s -R
  stops   hdfs dfs -rm -r /x ; hdfs namenode -format   passes hdfs dfs -ls /
program mosquitto_passwd   loses -D|-c|-U   stops mosquitto_passwd -D f u   passes mosquitto_passwd -b f u p

program wal-g
  loses   ... backup-fetch|delete|wal-purge|restore|st-rm, st rm   reads backup-list|wal-show
  stops   wal-g delete everything ; wal-g backup-fetch /d LATEST   passes wal-g backup-list ; wal-g backup-push /d
program pgbackrest   loses ... restore|expire|stanza-delete|stop   reads info|check|version   harmless --stanza
  stops   pgbackrest --stanza=x restore   passes pgbackrest info ; pgbackrest --stanza=x backup
program barman   loses ... recover|delete|restore   reads list-backups|list-servers|show-backup|check|status
  stops   barman recover a latest /d ; barman delete a 1   passes barman list-backups a ; barman backup a
program patronictl   values -c -d
  loses   ... reinit|failover|switchover|restart|reload|pause|remove|edit-config   reads list|topology|history|show-config
  stops   patronictl -c a.yml failover ; patronictl reinit a b   passes patronictl list ; patronictl resume
program repmgr   values -f -h -d -U
  loses   ... standby promote|switchover|clone, ... node rejoin   reads cluster show|event, node status|check
  stops   repmgr standby promote   passes repmgr cluster show
program neo4j-admin   loses ... load|restore|import|copy   stops neo4j-admin database load x   passes neo4j-admin database dump x

program prisma   help -h
  loses   migrate reset|dev|deploy|resolve, db push|execute   reads validate|version, migrate status
  stops   prisma migrate reset ; prisma db push   passes prisma generate ; prisma db pull ; prisma migrate status
program supabase   dry --dry-run   help -h
  loses   db reset|push, projects|functions|branches delete, stop, secrets unset|set, migration repair|up|squash
  reads   status, projects|functions|branches|secrets|migration list
  stops   supabase db reset ; supabase stop   passes supabase start ; supabase db diff
program rails rake
  loses   destroy|d|clobber, ... db:drop*|db:reset*|db:rollback*|db:purge|db:schema:load|db:seed:replant|db:truncate_all|db:migrate*|db:setup
  loses   ... clean|*:clean|*:clobber|*:destroy|tmp:clear|log:clear|destroy
  unless  ... *:status   reads routes|stats|about|notes
  stops   rails db:drop ; rails db:migrate ; rails assets:clobber   passes rails routes ; rails db:migrate:status ; rails db:seed
program alembic   values -c -n -x --config --name   dry --sql
  loses   upgrade|downgrade|stamp   reads history|current|heads|show|branches|check
  stops   alembic downgrade base ; alembic -c a.ini upgrade head   passes alembic history ; alembic upgrade head --sql
program goose   loses ... up|up-*|down|down-to|redo|reset|fix   unless ... status|version|validate|create
  stops   goose postgres x down ; goose up   passes goose status ; goose create a sql
program dbmate   values -u -d -e --url --env   loses up|down|drop|migrate|rollback|load   reads status
  stops   dbmate drop ; dbmate -u x up   passes dbmate status ; dbmate new x
program knex   loses migrate:latest|migrate:up|migrate:down|migrate:rollback|migrate:unlock   reads migrate:status|migrate:list
  stops   knex migrate:rollback ; knex migrate:latest   passes knex migrate:list ; knex seed:make x
program sequelize sequelize-cli
  loses   db:migrate|db:migrate:undo*|db:migrate:schema*|db:drop|db:seed:undo*   reads db:migrate:status
  stops   sequelize db:migrate:undo ; sequelize db:drop   passes sequelize db:migrate:status ; sequelize db:create
program typeorm   values -d --dataSource
  loses   schema:drop|schema:sync|migration:run|migration:revert   reads migration:show|schema:log
  stops   typeorm schema:drop ; typeorm migration:revert   passes typeorm migration:create x
program sqitch   loses deploy|revert|rebase|checkout   reads status|log|plan|show   stops sqitch revert   passes sqitch status ; sqitch verify
program flyway   loses ... clean|migrate|repair|undo   reads info|validate   stops flyway clean ; flyway -url=x migrate   passes flyway info
program liquibase
  loses   ... update|update-*|rollback*|drop-all|dropAll|undo*   unless ... *-sql|*SQL|status|history|validate
  stops   liquibase update ; liquibase drop-all   passes liquibase status ; liquibase update-sql
program drizzle-kit   loses push|migrate|drop|up   reads check   stops drizzle-kit push   passes drizzle-kit generate
`;
