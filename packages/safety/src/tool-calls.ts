import { TOOL_UNKNOWN, type Classification } from '@aish/contracts/safety';
import { boundedFindings, type ClassifyOptions } from './classify.js';
import { judgeArguments, pathArgument } from './tool-arguments.js';
import { judgeGesture } from './tool-gestures.js';
import { othersInCall, spanInCall, type Judged } from './tool-spans.js';
import { answer, isRunner, judgeName } from './tool-names.js';

export interface ToolCall {
  /** The name of the tool: `server__tool`, or `server.tool`. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /**
   * The arguments that the tool declares, by name. A tool may ignore all others, so they never make a call safer. Absent:
   * unknown.
   */
  readonly declared?: readonly string[];
  /**
   * The call as a person sees it (`actionText` of contracts). The span of the answer is a part of this text. Default:
   * the name, a space and the arguments as JSON.
   */
  readonly shown?: string;
  /** The hints of the server about the tool. */
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
  /** Whether the gate believes the server's hints. */
  readonly trusted?: boolean;
}

export interface ToolCallOptions extends ClassifyOptions {
  /** Globs of tool names that are always destructive. They replace ALWAYS_DESTRUCTIVE. */
  readonly alwaysDestructive?: readonly string[];
}

/** Tools that can run or write any content. */
export const ALWAYS_DESTRUCTIVE: readonly string[] = ['*__shell', '*__write_file', '*__edit_file', '*__shell_bg'];

/** Whether a tool call would delete, overwrite or change something. Never throws; pure. */
export function classifyToolCall(call: ToolCall, options: ToolCallOptions = {}): Classification {
  const found = judgeDeclared(call, options);
  const { verdict, reason, ruleId, by, excusedBy } = found;
  const excused = excusedBy === undefined ? {} : { excusedBy };
  if (verdict === 'safe') return { verdict, reason, ruleId, span: null, by, ...excused };
  const shown = call.shown ?? shownCall(call);
  const others = boundedFindings(othersInCall(shown, found));
  const span = spanInCall(shown, found.guilt);
  return { verdict, reason, ruleId, span, by, ...(others.length === 0 ? {} : { others }), ...excused };
}

const shownCall = ({ name, args }: ToolCall): string => `${name} ${JSON.stringify(args)}`;

/** The worse of two answers: for all arguments, and for those that the tool declares. */
function judgeDeclared(call: ToolCall, options: ToolCallOptions): Judged {
  const all = judge(call, options);
  const { args, declared = [] } = call;
  const kept = Object.entries(args).filter(([name]) => declared.includes(name));
  if (declared.length === 0 || kept.length === Object.keys(args).length || all.verdict === 'destructive') return all;
  const only = judge({ ...call, args: Object.fromEntries(kept) }, options);
  return only.verdict === 'destructive' || all.verdict === 'safe' ? only : all;
}

function judge(call: ToolCall, options: ToolCallOptions): Judged {
  const always = (options.alwaysDestructive ?? ALWAYS_DESTRUCTIVE).find((pattern) => matchesName(pattern, call.name));
  const inArguments: Judged | null =
    isDemo(call.args) || ONLY_PLANS.test(call.name) ? answer('safe', null, null) : judgeArguments(call, options);
  const guilt = (inArguments?.verdict === 'destructive' ? inArguments.guilt : undefined) ?? pathArgument(call.args);
  const blamed = guilt === undefined ? {} : { guilt };
  if (always !== undefined && !(isDemo(call.args) && always.endsWith('__edit_file'))) {
    const reason = `${call.name} is one of the tools that aish always asks about (${always})`;
    const beside = inArguments === null ? [] : [inArguments];
    return { ...answer('destructive', 'tool.always', reason), ...blamed, beside };
  }
  if (inArguments?.verdict === 'destructive') return inArguments;
  const gesture = judgeGesture(call);
  if (gesture !== null && gesture.verdict !== 'safe') return gesture;
  const byName = gesture?.verdict === 'safe' || onlyViews(call) ? 'safe' : judgeName(call.name);
  if (call.trusted === true && call.annotations?.destructiveHint === true && call.annotations.readOnlyHint !== true) {
    return answer('destructive', 'tool.hint', `the server says that ${call.name} may be destructive`);
  }
  if (byName === 'destructive' && !(inArguments?.verdict === 'safe' && (isRunner(call.name) || isDemo(call.args)))) {
    return {
      ...answer('destructive', 'tool.name', `the name of ${call.name} suggests that it changes or deletes something`),
      ...blamed,
    };
  }
  if (inArguments?.verdict === 'unknown') return inArguments;
  if (call.trusted === true && call.annotations?.readOnlyHint === true) return answer('safe', null, null);
  if (byName === 'safe' || inArguments !== null) return answer('safe', null, null);
  return answer('unknown', TOOL_UNKNOWN, `it is unknown what ${call.name} does`);
}

/** Whether an editor only shows a file, or creates a new one. */
const onlyViews = ({ name, args }: ToolCall): boolean =>
  /edit|replace/i.test(name) &&
  typeof args['command'] === 'string' &&
  /^(view|read|open|show|list|create)$/.test(args['command']);

/** Whether a trusted server says that the tool only reads, and there is no objection. */
export const toolKnownReadOnly = (call: ToolCall): boolean =>
  call.trusted === true && call.annotations?.readOnlyHint === true && classifyToolCall(call).verdict === 'safe';

/** Matches tools whose only purpose is to show what another tool would do. */
const ONLY_PLANS = /(__|\.|terraform_|tofu_|pulumi_)(plan|preview|diff)$/i;

/** Whether a tool only reports what it would do, because of `dry_run`. */
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
