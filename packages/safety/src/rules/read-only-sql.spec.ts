import { describe, expect, it } from '@jest/globals';
import { knownReadOnly } from '../known-read-only.js';

describe('psql', () => {
  it.each([
    'psql -l',
    'psql -U postgres -l',
    'psql -U postgres -At -c "select count(*) from orders" shop',
    'psql -U postgres -c "select name, sum(total) from orders where lower(mail) = lower(\'a\') group by name order by 2 limit 5" shop',
    'psql -c "select pg_size_pretty(pg_database_size(\'shop\'))"',
    'psql -Atc "select 1"',
    'psql -c "\\d orders" -c "\\dt" shop',
    'psql -c "show max_connections"',
    'psql -c "explain select * from orders"',
    'sudo -u postgres psql -c "select 1; select 2"',
    'psql -c "select \'drop table x\'"',
  ])('psql is known as read-only with %s', (command) => expect(knownReadOnly(command)).toBe(true));

  it.each([
    'psql',
    'psql shop < a.sql',
    'echo "select 1" | psql shop',
    'psql -f a.sql',
    'psql -l -f a.sql',
    'psql -l -c "select lo_unlink(1)"',
    'psql -o out.txt -c "select 1"',
    'psql -L log.txt -c "select 1"',
    'psql -v a=b -c "select 1"',
    'psql -h other -c "select 1"',
    'psql -c "select pg_terminate_backend(7)"',
    'psql -c "select pg_catalog.pg_terminate_backend(7)"',
    'psql -c "select \\"pg_terminate_backend\\"(7)"',
    'psql -c "select pg_terminate_backend/**/(7)"',
    'psql -c "select 1 -- x\n, lo_export(1, \'/a\')"',
    'psql -c "select lo_export(1, \'/etc/a\')"',
    'psql -c "select own_function()"',
    'psql -c "select nextval(\'s\')"',
    "psql -c \"select set_config('a', 'b', false)\"",
    'psql -c "select generate_series(1, 1e12)"',
    'psql -c "select pg_sleep(1e9)"',
    'psql -c "select * into copy from orders"',
    'psql -c "select * from orders for update"',
    'psql -c "select 1; delete from orders"',
    'psql -c "with d as (delete from orders returning 1) select * from d"',
    'psql -c "explain analyze select own()"',
    'psql -c "explain (analyze) delete from orders"',
    'psql -c "copy orders to program \'sh\'"',
    'psql -c "copy (select 1) to \'/etc/a\'"',
    'psql -c "\\! rm a"',
    'psql -c "\\d orders \\! rm a"',
    'psql -c "\\copy orders to a"',
    'psql -c "\\i a.sql"',
    'psql -c "\\o a"',
    "psql -c \"select E'\\\\'' || own()\"",
    "psql -c 'select $$a$$'",
    'psql -c "select 1" $MORE',
    'psql -c "select 1" -c"select own()"',
    'psql -c "select 1" --command="select own()"',
    'psql -Atc "select own()"',
    'psql -c "vacuum full"',
    'psql -c "begin"',
    'psql -c "$QUERY"',
    'psql -c "select $(cat a)"',
    'PGOPTIONS=-cx=y psql -c "select 1"',
    './psql -l',
  ])('psql is not known as read-only with %s', (command) => expect(knownReadOnly(command)).toBe(false));
});

describe('gzip, xz and bzip2', () => {
  it.each(['gzip -t a.gz', 'gzip -l a.gz', 'xz -tv a.xz', 'bzip2 --test a.bz2', 'gzip -dc a.gz | head'])(
    'compression is known as read-only with %s',
    (command) => expect(knownReadOnly(command)).toBe(true),
  );
  it.each(['gzip a', 'gzip -d a.gz', 'gzip -k a', 'gzip -f -t a', 'xz -t --files=a', 'gzip -dcf a > b'])(
    'compression is not known as read-only with %s',
    (command) => expect(knownReadOnly(command)).toBe(false),
  );
});

describe('curl', () => {
  it.each([
    'curl -s localhost:8080',
    'curl -s localhost:8080/health.txt localhost:8080/list.txt',
    'curl -sS -m 3 http://127.0.0.1:9000/healthz',
    'curl -sI http://localhost/',
    "curl -s -H 'Host: wiki.lan' localhost/",
  ])('curl is known as read-only if it asks a local service for its state: %s', (command) =>
    expect(knownReadOnly(command)).toBe(true),
  );
  it.each([
    'curl example.org',
    'curl -s localhost:8080/shutdown',
    'curl -s localhost:8080/api/delete/7',
    "curl -s 'localhost:8080/health?do=stop'",
    'curl -s -X POST localhost:8080/health',
    'curl -s -d a localhost:8080/health',
    'curl -s -o out localhost:8080/health',
    'curl -s -O localhost:8080/health.txt',
    'curl -s -K a localhost',
    'curl -s -T a localhost',
    'curl -s -x proxy localhost',
    "curl -s -H 'X-HTTP-Method-Override: DELETE' localhost/",
    'curl -sL localhost/health',
    'curl -s localhost.example.org',
    'curl -s localhost@example.org',
    'curl -s "localhost:8080/$PATH"',
    'curl -s localhost/ example.org',
    'curl -s localhost:2375/../stop.txt',
    'curl',
  ])('curl is not known as read-only: %s', (command) => expect(knownReadOnly(command)).toBe(false));
});
