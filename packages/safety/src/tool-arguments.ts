import type { ArgumentPath, Guilt, Judged } from './tool-spans.js';
import { classify, type ClassifyOptions } from './classify.js';
import { isDestructiveWord } from './rules/destructive-words.js';
import { sqlOf } from './rules/databases.rules.js';
import { isMutation } from './rules/http-statements.js';
import { isSystem } from './rules/paths.js';
import { answer, judgeName, toolWords } from './tool-names.js';

const COMMAND_KEYS =
  /^(argv|commands?|cmds?|command_?line|command_?string|script|shell|bash|sh|exec|run|args_?string|program|input_?command|\w+_(command|cmd)|(shell|cli|raw|ssh|remote|inner|full|bash)_?(command|cmd))$/i;
const SQL_KEYS = /^(sql|query|statement|sql_?query|queries|statements|sql_?text|stmt|cypher|ddl|dml|\w+_sql)$/i;
const CODE_KEYS =
  /^(code|source|source_?code|python|javascript|js|snippet|expression|function|func|program_?text|cell|\w+_code)$/i;
const METHOD_KEYS = /^(method|http_?method|verb|request_?method|http_?verb)$/i;
/** Names of arguments that name the operation of any tool. */
const ACTION_KEYS = /^(action|actions|operation|operations|op|sub_?command|service|verb|signal)$/i;
/**
 * Names of arguments that name the operation, unless the tool only looks. A search may also be for a state or an event.
 */
const MODE_KEYS =
  /^(mode|task|event|state|power_?state|status|desired_?state|power|resolution|transition|job|target_?state)$/i;
const PATH_KEYS =
  /^(path|file|file_?path|filename|target(_?path)?|destination(_?path)?|dest|dst|output|output_?path|to|remote(_?path)?)$/i;
const FORCES =
  /^(force|overwrite|recursive_delete|delete|purge|prune|destroy|wipe|reset|hard|clobber|replace_existing|remove_source|truncate|replace|force_\w+|delete_\w+|remove_\w+|deleteFiles|removeVolumes|overwrite_\w+|allow_overwrite)$/i;
const ARGV_KEYS = /^(command|cmd|command_?line|argv|exec|run|shell|bash|sh|script|program|\w+_(command|cmd))$/i;
/** The programs of tools that take a command without the program's name. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/redis|valkey/, 'redis-cli'],
  [/kubectl|k8s|kubernetes/, 'kubectl'],
  [/docker_?compose/, 'docker compose'],
  [/docker/, 'docker'],
  [/podman/, 'podman'],
  [/(^|_)git(_|$)/, 'git'],
  [/helm/, 'helm'],
  [/terraform|opentofu/, 'terraform'],
  [/(^|_)aws(_|$)/, 'aws'],
  [/gcloud|(^|_)gcp(_|$)/, 'gcloud'],
  [/(^|_)az(ure)?(_|$)/, 'az'],
  [/systemctl|systemd/, 'systemctl'],
  [/(^|_)zfs(_|$)/, 'zfs'],
  [/zpool/, 'zpool'],
  [/virsh|libvirt/, 'virsh'],
  [/restic/, 'restic'],
  [/(^|_)gh(_|$)/, 'gh'],
  [/(^|_)npm(_|$)/, 'npm'],
  [/mongo/, 'mongosh --eval'],
];
/** Matches tools that type into a terminal, and their names for the text. */
const TYPES =
  /send_?(keys|input|text|line|command)|write_?(stdin|input|to_terminal)|type_?(text|command)|stdin|interact/i;
const TYPED_KEYS = /^(keys|input|stdin|data|text|line)$/i;
/** Matches stages of a MongoDB aggregation that overwrite a collection with its result. */
const WRITING_STAGES = /^\$(out|merge)$/;
const MAX_STRINGS = 200;
const MAX_DEPTH = 8;

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Returns the verdict from the arguments of a call, or null if they say nothing about it. */
export function judgeArguments(call: Call, options: ClassifyOptions): Judged | null {
  const looks = judgeName(call.name) === 'safe';
  let judged = 0;
  const visit = (value: unknown, path: ArgumentPath): Judged | null => {
    const key = keyOf(path);
    const depth = path.length;
    if (WRITING_STAGES.test(key) && path.at(-1) === key)
      return {
        ...answer('destructive', 'tool.argument', `${key} overwrites a collection`),
        guilt: { path, named: true },
      };
    if (depth > MAX_DEPTH) return answer('unknown', 'tool.too-deep', 'its arguments are nested too deeply to read');
    if (typeof value === 'boolean')
      return value && FORCES.test(key)
        ? { ...answer('destructive', 'tool.argument', `${key} is asked for`), guilt: { path, named: true } }
        : null;
    if (typeof value === 'string') {
      if (judged >= MAX_STRINGS) return answer('unknown', 'tool.too-long', 'it has too many arguments to read');
      const found = judgeString(value, key, call.name, looks, depth, options);
      if (found === null) return null;
      judged += 1;
      return { ...found, guilt: { path, inner: found.span, ...(METHOD_KEYS.test(key) ? { named: true } : {}) } };
    }
    // `git checkout -- files` discards the changes in these files.
    if (/^(paths?|files?)$/.test(key) && depth === 1 && /git/i.test(call.name) && /checkout/i.test(call.name))
      return {
        ...answer('destructive', 'tool.argument', `changes in ${key} are discarded`),
        guilt: { path, named: true },
      };
    if (Array.isArray(value)) {
      const words: unknown[] = value;
      // The list is one command as words, or several commands.
      if (words.length > 1 && words.every((word) => typeof word === 'string') && ARGV_KEYS.test(key))
        return at(path, judgeString(joined(words), 'command', call.name, looks, depth, options));
      // These are words for the program behind the tool.
      if (
        words.length > 1 &&
        words.every((word): word is string => typeof word === 'string' && !/\s/.test(word)) &&
        isTail(key, call.name)
      )
        return at(path, judgeString(joined(words), 'command', call.name, looks, depth, options));
      return firstOf(words.map((item, index) => visit(item, [...path, index])));
    }
    if (typeof value !== 'object' || value === null) return null;
    const fields: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(value));
    return firstOf([
      withWords(fields, path, (text) => judgeString(text, 'command', call.name, looks, depth, options)),
      at([...path, 'url'], request(fields, options)),
      at([...path, 'payload' in fields ? 'payload' : 'message'], published(fields, options)),
      ...Object.entries(fields).map(([name, item]) => visit(item, [...path, name])),
    ]);
  };
  return visit(call.args, []);
}

const at = (path: ArgumentPath, found: Judged | null): Judged | null =>
  found === null ? null : { ...found, span: null, guilt: { path } };

/** Returns the name of the argument that contains a value. For an item of a list, it is the name of the list. */
const keyOf = (path: ArgumentPath): string => path.findLast((part) => typeof part === 'string') ?? '';

/** Returns the file that a call is about. */
export function pathArgument(args: Readonly<Record<string, unknown>>): Guilt | undefined {
  const key = Object.keys(args).find((name) => PATH_KEYS.test(name) && typeof args[name] === 'string');
  return key === undefined ? undefined : { path: [key] };
}

/** Joins `{ command: "git", args: ["reset", "--hard"] }` into one command. */
function withWords(
  fields: Readonly<Record<string, unknown>>,
  path: ArgumentPath,
  judge: (text: string) => Judged | null,
): Judged | null {
  const program = fields['command'] ?? fields['cmd'] ?? fields['program'];
  const name = ['args', 'arguments', 'argv'].find((key) => fields[key] !== undefined) ?? '';
  const words = fields[name];
  if (typeof program !== 'string') return null;
  if (typeof words === 'string') return at([...path, name], judge(`${program} ${words}`));
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) return null;
  return at([...path, name], judge(`${program} ${joined(words)}`));
}

/** Judges a request to a server as if curl sent it. */
function request(fields: Readonly<Record<string, unknown>>, options: ClassifyOptions): Judged | null {
  const inner = fields['options'] ?? fields['init'] ?? fields['config'];
  const nested: unknown = typeof inner === 'object' && inner !== null && 'method' in inner ? inner.method : undefined;
  const method = fields['method'] ?? nested ?? fields['http_method'] ?? fields['httpMethod'];
  const url = fields['url'] ?? fields['uri'] ?? fields['endpoint'] ?? fields['path'];
  if (typeof method !== 'string' || typeof url !== 'string' || !/^[a-z]{3,8}$/i.test(method)) return null;
  const body: unknown = fields['body'] ?? fields['data'] ?? fields['json'] ?? fields['payload'];
  const data =
    body === undefined || body === null ? '' : ` -d ${quote(typeof body === 'string' ? body : JSON.stringify(body))}`;
  const address = url.includes('://') ? url : `http://host/${url.replace(/^\//, '')}`;
  return { ...classify(`curl -X ${method} ${quote(address)}${data}`, options), span: null };
}

/** Judges a message to a device as if mosquitto_pub sent it. */
function published(fields: Readonly<Record<string, unknown>>, options: ClassifyOptions): Judged | null {
  const { topic } = fields;
  const payload = fields['payload'] ?? fields['message'];
  if (typeof topic !== 'string' || typeof payload !== 'string') return null;
  const judged = classify(`mosquitto_pub -t ${quote(topic)} -m ${quote(payload)}`, options);
  return judged.verdict === 'destructive' ? { ...judged, span: null } : null;
}

const programOf = (tool: string): string | undefined => {
  const name = tool
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[./:-]+/g, '_');
  return PROGRAMS.find(([pattern]) => pattern.test(name))?.[1];
};

const isTail = (key: string, tool: string): boolean => /^(args|arguments)$/i.test(key) && programOf(tool) !== undefined;

function judgeString(
  value: string,
  key: string,
  tool: string,
  looks: boolean,
  depth: number,
  options: ClassifyOptions,
): Judged | null {
  if (METHOD_KEYS.test(key)) {
    if (/^(delete|put|patch)$/i.test(value)) return answer('destructive', 'tool.argument', `${key} is ${value}`);
    if (/^(get|head|options)$/i.test(value)) return answer('safe', null, null);
    return key === 'verb' || key === 'method' ? judgeAction(value, key) : null;
  }
  if (/^signal$/i.test(key) && /^(SIG)?(KILL|TERM|INT|HUP|QUIT|ABRT|STOP|TSTP|USR[12]|ALRM|[1-9]\d?)$/i.test(value))
    return answer('destructive', 'tool.argument', `${key} is ${value}`);
  // A search may be for an action, so only the call's own arguments count for a tool that looks.
  if (ACTION_KEYS.test(key)) return looks && depth > 1 ? null : judgeAction(value, key);
  if (MODE_KEYS.test(key)) return looks ? null : judgeAction(value, key);
  const isTyped = TYPED_KEYS.test(key) && TYPES.test(tool);
  if (COMMAND_KEYS.test(key) || isTyped || isTail(key, tool)) return judgeCommand(value, tool, options);
  if (SQL_KEYS.test(key)) return judgeStatement(value, key, tool);
  if (CODE_KEYS.test(key)) return judgeCode(value, options);
  if (PATH_KEYS.test(key) && isSystem(value) && WRITES.test(toolWords(tool).join('_')) && !isSource(key, tool))
    return answer('destructive', 'tool.argument', `it writes ${value}`);
  return null;
}

/** Whether a path is only the source of a download, so that nothing is written to it. */
const isSource = (key: string, tool: string): boolean =>
  /^remote/i.test(key) && /(^|_)(download|get|pull|fetch)(_|$)/.test(toolWords(tool).join('_'));

const WRITES = /(^|_)(append|write|insert|copy|create|upload|download|save|add|put|extract|unzip|export|store)(_|$)/;

function judgeAction(value: string, key: string): Judged | null {
  const last = value.split(/[./:]/).at(-1) ?? value;
  if (value.length > 80 || /\s.*\s/.test(value)) return null;
  const byName = judgeName(last);
  if (isDestructiveWord(last) || byName === 'destructive' || /(^|[._])turn_off$/.test(value))
    return answer('destructive', 'tool.argument', `${key} is ${value}`);
  return byName === 'safe' ? answer('safe', null, null) : null;
}

/** Judges a command as written, and again with the name of the program behind the tool. */
function judgeCommand(value: string, tool: string, options: ClassifyOptions): Judged {
  const plain = classify(value, options);
  const program = programOf(tool);
  const [first = ''] = value.trim().split(/\s+/);
  if (plain.verdict === 'destructive' || program === undefined || program.startsWith(first)) return plain;
  const inner = classify(`${program} ${program.endsWith('--eval') ? quote(value) : value}`, options);
  // The whole text is marked, because the span also counts the program's name.
  if (inner.verdict === 'destructive') return { ...inner, span: null };
  // The `command` of an editor or a manager is an action of its own.
  const action = /^\w+$/.test(value) ? judgeAction(value, 'command') : null;
  return action?.verdict === 'destructive' ? action : plain;
}

const joined = (words: readonly string[]): string =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quote(word))).join(' ');
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Judges a statement. A `query` may also be words to search for. It is SQL if it reads like SQL, or if the tool belongs
 * to a database.
 */
function judgeStatement(value: string, key: string, tool: string): Judged | null {
  if (isMutation(value) && /^\s*mutation\b/.test(value))
    return answer('destructive', 'tool.statement', 'it is a mutation that removes something');
  if (/graphql|gql/i.test(tool) && /^\s*(query\b|\{)/.test(value)) return answer('safe', null, null);
  const reads = /^(search|find|lookup)$/.test(toolWords(tool)[0] ?? '');
  const isSql =
    /sql/i.test(key) ||
    /sql|(^|_)db(_|$)|database|postgres|maria|duck|clickhouse|supabase|neon|bigquery|snowflake|trino|timescale/i.test(
      tool,
    ) ||
    (!reads && READS_LIKE_SQL.test(value));
  if (!isSql)
    return /prometheus|promql|loki|logql|grafana|influx|elastic|search|metrics|logs/i.test(tool)
      ? answer('safe', null, null)
      : null;
  const statement = sqlOf(value);
  if (statement !== null)
    return answer('destructive', 'tool.statement', `${statement} changes or deletes data in a database`);
  return /^\s*(select|show|explain|describe|with|pragma|values|insert|create)\b/i.test(value)
    ? answer('safe', null, null)
    : null;
}

const READS_LIKE_SQL =
  /^\s*(select\b[\s\S]*\bfrom\b|delete\s+from\b|drop\s+(table|database|schema|index|view|user|role)\b|truncate\s+(table\s+)?\w+|update\s+\S+\s+set\b|alter\s+(table|database|user|role|system)\b|insert\s+into\b|create\s+\w+|with\s+\w+\s+as\b|begin\b|explain\b)/i;

/** Judges code of an unnamed language in each possible language. */
function judgeCode(value: string, options: ClassifyOptions): Judged {
  const quoted = `'${value.replaceAll("'", `'\\''`)}'`;
  const answers = ['python3 -c', 'node -e', 'bash -c'].map((interpreter) =>
    classify(`${interpreter} ${quoted}`, options),
  );
  const destructive = answers.find(({ verdict }) => verdict === 'destructive');
  if (destructive !== undefined) return { ...destructive, span: null };
  const open = answers.slice(0, 2).find(({ verdict }) => verdict === 'unknown');
  return open === undefined ? answer('safe', null, null) : { ...open, span: null };
}

/** Returns the worst of several answers, with the other bad ones in `beside`. */
function firstOf(answers: readonly (Judged | null)[]): Judged | null {
  const found = answers.filter((item) => item !== null);
  const first =
    found.find((item) => item.verdict === 'destructive') ??
    found.find((item) => item.verdict === 'unknown') ??
    found[0] ??
    null;
  const beside = found.filter((item) => item !== first && item.verdict !== 'safe');
  return first === null || beside.length === 0 ? first : { ...first, beside: [...(first.beside ?? []), ...beside] };
}
