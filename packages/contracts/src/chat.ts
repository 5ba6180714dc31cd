import * as z from 'zod';
import { Archived, GoalState, PresetName, Usage } from './goals.js';
import { HostFolderNames } from './host-folders.js';
import { HostNames } from './hosts.js';
import { DEFAULT_SPACE, SpaceName } from './space-name.js';
import { ToolCall } from './tools.js';
import { Trust } from './trust.js';

export const MESSAGE_MAX_CHARS = 200_000;

/** Where a chat stands: nothing under way, the model or an action at work, or a person asked something. */
export const ChatState = z.enum(['idle', 'running', 'deciding']);
export type ChatState = z.infer<typeof ChatState>;

/** Where a session was forked from: it shares the turns up to and with `turn`. */
export const ForkedFrom = z.object({ sessionId: z.uuid(), turn: z.int() });
export type ForkedFrom = z.infer<typeof ForkedFrom>;

/** What a person may set of a chat. */
const settings = {
  preset: PresetName,
  /** Whether the output of a command goes to the model at once; else it joins the next message. */
  autoContinue: z.boolean(),
  /** Whether `CMD:` lines that do more than read are asked about before they run. Destructive ones always are. */
  confirmCommands: z.boolean(),
};

const title = z.string().trim().min(1).max(120);

/** A session as lists show it. `number` is what people say; `id` is what machines say; either names it in a path. */
export const Session = z
  .object({
    id: z.uuid(),
    number: z.int(),
    kind: z.enum(['chat', 'goal']),
    title: z.string(),
    /** Of a chat. A goal's session has the state of its goal. */
    state: ChatState.nullable(),
    /** Null for the session of a goal, as are the other settings. */
    preset: z.string().nullable(),
    autoContinue: z.boolean().nullable(),
    confirmCommands: z.boolean().nullable(),
    trust: Trust.nullable().default(null),
    /** Folders of the host that its commands get, by name; of a goal those of the goal. */
    hostFolders: z.array(z.string()).default([]),
    hosts: z.array(z.string()).default([]),
    space: z.string().default(DEFAULT_SPACE),
    goalNumber: z.int().nullable(),
    goalState: GoalState.nullable(),
    forkedFrom: ForkedFrom.nullable(),
    /** Turns so far. */
    turns: z.int(),
    /** Whether lists leave it out. */
    archived: z.boolean().default(false),
    owner: z.string(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof Session>;

export const CreateSession = z
  .strictObject({
    /** Made from the first message when absent. */
    title: title.optional(),
    preset: settings.preset.optional(),
    autoContinue: settings.autoContinue.optional(),
    confirmCommands: settings.confirmCommands.optional(),
    /** `undoable`: commands whose effects can be taken back run without a question, and the model goes on by itself. */
    trust: Trust.optional(),
    /** Folders of the host, by their names in the sandbox's allowlist. */
    hostFolders: HostFolderNames.unwrap().optional(),
    /** Hosts that commands may use: `ssh NAME`. */
    hosts: HostNames.unwrap().optional(),
    /** The space that it works in, whose reach it begins with. */
    space: SpaceName.optional(),
  })
  .meta({ id: 'CreateSession' });
export type CreateSession = z.infer<typeof CreateSession>;

/** Renames a session or changes how its chat goes on: `:model deep` sends `{ "preset": "deep" }`. */
export const ChangeSession = CreateSession.omit({ space: true }).meta({ id: 'ChangeSession' });
export type ChangeSession = z.infer<typeof ChangeSession>;

export const ForkSession = z
  .strictObject({
    /** The last turn to take over; all of them when absent. */
    turn: z.int().min(0).optional(),
    title: title.optional(),
  })
  .meta({ id: 'ForkSession' });
export type ForkSession = z.infer<typeof ForkSession>;

export const ListSessions = z.object({
  kind: z.enum(['chat', 'goal']).optional(),
  /** Words to look for in titles and turns. */
  q: z.string().trim().min(1).max(200).optional(),
  archived: Archived,
  limit: z.coerce.number().int().min(1).max(500).default(50),
});
export type ListSessions = z.infer<typeof ListSessions>;

/** `snippet`: where the words were found, with the words between « and ». Data, as everything that was said. */
export const SessionList = z
  .object({ items: z.array(Session.extend({ snippet: z.string().nullable() })) })
  .meta({ id: 'SessionList' });
export type SessionList = z.infer<typeof SessionList>;

/**
 * `POST /v1/sessions/:ref/messages` answers with server-sent events of the same form as
 * `GET /v1/sessions/:ref/events`: stored ones as a SessionEvent with their sequence number as id, live ones as a
 * LiveBody without one. It ends after `exchange.ended`. A client that leaves early loses nothing: the exchange goes on
 * and the events endpoint replays it.
 */
export const SendMessage = z
  .strictObject({ text: z.string().min(1).max(MESSAGE_MAX_CHARS) })
  .meta({ id: 'SendMessage' });
export type SendMessage = z.infer<typeof SendMessage>;

/**
 * How an answer of the model ended. `stopped`: a person stopped it; `interrupted`: the api that drove it ended;
 * `length`: it reached the longest answer; `failed`: the endpoint broke off. What had come by then is kept.
 */
export const AnswerEnd = z.enum(['whole', 'length', 'stopped', 'interrupted', 'failed']);
export type AnswerEnd = z.infer<typeof AnswerEnd>;

/** How an exchange (one message and all that follows from it) ended. `depth`: the model called too many tools. */
export const ExchangeEnd = z.enum(['answered', 'depth', 'stopped', 'interrupted', 'failed']);
export type ExchangeEnd = z.infer<typeof ExchangeEnd>;

/** What went wrong, as problem documents say it. */
export const Trouble = z.object({ code: z.string(), detail: z.string() });
export type Trouble = z.infer<typeof Trouble>;

/**
 * The stored events of a chat, in the order they come. One exchange is: `message.received`; then for each round trip
 * with the model `answer.started`, live bodies, `answer.ended`, and for what it asked for the events of actions and
 * decisions (`goalId` null; a tool call begins with `action.started` and ends with `action.finished`, kind `tool`);
 * last `exchange.ended`.
 */
export const CHAT_EVENTS = [
  z.object({
    type: z.literal('chat.created'),
    title: z.string(),
    preset: z.string(),
    trust: Trust.default('ask'),
    by: z.string(),
    forkedFrom: ForkedFrom.nullable(),
  }),
  /** The whole of what can be set, after the change. */
  z.object({
    type: z.literal('chat.changed'),
    title: z.string(),
    ...settings,
    trust: Trust.default('ask'),
    hostFolders: z.array(z.string()).default([]),
    hosts: z.array(z.string()).default([]),
    by: z.string(),
  }),
  z.object({
    type: z.literal('message.received'),
    /** Counts the messages of a session, from 1. */
    exchange: z.int(),
    turn: z.int(),
    text: z.string(),
    by: z.string(),
  }),
  z.object({
    type: z.literal('answer.started'),
    exchange: z.int(),
    step: z.int(),
    preset: z.string(),
    /** The preset that was asked first and could not answer; only where a fallback is configured. */
    fallbackFrom: z.string().nullable(),
  }),
  z.object({
    type: z.literal('answer.ended'),
    exchange: z.int(),
    step: z.int(),
    /** Null when nothing came. */
    turn: z.int().nullable(),
    text: z.string(),
    reasoning: z.string(),
    toolCalls: z.array(ToolCall),
    end: AnswerEnd,
    preset: z.string(),
    fallbackFrom: z.string().nullable(),
    model: z.string().nullable(),
    usage: Usage.nullable(),
    /** From the request to the first word, and to the end, milliseconds. */
    firstWordMs: z.number().nullable(),
    totalMs: z.number(),
    /** What was noticed: a salvaged tool call, a shrunken window, a template without tools. */
    notes: z.array(z.string()),
  }),
  z.object({
    type: z.literal('exchange.ended'),
    exchange: z.int(),
    end: ExchangeEnd,
    trouble: Trouble.nullable(),
  }),
] as const;

const round = { exchange: z.int(), step: z.int() };

/** What a model does that has been asked, said once a second until it has answered. */
export const LiveProgress = z.object({
  phase: z.enum(['waits', 'unreachable', 'loads', 'reads', 'thinks', 'writes']),
  /** Tokens that it has read, or about how many it has thought or written; percent of what is loaded. Null: unknown. */
  done: z.int().nullable(),
  /** All that there are to read or to load; null where nobody knows. */
  of: z.int().nullable(),
  /** Since it was asked. */
  seconds: z.int(),
});
export type LiveProgress = z.infer<typeof LiveProgress>;

/** What a model has written and thought so far. */
export const Draft = z.object({ text: z.string(), reasoning: z.string() });
export type Draft = z.infer<typeof Draft>;

/** What a chat sends live beside its stored events, never stored. A command's output is `action.output`. */
export const CHAT_LIVE = [
  z.object({ type: z.literal('answer.delta'), ...round, text: z.string() }),
  z.object({ type: z.literal('answer.reasoning'), ...round, text: z.string() }),
  /** All of the answer so far, for a listener that comes while it is written. It replaces what the listener has. */
  z.object({ type: z.literal('answer.draft'), ...round, ...Draft.shape }),
  z.object({ type: z.literal('answer.progress'), ...round, ...LiveProgress.shape }),
  /** A tool call is being written: how many characters of its arguments there are. */
  z.object({
    type: z.literal('answer.call'),
    ...round,
    index: z.int(),
    name: z.string(),
    argumentsChars: z.int(),
  }),
  /** The endpoint is loading or away; it is asked again. */
  z.object({ type: z.literal('answer.retry'), ...round, reason: z.string(), delayMs: z.number() }),
  /** A tool says how far it is. */
  z.object({
    type: z.literal('tool.progress'),
    actionId: z.uuid(),
    progress: z.number(),
    total: z.number().nullable(),
    message: z.string().nullable(),
  }),
  /** A line of a tool's own log while it is called; `level` as in syslog. */
  z.object({ type: z.literal('tool.log'), actionId: z.uuid(), level: z.string(), line: z.string() }),
] as const;

/** The answer to `POST /v1/sessions/:ref/stop`. */
export const StopResult = z.object({ stopped: z.boolean(), session: Session }).meta({ id: 'StopResult' });
export type StopResult = z.infer<typeof StopResult>;

/** A stretch of a session's record. */
export const HistoryTurn = z
  .object({
    seq: z.int(),
    role: z.enum(['user', 'assistant', 'tool', 'output', 'notice']),
    content: z.string(),
    toolCalls: z.array(ToolCall),
    toolCallId: z.string().nullable(),
    isError: z.boolean(),
    /** Of an answer: how it ended. */
    end: AnswerEnd.nullable(),
    reasoning: z.string(),
    model: z.string().nullable(),
    at: z.iso.datetime(),
  })
  .meta({ id: 'HistoryTurn' });
export type HistoryTurn = z.infer<typeof HistoryTurn>;

/** Without `after` the newest turns, in order all the same. */
export const ListTurns = z.object({
  after: z.coerce.number().int().min(0).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});
export type ListTurns = z.infer<typeof ListTurns>;

export const TurnList = z.object({ items: z.array(HistoryTurn) }).meta({ id: 'TurnList' });
export type TurnList = z.infer<typeof TurnList>;

/** A tool that needs no further question in this session: a label (`fs.read_file`) or a whole server (`fs.*`). */
export const ToolGrant = z
  .strictObject({ tool: z.string().regex(/^[^\s*]{1,256}$|^[^\s*]{1,255}\.\*$/) })
  .meta({ id: 'ToolGrant' });
export type ToolGrant = z.infer<typeof ToolGrant>;

export const ToolGrantList = z.object({ items: z.array(ToolGrant) }).meta({ id: 'ToolGrantList' });
export type ToolGrantList = z.infer<typeof ToolGrantList>;
