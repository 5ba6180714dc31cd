import type {
  ActionRequest,
  ActionState,
  AnswerEnd,
  ChatState,
  PendingInput,
  ToolCall,
  Trouble,
  Usage,
} from '@aish/contracts';

/** A chat as the machine sees it. */
export interface ChatMachine {
  readonly state: ChatState;
  readonly exchange: number;
  /** Round trips with the model in this exchange, the one under way included. */
  readonly rounds: number;
  readonly maxRounds: number;
  readonly autoContinue: boolean;
  readonly confirmCommands: boolean;
  /** Name and arguments of the tool calls of this exchange. */
  readonly calls: readonly string[];
  /** The newest step. */
  readonly step: ChatStep | null;
}

export interface ChatStep {
  readonly n: number;
  readonly answered: boolean;
  readonly actions: readonly ChatAction[];
}

export type ChatAction = ActionRequest & {
  readonly id: string;
  readonly state: ActionState;
  /** Of a call that ended with questions for now: these, and the answers so far. */
  readonly pending?: PendingInput;
};
export type NewAction = ActionRequest & { readonly id: string };

/** An answer of the model, or what came of it. */
export interface Answered {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly actions: readonly NewAction[];
  readonly end: AnswerEnd;
  readonly preset: string;
  readonly fallbackFrom: string | null;
  readonly model: string | null;
  readonly usage: Usage | null;
  readonly firstWordMs: number | null;
  readonly totalMs: number;
  readonly notes: readonly string[];
  readonly isSchemaEcho: boolean;
  /** Why it is not whole. */
  readonly trouble: Trouble | null;
}

export const ENDED: ReadonlySet<ActionState> = new Set(['finished', 'skipped', 'lost']);

/** The action whose turn it is, if it is this one in this state: actions go in order, so no other may change. */
export function find(machine: ChatMachine, actionId: string, state: ActionState): ChatAction | null {
  const current = machine.step?.actions.find((action) => !ENDED.has(action.state));
  return current?.id === actionId && current.state === state ? current : null;
}

/** Whether a call is under way, whose server may have a question open. */
export function isCalling({ step }: ChatMachine): boolean {
  return step?.actions.some(({ kind, state }) => kind === 'tool' && state === 'started') ?? false;
}

export function setAction(
  machine: ChatMachine,
  actionId: string,
  state: ActionState,
  pending?: PendingInput,
): ChatMachine {
  if (machine.step === null) return machine;
  const more = pending === undefined ? {} : { pending };
  const actions = machine.step.actions.map((action) =>
    action.id === actionId ? { ...action, state, ...more } : action,
  );
  return { ...machine, step: { ...machine.step, actions } };
}
