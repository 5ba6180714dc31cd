import type { Command } from '../shell/command.js';

/** Options of HTTP clients whose value is the body of the request or a field of it. */
export const isBody = (flag: string): boolean =>
  /^(-d|-F|--data|--data-raw|--data-binary|--data-ascii|--data-urlencode|--json|--form|--form-string|--post-data|--body-data|--raw|--url-query)$/.test(
    flag,
  );

/**
 * Names of fields in which servers accept a statement: InfluxDB, ClickHouse, rqlite, Elasticsearch, Neo4j, CouchDB,
 * Trino.
 */
const FIELD = '(?:q|query|sql|stmt|statement|statements|ksql|command)';
/** Matches a statement, not just words: the verb together with its object. */
const DESTROYS =
  /^\s*\(?\s*(?:drop\s+(?:table|database|schema|index|view|user|role|measurement|series|shard|retention|continuous|keyspace|collection|stream|connector|type|bucket|function|materialized|dictionary|subscription|warehouse|policy|partition|columnfamily)\b|delete\s+(?:from|where)\b|truncate\s+\w|update\s+\S+\s+set\b|alter\s+(?:table|database|schema|user|role|system|index|retention|keyspace|view|default)\b|revoke\s+\w+\s+(?:on|from)\b|kill\s+(?:query|mutation)\b|optimize\s+table\b|remove\s+(?:table|namespace|database|index|field|user|event)\b|(?:detach|rename|exchange)\s+tables?\b|system\s+(?:drop|shutdown|kill|stop)\b)/i;
const CYPHER = /\bdetach\s+delete\b|^\s*match\b[\s\S]*\b(?:delete|remove|set)\s+\w/i;

/** Whether `text` is a statement that deletes or overwrites data of a database. */
export const isDestructiveStatement = (text: string): boolean =>
  text.split(';').some((statement) => DESTROYS.test(statement)) || CYPHER.test(text);

/** Finds the argument of an HTTP client that sends a destructive statement, in the address, a form or a JSON body. */
export const sendsStatement = (c: Command): boolean =>
  c.args.some((arg, at) => {
    const attached =
      /^(?:-d|--(?:data|data-raw|data-binary|data-urlencode|json|post-data|body-data|raw)=)([\s\S]+)$/.exec(arg)?.[1];
    const body = attached ?? (isBody(c.args[at - 1] ?? '') ? arg : null);
    if (body !== null) return inFields(body) || isDestructiveStatement(body);
    // The statement may be a field, as in `http post h q="drop table x"`, or part of an address.
    return /[?]/.test(arg)
      ? inFields(arg.slice(arg.indexOf('?') + 1))
      : new RegExp(`^${FIELD}={1,2}`).test(arg) && inFields(arg);
  });

function inFields(text: string): boolean {
  for (const [, value = ''] of text.matchAll(new RegExp(`"${FIELD}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)"`, 'gi')))
    if (isDestructiveStatement(value)) return true;
  for (const part of text.split('&')) {
    const value = new RegExp(`^${FIELD}(?::?=){1,2}([\\s\\S]*)$`, 'i').exec(part)?.[1];
    if (value !== undefined && isDestructiveStatement(decoded(value))) return true;
  }
  return false;
}

function decoded(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/**
 * Whether the words after `mutation` in GraphQL destroy something. The check has two steps, because a single regular
 * expression would take quadratic time.
 */
export const isMutation = (text: string): boolean => {
  const at = text.search(/\bmutation\b/i);
  return (
    at !== -1 && /delete|remove|update|destroy|clear|reset|drop|archive|terminate|stop|close/i.test(text.slice(at))
  );
};
