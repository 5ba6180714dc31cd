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

/** Maximum characters of a tool's schema in an error for the model. */
const SCHEMA_MAX_CHARS = 2_000;

export interface ToolboxSettings {
  /** Time limit for one call in milliseconds, without the time of open questions. */
  readonly timeoutMs: number;
  /** Maximum characters of a result that a model sees. The model can read the rest in pages. */
  readonly shownMaxChars: number;
}

export const TOOLBOX_DEFAULTS: ToolboxSettings = { timeoutMs: 120_000, shownMaxChars: 12_000 };

/** A valid call: the tool exists, and its arguments match. */
export interface ReadyCall {
  readonly spec: ToolSpec;
  /** The call after unwrapping `tool_call`. */
  readonly call: ToolCall;
  readonly args: Readonly<Record<string, unknown>>;
  /** Whether the tool is one of aish's own tools (search, paging), which need no approval. */
  readonly isBuiltIn: boolean;
}

/** The result of checking a model's call, before any tool is called. */
export type Prepared = { readonly ready: ReadyCall } | { readonly refused: ToolResult; readonly label: string };

/**
 * All tools of a session. It chooses the tools that a request describes, checks calls, makes them, and shows a part of
 * the answer. Chats and goals use it.
 */
export class Toolbox {
  private readonly checker = new ArgumentChecker();

  /** @param providers returns the providers. It is called at each use, because servers come and go. */
  constructor(
    private readonly providers: () => readonly ToolProvider[],
    private readonly results: ResultStore,
    private readonly settings: ToolboxSettings = TOOLBOX_DEFAULTS,
    private readonly onError: (error: unknown, provider: string) => void = () => undefined,
  ) {}

  /** Returns every tool that exists now, sorted by name. A failing provider is skipped and reported. */
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

  /** Chooses the tools of one request; see `chooseTools`. If there are no tools, there is nothing to find. */
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

  /** Checks a call. Errors go back to the model. Pure except for its caches. */
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
      // The model may call a tool that its request does not describe, because there was no room or because the tool had
      // no data.
      const takes = JSON.stringify(definitionOf(spec).parameters).slice(0, SCHEMA_MAX_CHARS);
      return refused(spec.label, `The call was not made: ${checked.fault}. ${spec.name} takes: ${takes}`);
    }
    return {
      ready: { spec, call: { ...call, name: spec.name }, args: checked.arguments, isBuiltIn: builtIn !== undefined },
    };
  }

  /**
   * Makes the call within its time limit. A refusal or failure of the tool is an answer of kind error.
   *
   * @throws AishError `aborted` when `signal` aborts; `mcp_lost` if the outcome is unknown.
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

  /** Polls the task of a call once. A permanent failure is an answer of kind error. */
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

  /** Stores results that are too large or not text, and names their handles. */
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

/** Finds a tool by its name. Models see `alias__tool`, but some write `alias.tool`, as people do. */
function namedBy(specs: readonly ToolSpec[], name: string): ToolSpec | undefined {
  return specs.find((each) => each.name === name) ?? specs.find(({ label }) => label === name);
}

/** Returns the calls with names that requests may contain, because no endpoint accepts a dot. */
export function named(calls: readonly ToolCall[], specs: readonly ToolSpec[]): readonly ToolCall[] {
  return calls.map((call) => ({ ...call, name: namedBy(specs, call.name)?.name ?? call.name }));
}

/** Waits for the work or an abort, because a provider that ignores its signal must not block anybody. */
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

/** Makes an answer of kind error from aish instead of the tool. */
export function fault(text: string): ToolResult {
  return { text, isError: true, omittedBytes: 0 };
}

function refused(label: string, text: string): Prepared {
  return { refused: fault(text), label };
}

/** The gate's result for aish's own tools. */
export const BUILT_IN_IS_SAFE: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };
