import * as z from 'zod';
import { Archived, GoalState, PresetName, Usage } from './goals.js';
import { HostFolderNames } from './host-folders.js';
import { HostNames } from './hosts.js';
import { MESSAGE_MAX_CHARS } from './limits.js';
import { DEFAULT_SPACE, SpaceName } from './space-name.js';
import { ToolCall } from './tools.js';
import { Trust } from './trust.js';

/** The state of a chat: it is idle, the model or an action is running, or a person has to decide. */
export const ChatState = z.enum(['idle', 'running', 'deciding']);
export type ChatState = z.infer<typeof ChatState>;

/** The origin of a forked session. Both share all turns up to and including `turn`. */
export const ForkedFrom = z.object({ sessionId: z.uuid(), turn: z.int() });
export type ForkedFrom = z.infer<typeof ForkedFrom>;

/** The settings of a chat that a person may change. */
const settings = {
  preset: PresetName,
  /** Whether the output of a command goes to the model at once. Otherwise it is sent with the next message. */
  autoContinue: z.boolean(),
  /** Whether aish asks before it runs `CMD:` lines that do more than read. It always asks before destructive ones. */
  confirmCommands: z.boolean(),
};

const title = z.string().trim().min(1).max(120);

/** A session as lists show it. People use `number`, programs use `id`. Paths accept both. */
export const Session = z
  .object({
    id: z.uuid(),
    number: z.int(),
    kind: z.enum(['chat', 'goal']),
    title: z.string(),
    /** The state of a chat; null for a goal's session, whose goal has the state. */
    state: ChatState.nullable(),
    /** The settings from here to `trust` are null for the session of a goal. */
    preset: z.string().nullable(),
    autoContinue: z.boolean().nullable(),
    confirmCommands: z.boolean().nullable(),
    trust: Trust.nullable().default(null),
    /** Names of the host folders that the session's commands see. A goal's session has the folders of its goal. */
    hostFolders: z.array(z.string()).default([]),
    hosts: z.array(z.string()).default([]),
    space: z.string().default(DEFAULT_SPACE),
    goalNumber: z.int().nullable(),
    goalState: GoalState.nullable(),
    forkedFrom: ForkedFrom.nullable(),
    /** Number of turns so far. */
    turns: z.int(),
    /** Whether lists omit this session. */
    archived: z.boolean().default(false),
    owner: z.string(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof Session>;

export const CreateSession = z
  .strictObject({
    /** The title; if it is absent, aish makes one from the first message. */
    title: title.optional(),
    preset: settings.preset.optional(),
    autoContinue: settings.autoContinue.optional(),
    confirmCommands: settings.confirmCommands.optional(),
    /**
     * The trust. With `undoable`, commands whose changes can be undone run without a question, and the model continues
     * by itself.
     */
    trust: Trust.optional(),
    /** Host folders, by their names in the sandbox's configuration. */
    hostFolders: HostFolderNames.unwrap().optional(),
    /** Hosts that commands may reach with `ssh NAME`. */
    hosts: HostNames.unwrap().optional(),
    /** The space of the chat. The chat starts with the access of the space. */
    space: SpaceName.optional(),
  })
  .meta({ id: 'CreateSession' });
export type CreateSession = z.infer<typeof CreateSession>;

/** Renames a session or changes the settings of its chat: `:model deep` sends `{ "preset": "deep" }`. */
export const ChangeSession = CreateSession.omit({ space: true }).meta({ id: 'ChangeSession' });
export type ChangeSession = z.infer<typeof ChangeSession>;

export const ForkSession = z
  .strictObject({
    /** The last turn to copy; all turns if this is absent. */
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

/** `snippet`: an excerpt with the matches between « and ». It is data, like everything in a session. */
export const SessionList = z
  .object({ items: z.array(Session.extend({ snippet: z.string().nullable() })) })
  .meta({ id: 'SessionList' });
export type SessionList = z.infer<typeof SessionList>;

/**
 * `POST /v1/sessions/:ref/messages` answers with server-sent events like those of `GET /v1/sessions/:ref/events`. A
 * stored event is a SessionEvent with its sequence number as ID. A live event is a LiveBody without an ID. The stream
 * ends after `exchange.ended`. A client that disconnects early loses nothing: the exchange continues, and the events
 * endpoint replays it.
 */
export const SendMessage = z
  .strictObject({ text: z.string().min(1).max(MESSAGE_MAX_CHARS) })
  .meta({ id: 'SendMessage' });
export type SendMessage = z.infer<typeof SendMessage>;

/**
 * How an answer of the model ended. `stopped`: a person stopped it; `interrupted`: the api process that ran it ended;
 * `length`: it reached the maximum length; `failed`: the endpoint broke off. The text received until then is kept.
 */
export const AnswerEnd = z.enum(['whole', 'length', 'stopped', 'interrupted', 'failed']);
export type AnswerEnd = z.infer<typeof AnswerEnd>;

/**
 * How an exchange ended. An exchange is one message and everything that follows from it. `depth` means that the model
 * called too many tools.
 */
export const ExchangeEnd = z.enum(['answered', 'depth', 'stopped', 'interrupted', 'failed']);
export type ExchangeEnd = z.infer<typeof ExchangeEnd>;

/** An error, with code and detail as in problem documents. */
export const Trouble = z.object({ code: z.string(), detail: z.string() });
export type Trouble = z.infer<typeof Trouble>;

/**
 * The stored events of a chat, in order. One exchange has `message.received`, then round trips with the model, then
 * `exchange.ended`. A round trip has `answer.started`, live bodies, `answer.ended`, and the events of the actions and
 * decisions that the model asked for. Their `goalId` is null. A tool call begins with `action.started` and ends with
 * `action.finished`, kind `tool`.
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
  /** All settings after the change. */
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
    /** The number of the message in its session, from 1. */
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
    /** The preset that was asked first and could not answer. Only set if a fallback is configured. */
    fallbackFrom: z.string().nullable(),
  }),
  z.object({
    type: z.literal('answer.ended'),
    exchange: z.int(),
    step: z.int(),
    /** The turn that contains the answer; null if the model wrote nothing. */
    turn: z.int().nullable(),
    text: z.string(),
    reasoning: z.string(),
    toolCalls: z.array(ToolCall),
    end: AnswerEnd,
    preset: z.string(),
    fallbackFrom: z.string().nullable(),
    model: z.string().nullable(),
    usage: Usage.nullable(),
    /** Milliseconds from the request to the first word, and to the end. */
    firstWordMs: z.number().nullable(),
    totalMs: z.number(),
    /** Things that aish noticed: a repaired tool call, a smaller window, a template without tools. */
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

/** The current activity of the model, sent once a second until it answers. */
export const LiveProgress = z.object({
  phase: z.enum(['waits', 'unreachable', 'loads', 'reads', 'thinks', 'writes']),
  /**
   * Tokens read so far, the approximate number of tokens thought or written, or the percentage loaded; null if unknown.
   */
  done: z.int().nullable(),
  /** The total number to read or to load; null if unknown. */
  of: z.int().nullable(),
  /** Seconds since the request was sent. */
  seconds: z.int(),
});
export type LiveProgress = z.infer<typeof LiveProgress>;

/** The text that the model has written and thought so far. */
export const Draft = z.object({ text: z.string(), reasoning: z.string() });
export type Draft = z.infer<typeof Draft>;

/**
 * Bodies that a chat sends live beside its stored events. They are never stored. The output of commands arrives as
 * `action.output`.
 */
export const CHAT_LIVE = [
  z.object({ type: z.literal('answer.delta'), ...round, text: z.string() }),
  z.object({ type: z.literal('answer.reasoning'), ...round, text: z.string() }),
  /**
   * The whole answer so far, for a listener that joins while it is being written. It replaces what the listener has.
   */
  z.object({ type: z.literal('answer.draft'), ...round, ...Draft.shape }),
  z.object({ type: z.literal('answer.progress'), ...round, ...LiveProgress.shape }),
  /** The model is writing a tool call. `argumentsChars` is the number of characters of its arguments so far. */
  z.object({
    type: z.literal('answer.call'),
    ...round,
    index: z.int(),
    name: z.string(),
    argumentsChars: z.int(),
  }),
  /** The endpoint is loading or unavailable. aish will ask it again. */
  z.object({ type: z.literal('answer.retry'), ...round, reason: z.string(), delayMs: z.number() }),
  /** A tool reports its progress. */
  z.object({
    type: z.literal('tool.progress'),
    actionId: z.uuid(),
    progress: z.number(),
    total: z.number().nullable(),
    message: z.string().nullable(),
  }),
  /** A log line that a tool sent during its call. `level` is a syslog level. */
  z.object({ type: z.literal('tool.log'), actionId: z.uuid(), level: z.string(), line: z.string() }),
] as const;

export const StopResult = z.object({ stopped: z.boolean(), session: Session }).meta({ id: 'StopResult' });
export type StopResult = z.infer<typeof StopResult>;

/** One turn of a session's history. */
export const HistoryTurn = z
  .object({
    seq: z.int(),
    role: z.enum(['user', 'assistant', 'tool', 'output', 'notice']),
    content: z.string(),
    toolCalls: z.array(ToolCall),
    toolCallId: z.string().nullable(),
    isError: z.boolean(),
    /** How an answer ended; null for other turns. */
    end: AnswerEnd.nullable(),
    reasoning: z.string(),
    model: z.string().nullable(),
    at: z.iso.datetime(),
  })
  .meta({ id: 'HistoryTurn' });
export type HistoryTurn = z.infer<typeof HistoryTurn>;

/** Selects turns. Without `after`, the newest turns are returned, still in ascending order. */
export const ListTurns = z.object({
  after: z.coerce.number().int().min(0).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});
export type ListTurns = z.infer<typeof ListTurns>;

export const TurnList = z.object({ items: z.array(HistoryTurn) }).meta({ id: 'TurnList' });
export type TurnList = z.infer<typeof TurnList>;

/** A tool that runs without further questions in this session: a label (`fs.read_file`) or a whole server (`fs.*`). */
export const ToolGrant = z
  .strictObject({ tool: z.string().regex(/^[^\s*]{1,256}$|^[^\s*]{1,255}\.\*$/) })
  .meta({ id: 'ToolGrant' });
export type ToolGrant = z.infer<typeof ToolGrant>;

export const ToolGrantList = z.object({ items: z.array(ToolGrant) }).meta({ id: 'ToolGrantList' });
export type ToolGrantList = z.infer<typeof ToolGrantList>;
