import { actionOfCommand } from '@aish/broker';
import type { ModelCapabilities } from '@aish/contracts/models';
import type { ShownTurn } from '@aish/contracts/sessions';
import type { ToolCall, ToolSpec } from '@aish/contracts/tools';
import { extract, splitCommands, type Dialect } from '@aish/prompt';

type Arguments = Readonly<Record<string, string>>;

function spec(name: string, description: string, properties: Arguments): ToolSpec {
  const described = Object.entries(properties).map(([key, text]) => [key, { type: 'string', description: text }]);
  return {
    name,
    label: name,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(described),
      required: Object.keys(properties),
      additionalProperties: false,
    },
    annotations: {},
    trusted: true,
  };
}

/**
 * aish's own actions as tools. A call of such a tool is recorded, judged and run like the line with the same meaning.
 */
const ACTIONS: readonly ToolSpec[] = [
  spec('run', 'Runs a shell command.', { command: 'the command line, for bash' }),
  spec('edit', 'Replaces one text in a file. It must occur exactly once.', {
    path: 'the file',
    old: 'the text as it stands in the file, with enough around it to be the only one',
    new: 'the text that replaces it',
  }),
  spec('write', 'Writes a whole file. What it held is replaced.', { path: 'the file', text: 'all of its text' }),
];
const ENDS: readonly ToolSpec[] = [
  spec('finish', 'Ends the goal, once it is achieved.', { answer: 'the answer, or what was done' }),
  spec('ask', 'Asks the user what only they can say.', { question: 'the question' }),
];

/**
 * Returns the tools that a model uses to act. In a chat, the model ends and asks in plain text, so it needs no tools
 * for that.
 */
export function actionTools(of: 'goal' | 'chat', dialect: Dialect): readonly ToolSpec[] {
  if (dialect === 'lines') return [];
  return of === 'goal' ? [...ACTIONS, ...ENDS] : ACTIONS;
}

/** Returns how a model acts: with lines, unless it does better with tools and its endpoint still accepts them. */
export function dialectOf({ actsWith, nativeTools, toolRole }: ModelCapabilities): Dialect {
  return actsWith === 'tools' && nativeTools !== false && toolRole !== false ? 'tools' : 'lines';
}

/** Lines that end a goal or ask a question. */
const END_LINE = /^\s*GOAL:\s*(?:complete|ask)\b/i;

/**
 * Shows the turns as if the model had called tools: each command of an answer becomes a call with its result. The
 * record does not change, so the session can move to a model that writes lines. Pure.
 */
export function asCalls(turns: readonly ShownTurn[]): readonly ShownTurn[] {
  const shown: ShownTurn[] = [];
  /** Calls that wait for a result. `head` is the text with which the result begins. */
  let open: { readonly call: ToolCall; readonly head: string | null }[] = [];
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      const answered = asCalling(turn);
      open = answered.open;
      shown.push(answered.turn);
      continue;
    }
    const at = open.findIndex(({ head }) => (head === null ? turn.role === 'notice' : isResult(turn, head)));
    const [found] = at < 0 ? [] : open.splice(at, 1);
    shown.push(found === undefined ? inTools(turn) : asResult(turn, found.call, found.head));
  }
  return shown;
}

function asCalling(turn: ShownTurn): { turn: ShownTurn; open: { call: ToolCall; head: string | null }[] } {
  const { commands, rest } = splitCommands(turn.content);
  const { goalLine } = extract(turn.content);
  const open = commands.map((command, n) => {
    const { kind, ...args } = actionOfCommand(command);
    return { call: callOf(turn, n, kind, args), head: `[exec] $ ${command}\n` };
  });
  const lines = rest.split('\n');
  const end = lines.findIndex((line) => END_LINE.test(line));
  const ended: { call: ToolCall; head: null }[] = [];
  if (end >= 0 && goalLine?.kind === 'complete')
    ended.push({ call: callOf(turn, open.length, 'finish', { answer: goalLine.summary ?? '' }), head: null });
  if (end >= 0 && goalLine?.kind === 'ask')
    ended.push({ call: callOf(turn, open.length, 'ask', { question: goalLine.question }), head: null });
  const all = [...open, ...ended];
  if (all.length === 0) return { turn, open: [] };
  const words = ended.length === 0 ? rest : lines.slice(0, end).join('\n');
  const toolCalls = [...(turn.meta?.toolCalls ?? []), ...all.map(({ call }) => call)];
  return { turn: { ...turn, content: words.trim(), meta: { ...turn.meta, toolCalls } }, open: all };
}

/** Some templates accept only IDs of nine letters and digits. */
function callOf({ seq }: ShownTurn, n: number, name: string, args: Arguments): ToolCall {
  const id = `a${seq.toString(36).padStart(6, '0')}${n.toString(36).padStart(2, '0')}`;
  return { id, name, arguments: JSON.stringify(args) };
}

function isResult({ role, content }: ShownTurn, head: string): boolean {
  return role === 'output' && content.startsWith(head);
}

/** Returns the result without its command, because the call already contains the command. */
function asResult(turn: ShownTurn, { id, name }: ToolCall, head: string | null): ShownTurn {
  const content = head === null ? inTools(turn).content : turn.content.slice(head.length);
  return { ...turn, role: 'tool', content, meta: { ...turn.meta, toolCallId: id, toolName: name } };
}

/** Replacements in aish's notices about lines, for a model that calls tools. */
const WORDS: readonly (readonly [string, string])[] = [
  [
    'held no action: no line of it began with "CMD: " or "GOAL: ". Go on with a line "CMD: <command>", or end with a line "GOAL: complete" and the answer, or "GOAL: blocked" and the reason.',
    'held no action. Go on with a call of run, edit or write, or end with a call of finish, or with a line "GOAL: blocked" and the reason.',
  ],
  ['write "GOAL: complete" again, and below it what you found.', 'call finish again, with what you found.'],
  ['write "GOAL: complete" again', 'call finish again'],
  ['Write "GOAL: complete" again', 'Call finish again'],
  ['write "GOAL: complete"', 'call finish'],
  ['"GOAL: complete" has had', 'finish has had'],
  ['Answer in plain lines; a command begins with "CMD: ".', 'Call one of the tools.'],
];

function inTools(turn: ShownTurn): ShownTurn {
  if (turn.role !== 'notice') return turn;
  return { ...turn, content: WORDS.reduce((text, [lines, tools]) => text.replaceAll(lines, tools), turn.content) };
}
