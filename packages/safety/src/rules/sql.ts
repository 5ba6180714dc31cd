import type { Snippet } from '../shell/command.js';

/** Returns the first part of `sql` that deletes, overwrites or changes existing data, or null if there is none. */
export function destructiveSql({ skeleton }: Pick<Snippet, 'skeleton'>): string | null {
  const text = skeleton
    .replace(/\s+/g, ' ')
    .replace(/\$\$|\$\w+\$/g, ' ')
    .trim();
  const statements = text
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  if (/^(begin|start transaction)\b/i.test(statements[0] ?? '') && /^(rollback|abort)$/i.test(statements.at(-1) ?? ''))
    return null;
  for (const statement of statements) {
    const found = inStatement(statement.replace(/^\(+/, ''));
    if (found !== null) return found;
  }
  return null;
}

/** Words that begin a destructive statement. */
const HEADS =
  /^(?:drop|delete|remove|truncate|update|alter|replace|merge|revoke|grant|shutdown|kill|purge|reset|rename|optimize|reassign|security|detach|attach database|undrop|discard|unload|import foreign|load data|restore|cluster|comment on|reindex system|vacuum full|vacuum into|set global|set persist|set password|flush (?:all|tables with|binary logs|logs)|stop (?:slave|replica|group_replication|transaction)|change (?:master|replication)|pragma (?:writable_schema|user_version|schema_version|journal_mode|auto_vacuum|application_id)\s*=|checkpoint truncate|handler|exchange|move|lock instance|deny|disable|backup log|dbcc (?:shrink|checkdb\s*\(.*repair)|exec(?:ute)? (?:sp_(?:rename|drop|delete|configure|executesql|detach)|xp_cmdshell|msdb)|system (?:drop|stop|shutdown|kill|restart)|create or replace|\.restore|\.import|\.clone|\.shell|\.system|\.save|\.backup|\.output|\.once|\.excel)\b/i;

function inStatement(statement: string): string | null {
  const head = /^[.\\]?\w+(?: \w+)?/.exec(statement)?.[0] ?? '';
  if (/^explain\b/i.test(statement)) {
    const analyzed = /^explain\s*(?:analyze|\([^)]*analyze[^)]*\))\s+(.*)$/i.exec(statement)?.[1];
    return analyzed === undefined || /^explain\s*\([^)]*analyze (?:false|off)/i.test(statement)
      ? null
      : inStatement(analyzed);
  }
  // The statement writes a file that the user names, like `-o`.
  if (/^\.(output|once|save|backup|clone|excel)$/i.test(head.split(' ')[0] ?? '')) return null;
  if (
    /^(show|describe|desc|help|use|\\[dlhcxtpez?]\w*\+?|\.(tables|schema|dump|mode|headers|indexes|databases))\b/i.test(
      statement,
    )
  )
    return null;
  if (HEADS.test(statement)) return head;
  const inside =
    /\b(?:delete from|drop (?:table|database|schema|index|view|user|role|function|column)|truncate table|insert or replace|on conflict[^;]* do update|on duplicate key update|update \S+ set|execute (?:immediate|format)|perform|pg_terminate_backend|pg_cancel_backend|pg_drop_replication_slot|lo_unlink|pg_reload_conf|pg_switch_wal|pg_promote|setval|pg_rotate_logfile|pg_stat_reset\w*|dblink_exec|overwrite (?:table|directory)|xp_cmdshell|sys_exec|writefile|drop_chunks|alter system|detach partition|set password)\b/i.exec(
      statement,
    )?.[0];
  if (inside !== undefined) return inside;
  return null;
}

/** Redis commands that only read. Every other command deletes, overwrites or changes the server. */
const REDIS_READS = new Set(
  'get mget keys scan info ping ttl pttl type exists dbsize llen lrange lindex lpos scard smembers sismember smismember srandmember sscan sinter sunion sdiff hget hgetall hmget hkeys hvals hlen hexists hscan hstrlen zrange zrevrange zrangebyscore zrevrangebyscore zrangebylex zcard zcount zscore zrank zrevrank zscan getrange strlen bitcount bitpos getbit monitor time lastsave object memory slowlog client latency command echo auth select hello xrange xrevrange xlen xread xinfo xpending pfcount geopos geodist georadius geosearch randomkey dump subscribe psubscribe pubsub role cluster config acl module script function debug wait help quit exit touch expiretime json.get ft.search ft.info ts.range ts.get asking readonly lolwut bgsave save bgrewriteaof multi exec publish'.split(
    ' ',
  ),
);

/** Whether one Redis command changes existing data. New members and counters do not overwrite anything. */
export function destructiveRedis(words: readonly string[]): boolean {
  const [name = '', second = '', third = ''] = words.map((word) => word.toLowerCase());
  if (/^(setnx|msetnx|hsetnx|lpush|rpush|sadd|zadd|xadd|pfadd|append|incr|incrby|decr|geoadd|copy)$/.test(name))
    return false;
  if (name === 'set') return !words.some((word) => /^nx$/i.test(word));
  if (!REDIS_READS.has(name)) return true;
  switch (name) {
    case 'config':
      return !/^(get|help)$/.test(second);
    case 'client':
      return /^(kill|pause|no-evict)$/.test(second);
    case 'script':
    case 'function':
      return /^(flush|kill|delete|restore|load)$/.test(second) && second !== 'load';
    case 'cluster':
      return /^(reset|forget|failover|flushslots|delslots|addslots|setslot|replicate|meet|bumpepoch)/.test(second);
    case 'debug':
      return !/^(object|sleep|jmap)$/.test(second);
    case 'acl':
      return /^(deluser|setuser|save|load)$/.test(second) || third === 'reset';
    case 'slowlog':
    case 'latency':
    case 'memory':
      return /^(reset|purge)$/.test(second);
    case 'module':
      return /^(load|unload|loadex)$/.test(second);
    default:
      return false;
  }
}
