import type { Classification, ToolCall, ToolCallOptions, ToolContext, ToolResult, ToolSpec } from '@aish/contracts';

/** A tool as a request describes it to a model. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A call that can be made: the tool is there, its arguments fit. */
export interface PreparedCall {
  readonly spec: ToolSpec;
  readonly call: ToolCall;
  readonly args: Readonly<Record<string, unknown>>;
  /** One of aish's own means: nothing to be asked about. */
  readonly isBuiltIn: boolean;
}

/** The tools of a goal. `Toolbox` of packages/tools is one; `NO_TOOLS` stands where there are none. */
export interface GoalTools {
  /** Every tool that there is now, sorted by name. */
  specs(context: ToolContext): Promise<readonly ToolSpec[]>;
  /** What a request describes of them: at least what earlier requests of the same goal did, in the same order. */
  choose(
    specs: readonly ToolSpec[],
    offered: readonly OfferedTool[],
    wanted: readonly string[],
    budgetTokens: number,
    tokensOf: (text: string) => number,
  ): { readonly definitions: readonly OfferedTool[] };
  /** Whether a call can be made; what is wrong with it goes back to the model. */
  prepare(
    call: ToolCall,
    specs: readonly ToolSpec[],
  ): { readonly ready: PreparedCall } | { readonly refused: ToolResult; readonly label: string };
  /** Makes the call. What the tool refuses, and what keeps it from answering, are results. @throws AishError `aborted`. */
  call(
    call: PreparedCall,
    context: ToolContext,
    specs: readonly ToolSpec[],
    signal: AbortSignal,
    options?: ToolCallOptions,
  ): Promise<{ readonly result: ToolResult; readonly found: readonly string[] }>;
}

/** Whether a call that nothing speaks against still needs a person: policy, not safety. Null: it does not. */
export type ToolPolicy = (
  call: PreparedCall,
  classification: Classification,
  context: ToolContext,
) => Promise<string | null>;

export const NO_TOOLS: GoalTools = {
  specs: () => Promise.resolve([]),
  choose: () => ({ definitions: [] }),
  prepare: ({ name }) => ({
    refused: { text: `There is no tool ${name}.`, isError: true, omittedBytes: 0 },
    label: name,
  }),
  call: ({ spec }) =>
    Promise.resolve({ result: { text: `There is no tool ${spec.label}.`, isError: true, omittedBytes: 0 }, found: [] }),
};
