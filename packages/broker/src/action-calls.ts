import type { ToolCall } from '@aish/contracts/tools';
import { readObject } from './repair-json.js';

/** An action that a call requests from aish itself. Each model uses the names that it was trained on. */
type AskedAction =
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'edit'; readonly path: string; readonly old: string; readonly new: string }
  | { readonly kind: 'write'; readonly path: string; readonly text: string }
  | { readonly kind: 'finish'; readonly answer: string }
  | { readonly kind: 'ask'; readonly question: string };

/** Names that models use for each action, even without a description. */
const NAMES: Readonly<Record<AskedAction['kind'] | 'read' | 'list' | 'editor', string>> = {
  run: 'run bash cmd command exec execute execute_bash execute_command execute_shell_command local_shell run_command run_shell_command run_terminal_cmd run_in_terminal sh shell shell_command terminal',
  edit: 'edit edit_file file_edit replace replace_in_file search_replace str_replace',
  write: 'write create create_file file_write save_file write_file write_to_file',
  finish: 'finish answer attempt_completion complete done final_answer finish_task submit task_complete',
  ask: 'ask ask_followup_question ask_human ask_question ask_user question',
  read: 'read cat file_read open_file read_file view view_file',
  list: 'list list_dir list_directory list_files ls',
  // These are names of one tool with the operation as an argument, as Anthropic and OpenHands describe it.
  editor: 'str_replace_editor str_replace_based_edit_tool text_editor',
};

const KIND_OF = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind] as const)),
);

/** Every name that aish accepts in a text call, even if no tool of that name was described. */
export const ACTION_CALLS: ReadonlySet<string> = new Set(KIND_OF.keys());

const KEYS = {
  command: ['command', 'cmd', 'script', 'input', 'commands', 'code'],
  folder: ['cwd', 'workdir', 'working_directory', 'directory', 'dir_path'],
  path: ['path', 'file_path', 'filePath', 'filepath', 'absolute_path', 'filename', 'file', 'target_file'],
  folderPath: ['path', 'dir_path', 'directory', 'dir', 'folder'],
  old: ['old', 'old_string', 'oldString', 'old_str', 'old_text', 'oldText', 'search'],
  new: ['new', 'new_string', 'newString', 'new_str', 'new_text', 'newText', 'replace', 'replacement'],
  text: ['text', 'content', 'contents', 'file_text', 'new_content'],
  answer: ['answer', 'result', 'summary', 'message', 'text', 'response', 'final_answer', 'output'],
  question: ['question', 'text', 'message', 'prompt'],
} as const;

/**
 * Returns the action that a call requests from aish itself. Null if the call is for something else, if its arguments
 * cannot be parsed, or if they say more than an action can express (a working folder, a part of a file). Pure.
 */
export function actionOfCall({ name, arguments: text }: Pick<ToolCall, 'name' | 'arguments'>): AskedAction | null {
  const kind = KIND_OF.get(plainName(name).toLowerCase());
  // If a command is cut off, its end is unknown, so it must not be repaired.
  const args = kind === undefined ? undefined : readObject(text, true)?.value;
  if (kind === undefined || args === undefined) return null;
  return asked(kind, args);
}

/** Returns the name of a tool without the namespace that some models add. */
export function plainName(name: string): string {
  return name.trim().replace(/^(?:functions|default_api|tools?|api)[.:]/, '');
}

function asked(kind: string, args: Args): AskedAction | null {
  switch (kind) {
    case 'run':
      return run(args);
    case 'edit': {
      const [path, old, text] = [argumentNamed(args, 'path'), argumentNamed(args, 'old'), argumentNamed(args, 'new')];
      if (path === null || old === null || text === null) return null;
      return old === '' ? null : { kind, path, old, new: text };
    }
    case 'write': {
      const [path, content] = [argumentNamed(args, 'path'), argumentNamed(args, 'text')];
      return path === null || content === null ? null : { kind, path, text: content };
    }
    case 'finish':
      return { kind, answer: argumentNamed(args, 'answer')?.trim() ?? '' };
    case 'ask': {
      const question = argumentNamed(args, 'question')?.trim() ?? '';
      return question === '' ? null : { kind, question };
    }
    case 'read': {
      const path = argumentNamed(args, 'path');
      return path === null || Object.keys(args).length > 1 ? null : { kind: 'run', command: `cat ${quoted(path)}` };
    }
    case 'list': {
      const path = argumentNamed(args, 'folderPath') ?? '.';
      return { kind: 'run', command: path === '.' ? 'ls -la' : `ls -la ${quoted(path)}` };
    }
    default:
      return editor(args);
  }
}

/** Reads a call of the tool that has its operation as an argument. */
function editor({ command, ...rest }: Args): AskedAction | null {
  switch (command) {
    case 'str_replace':
      return asked('edit', rest);
    case 'create':
      return asked('write', rest);
    case 'view':
      return asked('read', rest);
    default:
      return null;
  }
}

type Args = Readonly<Record<string, unknown>>;

function run(args: Args): AskedAction | null {
  if (KEYS.folder.some((key) => isElsewhere(args[key]))) return null;
  const given = KEYS.command.flatMap((key) => (args[key] === undefined ? [] : [args[key]]));
  const [value] = given;
  const command = given.length === 1 ? commandIn(value) : null;
  return command === null ? null : { kind: 'run', command };
}

function commandIn(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim();
  if (!Array.isArray(value)) return null;
  const words = value as readonly unknown[];
  if (words.length === 1) return commandIn(words[0]);
  // The list may be a shell with its code, for example {"cmd": ["bash", "-lc", "ls -la"]}. Any other list would need
  // quoting.
  const [shell, option, command] = words;
  const isShell = (shell === 'bash' || shell === 'sh') && (option === '-c' || option === '-lc');
  return words.length === 3 && isShell ? commandIn(command) : null;
}

function isElsewhere(folder: unknown): boolean {
  return folder !== undefined && folder !== null && folder !== '' && folder !== '.' && folder !== '/workspace';
}

/** Returns the argument with one of these names; null if there is none, or if there are two. */
function argumentNamed(args: Args, what: keyof typeof KEYS): string | null {
  const given = KEYS[what].flatMap((key) => (args[key] === undefined ? [] : [args[key]]));
  const [value] = given;
  return given.length === 1 && typeof value === 'string' ? value : null;
}

/** Delimiters of here-documents. People see them on a decision's card. */
const [OLD, NEW, END] = ['OLD', 'NEW', 'END'];

/** Returns the answer lines that mean the same as the call. aish records, judges and runs only this form. Pure. */
export function linesOfAction(action: AskedAction): string {
  switch (action.kind) {
    case 'run':
      return `CMD: ${action.command}`;
    case 'edit': {
      const [old, text] = [hereDocument(OLD, action.old), hereDocument(NEW, action.new)];
      const head = `aish-edit ${quoted(inHome(action.path))} 3<<'${old.delimiter}' 4<<'${text.delimiter}'`;
      return `CMD: ${[head, old.body, text.body].join('\n')}`;
    }
    case 'write': {
      const path = inHome(action.path);
      const { delimiter, body } = hereDocument(END, action.text.replace(/\n$/, ''));
      const folder = /^(.+)\/[^/]*$/.exec(path)?.[1];
      const make = folder === undefined ? '' : `mkdir -p -- ${quoted(folder)} && `;
      return `CMD: ${make}cat > ${quoted(path)} <<'${delimiter}'\n${body}`;
    }
    case 'finish':
      return `GOAL: complete\n${action.answer}`.trimEnd();
    case 'ask':
      return `GOAL: ask ${action.question}`;
  }
}

const EDIT = /^aish-edit ('(?:[^']|'\\'')*') 3<<'(OLD\d*)' 4<<'(NEW\d*)'\n/;
const WRITE = /^(?:mkdir -p -- '(?:[^']|'\\'')*' && )?cat > ('(?:[^']|'\\'')*') <<'(END\d*)'\n/;

/**
 * Returns the tool call that means the same as a command, for a model that calls tools. This is the inverse of
 * `linesOfAction`. Pure.
 */
export function actionOfCommand(command: string): Exclude<AskedAction, { kind: 'finish' | 'ask' }> {
  const edit = EDIT.exec(command);
  if (edit !== null) {
    const [head, path = '', first = '', second = ''] = edit;
    const old = readDocument(command.slice(head.length), first);
    const text = old === null ? null : readDocument(old.rest, second);
    if (old !== null && text !== null && text.rest === '')
      return { kind: 'edit', path: unquoted(path), old: old.text, new: text.text };
  }
  const write = WRITE.exec(command);
  if (write !== null) {
    const [head, path = '', delimiter = ''] = write;
    const text = readDocument(command.slice(head.length), delimiter);
    if (text?.rest === '')
      return { kind: 'write', path: unquoted(path), text: text.text === '' ? '' : `${text.text}\n` };
  }
  return { kind: 'run', command };
}

/** Returns a text as a here-document, with a delimiter that is not one of its lines. An empty text has no line. */
function hereDocument(name: string, text: string): { readonly delimiter: string; readonly body: string } {
  const lines = new Set(text.split('\n'));
  let delimiter = name;
  for (let n = 2; lines.has(delimiter); n += 1) delimiter = `${name}${n}`;
  return { delimiter, body: text === '' ? delimiter : `${text}\n${delimiter}` };
}

function readDocument(from: string, delimiter: string): { readonly text: string; readonly rest: string } | null {
  const lines = from.split('\n');
  const end = lines.indexOf(delimiter);
  if (end < 0) return null;
  return { text: lines.slice(0, end).join('\n'), rest: lines.slice(end + 1).join('\n') };
}

/** Replaces `~` by the workspace, because that is a command's home, and a shell does not expand a quoted tilde. */
function inHome(path: string): string {
  return path.replace(/^~\//, '/workspace/');
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function unquoted(word: string): string {
  return word.slice(1, -1).replaceAll(String.raw`'\''`, "'");
}
