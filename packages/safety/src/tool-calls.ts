import { TOOL_UNKNOWN, type Classification } from '@aish/contracts/safety';
import { boundedFindings, type ClassifyOptions } from './classify.js';
import { judgeArguments, pathArgument } from './tool-arguments.js';
import { judgeGesture } from './tool-gestures.js';
import { othersInCall, spanInCall, type Judged } from './tool-spans.js';
import { answer, isRunner, judgeName } from './tool-names.js';

export interface ToolCall {
  /** `server__tool`, or `server.tool`. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /**
   * The call as a person is shown it (`actionText` of contracts): the answer's span is a part of this. Without it, the name,
   * a space and the arguments as JSON.
   */
  readonly shown?: string;
  /** What the server says of the tool. */
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
  /** Whether what the server says counts. */
  readonly trusted?: boolean;
}

export interface ToolCallOptions extends ClassifyOptions {
  /** Globs of names that are always destructive, instead of ALWAYS_DESTRUCTIVE. */
  readonly alwaysDestructive?: readonly string[];
}

/** Tools that run or write anything they are given. */
export const ALWAYS_DESTRUCTIVE: readonly string[] = ['*__shell', '*__write_file', '*__edit_file', '*__shell_bg'];

/** Whether a tool call would delete, overwrite or change something. Never throws; pure. */
export function classifyToolCall(call: ToolCall, options: ToolCallOptions = {}): Classification {
  const found = judge(call, options);
  const { verdict, reason, ruleId, by, excusedBy } = found;
  const excused = excusedBy === undefined ? {} : { excusedBy };
  if (verdict === 'safe') return { verdict, reason, ruleId, span: null, by, ...excused };
  const shown = call.shown ?? shownCall(call);
  const others = boundedFindings(othersInCall(shown, found));
  const span = spanInCall(shown, found.guilt);
  return { verdict, reason, ruleId, span, by, ...(others.length === 0 ? {} : { others }), ...excused };
}

const shownCall = ({ name, args }: ToolCall): string => `${name} ${JSON.stringify(args)}`;

function judge(call: ToolCall, options: ToolCallOptions): Judged {
  const always = (options.alwaysDestructive ?? ALWAYS_DESTRUCTIVE).find((pattern) => matchesName(pattern, call.name));
  const inArguments: Judged | null =
    isDemo(call.args) || ONLY_PLANS.test(call.name) ? answer('safe', null, null) : judgeArguments(call, options);
  const guilt = (inArguments?.verdict === 'destructive' ? inArguments.guilt : undefined) ?? pathArgument(call.args);
  const blamed = guilt === undefined ? {} : { guilt };
  if (always !== undefined && !(isDemo(call.args) && always.endsWith('__edit_file'))) {
    const reason = `${call.name} is one of the tools that are always asked about (${always})`;
    const beside = inArguments === null ? [] : [inArguments];
    return { ...answer('destructive', 'tool.always', reason), ...blamed, beside };
  }
  if (inArguments?.verdict === 'destructive') return inArguments;
  const gesture = judgeGesture(call);
  if (gesture !== null && gesture.verdict !== 'safe') return gesture;
  const byName = gesture?.verdict === 'safe' || onlyViews(call) ? 'safe' : judgeName(call.name);
  if (call.trusted === true && call.annotations?.destructiveHint === true && call.annotations.readOnlyHint !== true) {
    return answer('destructive', 'tool.hint', `the server says that ${call.name} may destroy something`);
  }
  if (byName === 'destructive' && !(inArguments?.verdict === 'safe' && (isRunner(call.name) || isDemo(call.args)))) {
    return {
      ...answer('destructive', 'tool.name', `${call.name} is named for changing or deleting something`),
      ...blamed,
    };
  }
  if (inArguments?.verdict === 'unknown') return inArguments;
  if (call.trusted === true && call.annotations?.readOnlyHint === true) return answer('safe', null, null);
  if (byName === 'safe' || inArguments !== null) return answer('safe', null, null);
  return answer('unknown', TOOL_UNKNOWN, `nothing says what ${call.name} does`);
}

/** An editor that is told to show a file, or to make one that was not there. */
const onlyViews = ({ name, args }: ToolCall): boolean =>
  /edit|replace/i.test(name) &&
  typeof args['command'] === 'string' &&
  /^(view|read|open|show|list|create)$/.test(args['command']);

/** Whether a server that is trusted says that the tool only reads, and nothing speaks against it. */
export const toolKnownReadOnly = (call: ToolCall): boolean =>
  call.trusted === true && call.annotations?.readOnlyHint === true && classifyToolCall(call).verdict === 'safe';

/** A tool whose whole work is to say what another one would do. */
const ONLY_PLANS = /(__|\.|terraform_|tofu_|pulumi_)(plan|preview|diff)$/i;

/** A tool that takes `dry_run` is told to only say what it would do. */
const isDemo = (args: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(args).some(
    ([key, value]) =>
      /^(dry_?run|check(_?only|_?mode)?|preview(_?only)?|simulate|what_?if|plan_?only|validate_?only|noop|pretend)$/i.test(
        key,
      ) &&
      (value === true || /^(true|yes|1|server|client|all)$/i.test(typeof value === 'string' ? value : '')),
  );

function matchesName(pattern: string, name: string): boolean {
  const glob = new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    'i',
  );
  // `alias.tool` is the same tool as `alias__tool`.
  return (
    glob.test(name) ||
    glob.test(name.replace('.', '__')) ||
    (!name.includes('__') && !name.includes('.') && glob.test(`x__${name}`))
  );
}
