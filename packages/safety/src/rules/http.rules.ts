import { exact, has, operands, option } from './arguments.js';
import type { Rule } from './rule.js';

const CLIENTS = ['curl', 'wget', 'http', 'https', 'xh', 'xhs', 'httpie', 'curlie', 'hurl', 'grpcurl', 'websocat', 'ab'];
const CHANGES = /^(DELETE|PUT|PATCH|PURGE|MOVE|UNLINK|BAN|PROPPATCH|LOCK|UNLOCK)$/i;
/** Words of a path or a body with which a POST takes something away. */
const TAKES_AWAY =
  /(^|[/_.:?&="'\s-])(delete|destroy|remove|purge|wipe|drop|truncate|reset|restart|reboot|shutdown|reload|stop|kill|terminate|prune|flush|clear|cancel|revoke|rollback|restore|format|erase|poweroff|turn_off|_delete_by_query|_update_by_query|_forcemerge|_close|_clear|_rollover|delete_series|clean_tombstones|quit|disable|uninstall|overwrite|unlock|factory|wipedisk|vacuum|suspend|power-off)([/_.:?&="'\s,;)-]|$)/i;
/** Devices that do something on a GET: `http://plug/relay/0?turn=off`, `/cgi-bin/reboot.cgi`. */
const SWITCHES =
  /^(https?:\/\/)?[^/\s]+\/(\S*[?&](turn|cmnd|power|state|action|op|cmd|command|do)=[^&]*(off|reboot|restart|reset|toggle|delete|shutdown|erase|stop|remove|clear|flush)|\S*(reboot|restart|factory_?reset|poweroff|shutdown)(\.cgi|\.php|\.cmd|\.asp|\.json)?$)/i;

export const HTTP: readonly Rule[] = [
  {
    id: 'http.delete',
    title: 'asks a server to delete or replace something',
    why: 'what the server deletes or replaces does not come back',
    severity: 'high',
    tools: CLIENTS,
    matches: (c) => {
      if ((has(c, '-I', '--head') && c.name === 'curl') || exact(c, '--offline')) return false;
      if (c.args.some((arg) => SWITCHES.test(arg)) && !has(c, '-d', '-F')) return true;
      const asked = option(c, '-X', '--request', '--method') ?? '';
      if (CHANGES.test(asked) && !searches(c.args)) return true;
      if (
        /^(http|https|xh|xhs|httpie|curlie)$/.test(c.name) &&
        operands(c)
          .slice(0, 3)
          .some((word) => CHANGES.test(word))
      )
        return true;
      if (c.name === 'curl') {
        if (exact(c, '-T', '--upload-file')) return true;
        const quote = option(c, '-Q', '--quote') ?? '';
        if (/^[-+]?(DELE|RMD|RNFR|rm|rmdir|rename|SITE)\b/i.test(quote)) return true;
      }
      const posts =
        /^post$/i.test(asked) ||
        c.args.some((arg) =>
          /^(-d|-F|--data|--data-raw|--data-binary|--data-urlencode|--json|--form|--post-data|--post-file|--body-data|POST|post)(=|$)/.test(
            arg,
          ),
        );
      if (c.name === 'grpcurl')
        return TAKES_AWAY.test(
          operands(c)
            .at(-1)
            ?.replace(/([a-z])([A-Z])/g, '$1_$2') ?? '',
        );
      return (
        posts &&
        !searches(c.args) &&
        c.args.some(
          (arg, at) =>
            (/^\w*:?\/\/|^[\w.-]+(:\d+)?\//.test(arg) &&
              TAKES_AWAY.test(arg.replace(/^\w+:\/\/[^/]*/, '').replace(/([a-z])([A-Z])/g, '$1_$2'))) ||
            (isBody(c.args[at - 1] ?? '') && inBody(arg)),
        )
      );
    },
    stops: [
      'curl -X DELETE http://h/x',
      'curl -XDELETE localhost:9200/i',
      'curl --request PUT http://h/x -d @a',
      'http DELETE h/x',
      'wget --method=DELETE http://h/x',
      'curl -X POST http://h/api/restart',
      'curl -T a ftp://h/',
      'curl -X POST es:9200/i/_delete_by_query -d "{}"',
      'curl -d \'{"query":"mutation { deleteUser(id:1) }"}\' http://h/graphql',
    ],
    passes: [
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

/** GraphQL: what comes after the word `mutation`. Looked for in two steps, for one expression would take quadratic time. */
export const isMutation = (text: string): boolean => {
  const at = text.search(/\bmutation\b/i);
  return (
    at !== -1 && /delete|remove|update|destroy|clear|reset|drop|archive|terminate|stop|close/i.test(text.slice(at))
  );
};
const isBody = (flag: string): boolean =>
  /^(-d|--data|--data-raw|--data-binary|--json|--data-urlencode|--post-data|--body-data)$/.test(flag);
const inBody = (body: string): boolean =>
  isMutation(body) ||
  /"?(action|command|cmd|op|operation|method|state|status|power)"?\s*[:=]\s*"?[\w.-]*(delete|remove|destroy|drop|stop|shutdown|reboot|restart|reset|kill|purge|flush|off)\b/i.test(
    body,
  ) ||
  /"query"\s*:\s*"\s*(drop|delete|truncate|update|alter)\b/i.test(body) ||
  /^(?:(?:q|query|sql)=)?\s*(drop|delete from|truncate|update \w+ set|alter)\b/i.test(body);

/** A PUT or POST that only asks: a search, a count, a dry run. */
const searches = (args: readonly string[]): boolean =>
  args.some((arg) =>
    /(_search|_count|_msearch|_analyze|_validate|\/search|\/query)(\/|\?|$)|[?&](dry_?run|dryRun)=(true|1|All)\b/.test(
      arg,
    ),
  ) && !args.some((arg) => /^(DELETE|-XDELETE)$/.test(arg));
