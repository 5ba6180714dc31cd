import type { Command } from '../shell/command.js';
import { exact, has, operands, option } from './arguments.js';
import { isDestructiveWord } from './destructive-words.js';
import { isBody, isMutation, sendsStatement } from './http-statements.js';
import type { Rule } from './rule.js';

const CLIENTS = ['curl', 'wget', 'http', 'https', 'xh', 'xhs', 'httpie', 'curlie', 'hurl', 'grpcurl', 'websocat', 'ab'];
const CHANGES = /^(DELETE|PUT|PATCH|PURGE|MOVE|UNLINK|BAN|PROPPATCH|LOCK|UNLOCK)$/i;
/** Words in the path or body of a POST that remove or stop something. */
const TAKES_AWAY =
  /(^|[/_.:?&="'\s-])(delete|destroy|remove|purge|wipe|drop|truncate|reset|restart|reboot|shutdown|reload|stop|kill|terminate|prune|flush|clear|cancel|revoke|rollback|restore|format|erase|poweroff|turn_off|_delete_by_query|_update_by_query|_bulk|seal|gc|empty\w*|expire|evict|drain|forget|decommission|deactivate|uninstall|factory_reset|purge_\w+|delete_\w+|remove_\w+|reset_\w+|clear_\w+|_forcemerge|_close|_clear|_rollover|delete_series|clean_tombstones|quit|disable|uninstall|overwrite|unlock|factory|wipedisk|vacuum|suspend|power-off)([/_.:?&="'\s,;)-]|$)/i;
/** Addresses of devices that act on a GET: `http://plug/relay/0?turn=off`, `/cgi-bin/reboot.cgi`. */
const SWITCHES =
  /^(https?:\/\/)?[^/\s]+\/(\S*[?&](turn|cmnd|power|state|action|op|cmd|command|do|name|func|function|method|task|a|_method)=[^&]*(off|reboot|restart|reset|toggle|delete|shutdown|erase|stop|remove|clear|flush)|\S*(reboot|restart|factory_?reset|poweroff|shutdown)(\.cgi|\.php|\.cmd|\.asp|\.json)?$)/i;

export const HTTP: readonly Rule[] = [
  {
    id: 'http.delete',
    title: 'asks a server to delete or replace something',
    why: 'what the server deletes or replaces cannot be restored',
    severity: 'high',
    tools: CLIENTS,
    matches: takesAway,
    stops: [
      'curl -X POST http://h/x -X DELETE',
      "curl -X POST -H 'X-HTTP-Method-Override: DELETE' http://h/x",
      'curl "http://h/api?mode=queue&name=delete&value=all"',
      "xh post h/graphql query='mutation{deleteUser(id:1){id}}'",
      "curl -XPOST 'http://h:8086/query?db=x' --data-urlencode 'q=DROP SERIES FROM cpu'",
      "curl 'http://h:8123/?query=DROP%20TABLE%20x'",
      'curl -d \'{"method":"wipe"}\' http://h/rpc',
      'curl -X DELETE http://h/x',
      'curl -XDELETE localhost:9200/i',
      'curl --request PUT http://h/x -d @a',
      'http DELETE h/x',
      'wget --method=DELETE http://h/x',
      'curl -X POST http://h/api/restart',
      'curl -T a ftp://h/',
      'curl -sXPUT http://h/x',
      'curl -sSfTa.txt http://h/x',
      "curl --variable m=DELETE --expand-request '{{m}}' http://h/x",
      'curl gopher://h/_DELETE%20/x',
      "printf 'request=DELETE\\nurl=http://h/x\\n' | curl -K -",
      "curl telnet://h <<< 'DELETE / HTTP/1.0'",
      'curl -X POST es:9200/i/_delete_by_query -d "{}"',
      'curl -d \'{"query":"mutation { deleteUser(id:1) }"}\' http://h/graphql',
    ],
    passes: [
      'curl -X POST http://h/items -H "X-Request: delete"',
      "curl -G http://h:8086/query --data-urlencode 'q=SHOW DATABASES'",
      'curl -G http://h/search -d q=drop',
      'curl http://h/delete',
      'curl -X POST http://h/items -d a=b',
      'curl -I http://h',
      'http GET h/x',
      'curl -s http://h | jq .',
      'wget http://h/x',
      'curl -X GET http://h/reset',
    ],
  },
];

/** Matches the letters of curl that have no value. A letter after them in a cluster is another option: `-sXPUT`. */
const CURL_CLUSTER = /^-([#0-46afgGiIjJklLMnNOpqRsSvZ]+)([A-Za-z].*)$/s;

function apart(c: Command): Command {
  if (c.name !== 'curl') return c;
  const args = c.args.flatMap((arg) => {
    const [, letters, rest] = CURL_CLUSTER.exec(arg) ?? [];
    return letters === undefined || rest === undefined ? [arg] : [`-${letters}`, `-${rest}`];
  });
  return { ...c, args };
}

function takesAway(command: Command): boolean {
  const c = apart(command);
  if ((has(c, '-I', '--head') && c.name === 'curl') || exact(c, '--offline')) return false;
  return (
    sendsStatement(c) ||
    (c.args.some((arg) => SWITCHES.test(arg)) && !has(c, '-d', '-F')) ||
    asksByMethod(c) ||
    (c.name === 'curl' && uploads(c)) ||
    (c.name === 'grpcurl' ? TAKES_AWAY.test(snakeCase(operands(c).at(-1) ?? '')) : posts(c) && saysRemoval(c))
  );
}

const isHttpie = ({ name }: Command): boolean => /^(http|https|xh|xhs|httpie)$/.test(name);

const asksByMethod = (c: Command): boolean =>
  (CHANGES.test(methodOf(c)) && !searches(c.args)) ||
  c.args.some((arg) => OVERRIDES.test(arg) || arg === '--expand-request') ||
  (c.name === 'curl' && c.input.kind === 'text' && readsRequest(c) && REQUEST_TEXT.test(c.input.text)) ||
  ((isHttpie(c) || c.name === 'curlie') &&
    operands(c)
      .slice(0, 3)
      .some((word) => CHANGES.test(word)));

/**
 * Whether curl reads its request from elsewhere: `curl -K -` reads options from its input, and `curl telnet://h` sends
 * its input.
 */
const readsRequest = (c: Command): boolean =>
  option(c, '-K', '--config') === '-' || c.args.some((arg) => /^telnet:/i.test(arg));
const REQUEST_TEXT = /^\s*(?:(?:-X|(?:--)?request)\s*[=:]?\s*"?)?(?:DELETE|PUT|PATCH)\b/im;

const uploads = (c: Command): boolean =>
  c.args.some((arg) => /^(-T|--upload-file(=|$))/.test(arg)) ||
  c.args.some((arg) => /^gopher:.*_(DELETE|PUT|PATCH)\b/i.test(arg)) ||
  /^[-+]?(DELE|RMD|RNFR|rm|rmdir|rename|SITE)\b/i.test(option(c, '-Q', '--quote') ?? '');

const posts = (c: Command): boolean =>
  /^post$/i.test(methodOf(c)) ||
  c.args.some(
    (arg) =>
      /^-[dF]./.test(arg) ||
      /^(-d|-F|--data|--data-raw|--data-binary|--data-urlencode|--json|--form|--post-data|--post-file|--body-data|POST|post)(=|$)/.test(
        arg,
      ),
  );

/** Whether the address or the body of a POST asks for a removal. */
const saysRemoval = (c: Command): boolean =>
  !searches(c.args) &&
  c.args.some(
    (arg, at) =>
      (/^\w*:?\/\/|^[\w.-]+(:\d+)?\//.test(arg) && TAKES_AWAY.test(snakeCase(arg.replace(/^\w+:\/\/[^/]*/, '')))) ||
      ((isBody(c.args[at - 1] ?? '') || isField(c, arg)) && (inBody(arg) || OVERWRITES.test(arg))),
  );

const snakeCase = (text: string): string => text.replace(/([a-z])([A-Z])/g, '$1_$2');

/** Returns the method. If there are several, the last one counts: `-X POST … -X DELETE`. */
function methodOf(c: Command): string {
  const at = c.args.findLastIndex((arg) => /^(-X|--request$|--request=|--method$|--method=)/.test(arg));
  return at === -1
    ? (option(c, '-X', '--request', '--method') ?? '')
    : (option({ ...c, args: c.args.slice(at) }, '-X', '--request', '--method') ?? '');
}
/** Matches the header of a POST that asks the server to treat it as another method. */
const OVERRIDES = /^x-http-method(-override)?\s*:\s*(delete|put|patch)\b|[?&]_method=(delete|put|patch)\b/i;
const OVERWRITES = /^(overwrite|force|replace|delete|purge)=(true|1|yes)$/i;
/** Whether an argument is an item of HTTPie, which is a field of the body: `http post h a=b`. */
const isField = (c: Command, arg: string): boolean => isHttpie(c) && /^[\w.-]+:?=[^=]/.test(arg);

const inBody = (body: string): boolean =>
  isMutation(body) ||
  saysAction(body) ||
  /"?(action|command|cmd|op|operation|method|state|status|power)"?\s*[:=]\s*"?[\w.-]*(delete|remove|destroy|drop|stop|shutdown|reboot|restart|reset|kill|purge|flush|off)\b/i.test(
    body,
  ) ||
  /"(delete|remove|drop|destroy|purge|wipe|truncate)(_\w+)?"\s*:\s*[[{]/i.test(body) ||
  /"?(enabled?|active|running|protection)"?\s*[:=]\s*"?(false|0|off|no)\b/i.test(body) ||
  /"query"\s*:\s*"\s*(drop|delete|truncate|update|alter)\b/i.test(body) ||
  /^(?:(?:q|query|sql)=)?\s*(drop|delete from|truncate|update \w+ set|alter)\b/i.test(body);

/** Whether the body names a destructive operation: `"method":"wipe"`, `action=removeAll`. */
const saysAction = (body: string): boolean =>
  [
    ...body
      .slice(0, MAX_BODY)
      .matchAll(/"?\b(action|command|cmd|op|operation|method|task|name)"?\s*[:=]\s*"?([\w.:-]{2,40})/gi),
  ].some(([, key = '', value = '']) => {
    const last = value.split('.').at(-1) ?? value;
    return key === 'name' ? /^[a-zA-Z][a-z]+[A-Z]/.test(last) && isDestructiveWord(last) : isDestructiveWord(last);
  });
const MAX_BODY = 4000;

/** Whether a PUT or POST changes nothing, because it is a search, a count or a dry run. */
const searches = (args: readonly string[]): boolean =>
  args.some((arg) =>
    /(_search|_count|_msearch|_analyze|_validate|\/search|\/query)(\/|\?|$)|[?&](dry_?run|dryRun)=(true|1|All)\b/.test(
      arg,
    ),
  ) &&
  // Kubernetes accepts dryRun for every method.
  (args.some((arg) => /[?&]dryRun=All\b/.test(arg)) || !args.some((arg) => /^(DELETE|-XDELETE)$/.test(arg)));
