import type { Classification, Finding } from '@aish/contracts/safety';
import type { HostFile } from '@aish/contracts/execution-context';
import { hostCalls, programsOfOthers, readsOnlyOnHost, untoldParts, type HostCall } from '@aish/safety';

/**
 * The rule for changes on hosts. A grant of another rule never covers an action with a finding of this rule, because an
 * approval on a host covers only this exact command.
 */
const RULE_ID = 'hosts.change';

/**
 * Makes a command wait for a person if it would change something on a host of the session, even if it is harmless in a
 * container.
 */
export function onHosts(
  text: string,
  hosts: readonly string[],
  classification: Classification,
  /** The command that would run on each host first, in its final form. */
  preludes: ReadonlyMap<string, string> = new Map(),
  /** Findings about the parts that the hosts can and cannot restore. */
  reverts: readonly Finding[] = [],
  /** The scripts on hosts that the decision shows. */
  shown: readonly HostFile[] = [],
): Classification {
  if (hosts.length === 0) return classification;
  const calls = hostCalls(text);
  const found = calls.flatMap((call) => findingsOf(call, shown));
  const before = [...preludes].filter(([host]) => calls.some((call) => isOn(call, host)));
  const [first, ...others] = found.length === 0 ? [] : [...found, ...before.map(preludeFinding), ...reverts];
  if (first === undefined) return classification;
  if (classification.verdict !== 'safe') {
    return { ...classification, others: [...(classification.others ?? []), first, ...others] };
  }
  return { ...first, by: 'rule', ...(others.length === 0 ? {} : { others }) };
}

/**
 * Returns why a command line must not run that changes something on a host and also runs local code that its words do
 * not show. That code could use the line's approval on the host for something else. Null if the line may run.
 */
export function whyNotTogether(text: string, hosts: readonly string[]): string | null {
  if (hosts.length === 0) return null;
  const changing = hostCalls(text).filter((call) => whyNot(call) !== null);
  const isPushAlone = changing.every(({ kind }) => kind === 'push');
  const others = changing.length === 0 ? [] : programsOfOthers(text).filter((name) => !isPushAlone || name !== 'git');
  const [first] = others;
  if (first === undefined) return null;
  const what =
    first === text ? 'what else runs on this line cannot be read' : `${first} runs code that this line does not show`;
  return `${what}, and the line changes something on a host. Ask for each with a CMD line of its own`;
}

function findingsOf(call: HostCall, shown: readonly HostFile[]): readonly Finding[] {
  const reason = whyNot(call, shown);
  return reason === null ? [] : [{ verdict: 'unknown', reason, ruleId: RULE_ID, span: null }];
}

function isOn(call: HostCall, host: string): boolean {
  return call.kind === 'push' || (call.host === host && whyNot(call) !== null);
}

function preludeFinding([host, command]: readonly [string, string]): Finding {
  return { verdict: 'unknown', reason: `before it, on ${host}: ${command}`, ruleId: 'hosts.prelude', span: null };
}

function whyNot(call: HostCall, shown: readonly HostFile[] = []): string | null {
  switch (call.kind) {
    case 'command':
      return readsOnlyOnHost({ command: call.command, subsystem: false })
        ? null
        : `on ${call.host} it is not known to be read-only: ${call.command}${unseenOnHost(call.command, shown)}`;
    case 'files':
      return call.fetches ? null : `it copies files to or from ${call.host}`;
    case 'push':
      return 'it pushes, perhaps to a host of this session';
  }
}

/** Returns the parts that the decision cannot show: programs whose script aish did not find or could not read. */
function unseenOnHost(command: string, shown: readonly HostFile[]): string {
  const isShown = (part: string) =>
    shown.some(({ path, content }) => {
      const [program = ''] = part.split(' ');
      const isOwn = program === 'make' && /(?:^|\/)(?:GNUm|m|M)akefile$/.test(path);
      const last = (part.split(' ').at(-1) ?? '').replace(/^\.\//, '');
      return content !== null && content !== 'missing' && (isOwn || path === last || path.endsWith(`/${last}`));
    });
  const parts = untoldParts(command).filter((part) => !isShown(part));
  return parts.length === 0 ? '' : `; aish cannot see what ${parts.join(' and ')} does there`;
}
