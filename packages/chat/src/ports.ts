import type { Asker, Broker } from '@aish/broker';
import type { Classification, LiveBody, Preset, SessionEvent, ToolContext } from '@aish/contracts';
import type { Database, SharedLocks, ToldBackground } from '@aish/database';
import type { Sandbox, Workspaces } from '@aish/sandbox-client';
import type { Toolbox } from '@aish/tools';

/** The safety gate as a chat needs it; see the package norris. */
export interface Gate {
  judge(command: string, sessionId: string, signal: AbortSignal): Promise<Classification>;
  judgeToolCall(
    call: {
      readonly name: string;
      readonly args: Readonly<Record<string, unknown>>;
      /** The call as a person sees it: the answer's span is a part of this. */
      readonly shown?: string;
      readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
      readonly trusted?: boolean;
      /** Of aish's own: what it overwrites can be had back. */
      readonly keepsOld?: boolean;
    },
    sessionId: string,
    signal: AbortSignal,
  ): Promise<Classification>;
}

/** Where a chat's news go; must not throw, and is not waited for. */
export interface Outlet {
  events(sessionId: string, events: readonly SessionEvent[]): void;
  live(sessionId: string, body: LiveBody): void;
}

/**
 * Tells a session of its owner's memory: the `[background]` block, or null. Must be quick; may fail.
 * @param told what it was told before, null for nothing; left out where that is to be looked up.
 */
export type Background = (told?: ToldBackground | null) => Promise<string | null>;

export interface ChatPorts {
  readonly db: Database;
  readonly locks: SharedLocks;
  readonly broker: Broker;
  readonly asker: Asker;
  readonly sandbox: Sandbox;
  readonly workspaces: Workspaces;
  readonly gate: Gate;
  readonly toolbox: Toolbox;
  readonly outlet: Outlet;
  /**
   * Begins to look up what a session may be told. `message` is what the person says now: a session's first one may choose
   * what is told.
   */
  readonly background: (context: ToolContext, message: string | null) => Background;
  readonly onError: (error: unknown, what: string) => void;
}

export interface ChatSettings {
  readonly presets: readonly Preset[];
  readonly commandTimeoutMs: number;
  /** How long a call stays open for the answer to its server's question, where it cannot be taken up again later. */
  readonly elicitationWaitMs: number;
  /** Labels and `server.*` that need no confirmation. */
  readonly autoApprove: readonly string[];
  /** How the conversation about a goal that has ended goes on. */
  readonly followUps: { readonly autoContinue: boolean; readonly confirmCommands: boolean };
  /** The share of a model's window that descriptions of tools may take. */
  readonly toolShare: number;
}
