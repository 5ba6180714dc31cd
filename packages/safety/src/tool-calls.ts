import type { Classification } from '@aish/contracts';
import { classify, type ClassifyOptions } from './classify.js';
import { isDestructiveWord } from './rules/generic.rules.js';
import { sqlOf } from './rules/databases.rules.js';

export interface ToolCall {
  /** `server__tool`, or `server.tool`. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** What the server says of the tool. */
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
  /** Whether what the server says counts. */
  readonly trusted?: boolean;
}

export interface ToolCallOptions extends ClassifyOptions {
  /** Globs of names that are always destructive, instead of ALWAYS_DESTRUCTIVE. */
  readonly alwaysDestructive?: readonly string[];
}

/** Tools that run or write whatever they are given. */
export const ALWAYS_DESTRUCTIVE: readonly string[] = ['*__shell', '*__write_file', '*__edit_file', '*__shell_bg'];

const COMMAND_KEYS =
  /^(command|cmd|commands|command_?line|script|shell|bash|sh|exec|run|args_?string|shell_?command|program|input_?command)$/i;
const SQL_KEYS = /^(sql|query|statement|sql_?query|queries|statements)$/i;
const CODE_KEYS = /^(code|source|python|javascript|js|snippet|expression)$/i;
const METHOD_KEYS = /^(method|http_?method|verb)$/i;
const ACTION_KEYS = /^(action|operation|op|mode|service|task|event|state)$/i;
const MAX_STRINGS = 200;

const READS =
  /^(get|list|read|search|find|describe|show|view|fetch|query|lookup|look|check|count|status|stat|inspect|ping|echo|browse|explain|tail|head|grep|ls|cat|diff|compare|analy[sz]e|summari[sz]e|validate|verify|test|health|info|print|preview|estimate|calculate|compute|convert|translate|parse|resolve|recall|retrieve|watch|monitor|scan|ask|think|time|current|whoami|log|logs|metrics|export|download|is|has|can|select|screenshot|snapshot|hover|wait|history|version|help|discover|suggest|plan|dry|simulate|lint|render|extract|observe|open|navigate|access|display|report|trace|peek|sample|measure|detect|identify|tree|glob|stats|statistics|forecast|weather|usage|thinking|sequentialthinking|evaluate|docs|contents|details|summary|overview|graph|schema|structure|uptime|versions|inventory|topology|catalog|ask|answer|rank|filter|sort|match|lookup|profile|benchmark|audit)$/;
const CREATES =
  /^(create|add|new|insert|append|make|mkdir|build|register|start|post|comment|reply|clone|copy|save|remember|store|note|init|subscribe|tag|label|assign|invite|enqueue|publish|push|commit|upload|notify|send|draft|generate|import|join|star|bookmark|fork|open|branch|attach|connect|log|record|capture)$/;
const CHANGES =
  /^(delete|del|remove|rm|rmdir|unlink|drop|destroy|purge|wipe|erase|truncate|clear|clean|cleanup|flush|reset|prune|kill|terminate|stop|halt|shutdown|poweroff|power|reboot|restart|reload|update|upsert|set|write|overwrite|edit|modify|patch|put|replace|rename|move|mv|change|alter|merge|rollback|restore|revert|revoke|disable|enable|cancel|close|archive|trash|uninstall|unpublish|execute|exec|run|eval|shell|bash|terminal|command|deploy|undeploy|scale|resize|format|migrate|rotate|evict|drain|cordon|detach|disconnect|suspend|pause|forget|abort|expire|apply|turn|toggle|switch|control|call|invoke|unassign|unsubscribe|lock|unlock|ban|block|empty|discard|amend|rebase|force|install|upgrade|downgrade|transfer|transform|refactor|fill|click|press|type|drag|submit|sudo|ssh|kick|mute|void|refund|pay|buy|sell|withdraw|mark|sync|compact|vacuum|wol|wake|flash|reimage|provision|deprovision|promote|demote|failover|sign|approve|reject|dismiss|resolve|finalize|sql)$/;

/** Whether a tool call would delete, overwrite or change something. Never throws; pure. */
export function classifyToolCall(call: ToolCall, options: ToolCallOptions = {}): Classification {
  const always = (options.alwaysDestructive ?? ALWAYS_DESTRUCTIVE).find((pattern) => matchesName(pattern, call.name));
  if (always !== undefined)
    return answer(
      'destructive',
      'tool.always',
      `${call.name} is one of the tools that are always asked about (${always})`,
    );
  const inArguments = judgeArguments(call, options);
  if (inArguments?.verdict === 'destructive') return inArguments;
  const byName = judgeName(call.name);
  if (call.trusted === true && call.annotations?.destructiveHint === true && call.annotations.readOnlyHint !== true) {
    return answer('destructive', 'tool.hint', `the server says that ${call.name} may destroy something`);
  }
  if (byName === 'destructive' && !(isRunner(call.name) && inArguments?.verdict === 'safe')) {
    return answer('destructive', 'tool.name', `${call.name} is named for changing or deleting something`);
  }
  if (inArguments?.verdict === 'unknown') return inArguments;
  if (call.trusted === true && call.annotations?.readOnlyHint === true) return answer('safe', null, null);
  if (byName === 'safe' || inArguments !== null) return answer('safe', null, null);
  return answer('unknown', 'tool.unknown', `nothing says what ${call.name} does`);
}

/** Tools whose arguments say what they do: they are judged by those. */
const isRunner = (name: string): boolean =>
  /^(run|exec|execute|eval|query|sql|call|invoke|http|request|ssh|command|terminal|bash)/.test(
    toolWords(name)[0] ?? '',
  ) || /(query|sql|request|command|cmd)$/.test(toolWords(name).at(-1) ?? '');

function judgeName(name: string): Classification['verdict'] {
  const words = toolWords(name);
  const [first = ''] = words;
  // Any rule of a firewall, also one more, changes who gets in.
  if (/firewall|iptables|nftables|(^|_)ufw/i.test(name) && CREATES.test(first)) return 'destructive';
  if (words.length > 1 && READS.test(first) && !/^(open|test|log)$/.test(first)) return 'safe';
  if (CHANGES.test(first) || isDestructiveWord(words.join('-'))) return 'destructive';
  if (READS.test(first) || CREATES.test(first))
    return words.slice(1).some((word) => /^(delete|remove|destroy|overwrite|replace|purge|wipe)$/.test(word))
      ? 'destructive'
      : 'safe';
  // `file_delete`, `container_list`: the verb may stand at the end.
  const last = words.at(-1) ?? '';
  if (CHANGES.test(last)) return 'destructive';
  if (READS.test(last) || CREATES.test(last)) return 'safe';
  if (words.some((word) => isDestructiveWord(word))) return 'destructive';
  return /^(translate|search|weather|time|calculator|math|thinking|fetch)(__|[./:])/i.test(name) ? 'safe' : 'unknown';
}

/** `hertz__wol_machine` -> wol, machine; `k8s.deletePod` -> delete, pod. */
function toolWords(name: string): readonly string[] {
  const tool = name.includes('__') ? (name.split('__').at(-1) ?? name) : (name.split(/[./:]/).at(-1) ?? name);
  return tool
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_\s-]+/)
    .filter((word) => word !== '');
}

function judgeArguments(call: ToolCall, options: ToolCallOptions): Classification | null {
  let known: Classification | null = null;
  let seen = 0;
  const visit = (value: unknown, key: string, depth: number): Classification | null => {
    if (depth > 6 || seen > MAX_STRINGS) return null;
    if (typeof value === 'boolean')
      return value &&
        /^(force|overwrite|recursive_delete|delete|purge|prune|destroy|wipe|reset|hard|clobber|replace_existing|remove_source|truncate|delete_\w+|remove_\w+)$/i.test(
          key,
        )
        ? answer('destructive', 'tool.argument', `${key} is asked for`)
        : null;
    if (typeof value === 'string') {
      seen += 1;
      return judgeString(value, key, call.name, options);
    }
    if (Array.isArray(value)) {
      if (COMMAND_KEYS.test(key) || /^(args|argv)$/i.test(key)) {
        const words: unknown[] = value;
        if (words.every((word) => typeof word === 'string')) {
          const joined = words
            .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
            .join(' ');
          const command = COMMAND_KEYS.test(key) ? joined : '';
          if (command !== '') return visit(command, 'command', depth + 1);
        }
      }
      return firstOf(value.map((item) => visit(item, key, depth + 1)));
    }
    if (typeof value === 'object' && value !== null) {
      return firstOf(Object.entries(value).map(([name, item]) => visit(item, name, depth + 1)));
    }
    return null;
  };
  const found = visit(call.args, '', 0);
  if (found !== null) known = found;
  return known;
}

function judgeString(value: string, key: string, tool: string, options: ToolCallOptions): Classification | null {
  if (METHOD_KEYS.test(key)) {
    if (/^(delete|put|patch)$/i.test(value)) return answer('destructive', 'tool.argument', `${key} is ${value}`);
    return /^(get|head|options)$/i.test(value) ? answer('safe', null, null) : null;
  }
  if (ACTION_KEYS.test(key)) {
    const destroys = isDestructiveWord(value.split('.').at(-1) ?? value) || /(^|[._])turn_off$/.test(value);
    return destroys ? answer('destructive', 'tool.argument', `${key} is ${value}`) : null;
  }
  if (COMMAND_KEYS.test(key)) return classify(value, options);
  if (SQL_KEYS.test(key)) return judgeStatement(value, key, tool);
  return CODE_KEYS.test(key) ? judgeCode(value, options) : null;
}

/** A `query` may be words to look for: it is SQL when it reads like it, or when the tool is a database's. */
function judgeStatement(value: string, key: string, tool: string): Classification | null {
  const isSql =
    /sql/i.test(key) ||
    /sql|(^|_)db(_|$)|database|postgres|maria|duck|clickhouse/i.test(tool) ||
    READS_LIKE_SQL.test(value);
  if (!isSql) return null;
  const statement = sqlOf(value);
  if (statement !== null)
    return answer('destructive', 'tool.statement', `${statement} changes or deletes what a database holds`);
  return /^\s*(select|show|explain|describe|with|pragma|values|insert|create)\b/i.test(value)
    ? answer('safe', null, null)
    : null;
}

const READS_LIKE_SQL =
  /^\s*(select\b[\s\S]*\bfrom\b|delete\s+from\b|drop\s+(table|database|schema|index|view|user|role)\b|truncate\s+(table\s+)?\w+|update\s+\S+\s+set\b|alter\s+(table|database|user|role|system)\b|insert\s+into\b|create\s+\w+|with\s+\w+\s+as\b|begin\b|explain\b)/i;

/** Code of a language that nobody names: it is asked about in each that could be meant. */
function judgeCode(value: string, options: ToolCallOptions): Classification {
  const quoted = `'${value.replaceAll("'", `'\\''`)}'`;
  const answers = ['python3 -c', 'node -e', 'bash -c'].map((interpreter) =>
    classify(`${interpreter} ${quoted}`, options),
  );
  const destructive = answers.find(({ verdict }) => verdict === 'destructive');
  if (destructive !== undefined) return { ...destructive, span: null };
  const open = answers.slice(0, 2).find(({ verdict }) => verdict === 'unknown');
  return open === undefined ? answer('safe', null, null) : { ...open, span: null };
}

/** The worst of several answers. */
function firstOf(answers: readonly (Classification | null)[]): Classification | null {
  const found = answers.filter((item) => item !== null);
  return (
    found.find((item) => item.verdict === 'destructive') ??
    found.find((item) => item.verdict === 'unknown') ??
    found[0] ??
    null
  );
}

function matchesName(pattern: string, name: string): boolean {
  const glob = new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    'i',
  );
  // `alias.tool` is the same tool as `alias__tool`.
  return (
    glob.test(name) ||
    glob.test(name.replace('.', '__')) ||
    (!name.includes('__') && !name.includes('.') && glob.test(`x__${name}`))
  );
}

function answer(verdict: Classification['verdict'], ruleId: string | null, reason: string | null): Classification {
  return { verdict, reason, ruleId, span: null, by: 'rule' };
}
