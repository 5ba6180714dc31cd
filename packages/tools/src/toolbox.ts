import { isAishError } from '@aish/contracts/problems';
import type { Classification } from '@aish/contracts/safety';
import type {
  PendingTask,
  ToolCall,
  ToolCallOptions,
  ToolContext,
  ToolProvider,
  ToolResult,
  ToolSpec,
} from '@aish/contracts/tools';
import { ArgumentChecker } from './check-arguments.js';
import { CallTime } from './call-time.js';
import { cutHeadAndTail } from './cut-result.js';
import { definitionOf, type Definition } from './definition.js';
import { chooseTools, type Diet, type DietOptions } from './diet.js';
import { BUILT_IN, CALL, FIND, READ, answerBuiltIn, targetOf } from './built-in.js';
import type { ResultStore, ShownResult } from './result.store.js';

/** Of a tool's schema, where a model is told what a call of it takes. */
const SCHEMA_MAX_CHARS = 2_000;

export interface ToolboxSettings {
  /** Longest time for one call, milliseconds; that in which a person is asked does not count. */
  readonly timeoutMs: number;
  /** Characters of a result that a model is shown; the rest can be paged through. */
  readonly shownMaxChars: number;
}

export const TOOLBOX_DEFAULTS: ToolboxSettings = { timeoutMs: 120_000, shownMaxChars: 12_000 };

/** A call that can be made: the tool is there, its arguments fit. */
export interface ReadyCall {
  readonly spec: ToolSpec;
  /** The call as it will be made: what `tool_call` wrapped is unwrapped. */
  readonly call: ToolCall;
  readonly args: Readonly<Record<string, unknown>>;
  /** One of aish's own means (searching, paging): nothing to be asked about. */
  readonly isBuiltIn: boolean;
}

/** What becomes of a model's request for a tool before anything is called. */
export type Prepared = { readonly ready: ReadyCall } | { readonly refused: ToolResult; readonly label: string };

/**
 * All the tools of a session under one roof: what a request describes of them, whether a call can be made, the call,
 * and what of its answer is shown. Used by chats and goals alike.
 */
export class Toolbox {
  private readonly checker = new ArgumentChecker();

  /** @param providers asked at each use: servers come and go. */
  constructor(
    private readonly providers: () => readonly ToolProvider[],
    private readonly results: ResultStore,
    private readonly settings: ToolboxSettings = TOOLBOX_DEFAULTS,
    private readonly onError: (error: unknown, provider: string) => void = () => undefined,
  ) {}

  /** Every tool that there is now, sorted by name. A provider that fails is left out and reported. */
  async specs(context: ToolContext): Promise<readonly ToolSpec[]> {
    const lists = await Promise.all(
      this.providers().map(async (provider) => {
        try {
          return await provider.tools(context);
        } catch (error) {
          this.onError(error, provider.name);
          return [];
        }
      }),
    );
    const byName = new Map<string, ToolSpec>();
    for (const spec of lists.flat()) if (!byName.has(spec.name)) byName.set(spec.name, spec);
    return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** What one request describes; see `chooseTools`. With no tools at all there is nothing to find either. */
  choose(
    specs: readonly ToolSpec[],
    offered: readonly Definition[],
    wanted: readonly string[],
    { budgetTokens, tokensOf, autoApproves }: Pick<DietOptions, 'budgetTokens' | 'tokensOf' | 'autoApproves'>,
  ): Diet {
    const isWorthAWord = specs.some(({ name, holdsNothing }) => holdsNothing !== true || wanted.includes(name));
    if (!isWorthAWord) return { definitions: offered, hidden: 0 };
    const all = [...specs, READ];
    return chooseTools(all, { budgetTokens, tokensOf, autoApproves, offered, wanted, finders: [FIND, CALL, READ] });
  }

  /** Whether a call can be made. What is wrong with it goes back to the model. Pure but for its caches. */
  prepare(call: ToolCall, specs: readonly ToolSpec[]): Prepared {
    if (call.name === CALL.name) {
      const target = targetOf(call);
      return 'fault' in target ? refused(CALL.label, target.fault) : this.prepare(target.call, specs);
    }
    const builtIn = BUILT_IN.find((spec) => spec.name === call.name);
    const spec = builtIn ?? namedBy(specs, call.name);
    if (spec === undefined) {
      const instead =
        specs.length === 0
          ? 'Write shell commands on lines that begin with "CMD: ".'
          : `${FIND.name} finds the tools that there are.`;
      return refused(call.name, `There is no tool ${call.name} (any more). ${instead}`);
    }
    const checked = this.checker.check(call.arguments, spec.inputSchema);
    if ('fault' in checked) {
      // The model may call a tool that its request does not describe: there was no room, or it held nothing.
      const takes = JSON.stringify(definitionOf(spec).parameters).slice(0, SCHEMA_MAX_CHARS);
      return refused(spec.label, `The call was not made: ${checked.fault}. ${spec.name} takes: ${takes}`);
    }
    return {
      ready: { spec, call: { ...call, name: spec.name }, args: checked.arguments, isBuiltIn: builtIn !== undefined },
    };
  }

  /**
   * Makes the call, in its time. What the tool refuses, and what keeps it from answering, are answers of kind error.
   * @throws AishError `aborted` when `signal` aborts; `mcp_lost` where nobody knows how the call ended.
   */
  async call(
    { call, spec, args, isBuiltIn }: ReadyCall,
    context: ToolContext,
    specs: readonly ToolSpec[],
    signal: AbortSignal,
    options?: ToolCallOptions,
  ): Promise<ShownResult> {
    if (isBuiltIn)
      return answerBuiltIn(spec, args, specs, (handle) => this.results.readText(context.sessionId, handle));
    const provider = await this.providerOf(spec, context);
    if (provider === null) return { result: fault(`The server of ${spec.label} is not connected.`), found: [] };
    const time = new CallTime(this.settings.timeoutMs);
    const limit = time.signal;
    try {
      const both = AbortSignal.any([signal, limit]);
      both.throwIfAborted();
      const result = await orAborted(provider.call(call, context, both, time.around(options)), both);
      return { result: await this.show(result, spec, context), found: [] };
    } catch (error) {
      if (signal.aborted) throw error;
      if (limit.aborted) {
        return {
          result: fault(
            `${spec.label} did not answer within ${this.settings.timeoutMs} ms. The call may have been carried out.`,
          ),
          found: [],
        };
      }
      if (!isAishError(error) || error.code === 'mcp_lost') throw error;
      return { result: fault(`${spec.label} did not answer: ${error.code}: ${error.message}`), found: [] };
    } finally {
      time.end();
    }
  }

  /** Asks once after the task that a call has become. What keeps it for good from ending is an answer of kind error. */
  async askAfter(
    label: string,
    pending: PendingTask,
    context: ToolContext,
    signal: AbortSignal,
    options?: ToolCallOptions,
  ): Promise<ToolResult> {
    try {
      for (const provider of this.providers()) {
        const result = (await provider.askAfter?.(pending, signal, options)) ?? null;
        if (result !== null) return await this.show(result, { label }, context);
      }
    } catch (error) {
      if (signal.aborted || !isAishError(error)) throw error;
      return fault(`The task of ${label} has no end: ${error.code}: ${error.message}`);
    }
    return fault(`The server of ${label}, where its task was, is not there any more.`);
  }

  private async providerOf(spec: ToolSpec, context: ToolContext): Promise<ToolProvider | null> {
    for (const provider of this.providers()) {
      try {
        const specs = await provider.tools(context);
        if (specs.some((each) => each.name === spec.name)) return provider;
      } catch (error) {
        this.onError(error, provider.name);
      }
    }
    return null;
  }

  /** Keeps what is too large or no text, and says by which handle it can be had. */
  private async show(result: ToolResult, spec: Pick<ToolSpec, 'label'>, context: ToolContext): Promise<ToolResult> {
    if (result.pending !== undefined) return result;
    const notes: string[] = [];
    const attachments = [];
    for (const attachment of result.attachments ?? []) {
      const { data, label, mimeType, sizeBytes, kind } = attachment;
      const handle =
        data === null
          ? null
          : await this.results.keep(context.sessionId, {
              label,
              mimeType: mimeType ?? 'application/octet-stream',
              content: data,
              sizeBytes,
            });
      notes.push(
        `[${kind} ${label}${mimeType === null ? '' : `, ${mimeType}`}, ${sizeBytes} bytes${handle === null ? '' : `, kept as ${handle}`}]`,
      );
      attachments.push({ ...attachment, data: null, ...(handle === null ? {} : { handle }) });
    }
    let { text } = result;
    let { omittedBytes } = result;
    if (text.length > this.settings.shownMaxChars) {
      const sizeBytes = Buffer.byteLength(text);
      const handle = await this.results.keep(context.sessionId, {
        label: spec.label,
        mimeType: null,
        content: text,
        sizeBytes,
      });
      const cut = cutHeadAndTail(
        text,
        this.settings.shownMaxChars,
        (bytes) => `[aish: ${bytes} bytes left out here; ${READ.name} with handle "${handle}" reads the rest]`,
      );
      text = cut.text;
      omittedBytes += cut.omittedBytes;
    }
    const shown = [text, ...notes].filter((part) => part !== '').join('\n');
    return {
      text: shown === '' ? '(no output)' : shown,
      isError: result.isError,
      omittedBytes,
      ...(attachments.length === 0 ? {} : { attachments }),
    };
  }
}

/** Models are shown `alias__tool`; some write `alias.tool`, as people do. */
function namedBy(specs: readonly ToolSpec[], name: string): ToolSpec | undefined {
  return specs.find((each) => each.name === name) ?? specs.find(({ label }) => label === name);
}

/** The calls by the names that requests may hold: no endpoint takes a dot in one. */
export function named(calls: readonly ToolCall[], specs: readonly ToolSpec[]): readonly ToolCall[] {
  return calls.map((call) => ({ ...call, name: namedBy(specs, call.name)?.name ?? call.name }));
}

/** A provider that does not listen to its signal must not hold anybody up. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** An answer of kind error that aish gives in place of a tool. */
export function fault(text: string): ToolResult {
  return { text, isError: true, omittedBytes: 0 };
}

function refused(label: string, text: string): Prepared {
  return { refused: fault(text), label };
}

/** What the gate says of aish's own means. */
export const BUILT_IN_IS_SAFE: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };
