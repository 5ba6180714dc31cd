import type { Classification, Finding } from '@aish/contracts/safety';
import { hostCalls, programsOfOthers, readsOnlyOnHost, untoldParts, type HostCall } from '@aish/safety';

/** No grant of another rule covers what has a finding of this one: what is let through on a host is this very command. */
const RULE_ID = 'hosts.change';

/**
 * A command that would change something on a host of the session waits for a person, even if it is harmless in a
 * container.
 */
export function onHosts(
  text: string,
  hosts: readonly string[],
  classification: Classification,
  /** What would run on a host before it, as it would run. */
  preludes: ReadonlyMap<string, string> = new Map(),
): Classification {
  if (hosts.length === 0) return classification;
  const calls = hostCalls(text);
  const found = calls.flatMap(findingsOf);
  const before = [...preludes].filter(([host]) => calls.some((call) => isOn(call, host)));
  const [first, ...others] = found.length === 0 ? [] : [...found, ...before.map(preludeFinding)];
  if (first === undefined) return classification;
  if (classification.verdict !== 'safe') {
    return { ...classification, others: [...(classification.others ?? []), first, ...others] };
  }
  return { ...first, by: 'rule', ...(others.length === 0 ? {} : { others }) };
}

/**
 * Why a line never runs that changes something on a host and also runs code which its words do not show: that code could do
 * on the host what was let through for the line. Null where it may run.
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

function findingsOf(call: HostCall): readonly Finding[] {
  const reason = whyNot(call);
  return reason === null ? [] : [{ verdict: 'unknown', reason, ruleId: RULE_ID, span: null }];
}

function isOn(call: HostCall, host: string): boolean {
  return call.kind === 'push' || (call.host === host && whyNot(call) !== null);
}

function preludeFinding([host, command]: readonly [string, string]): Finding {
  return { verdict: 'unknown', reason: `before it, on ${host}: ${command}`, ruleId: 'hosts.prelude', span: null };
}

function whyNot(call: HostCall): string | null {
  switch (call.kind) {
    case 'command':
      return readsOnlyOnHost({ command: call.command, subsystem: false })
        ? null
        : `on ${call.host} it is not known to only read: ${call.command}${unseenOnHost(call.command)}`;
    case 'files':
      return call.fetches ? null : `it copies files to or from ${call.host}`;
    case 'push':
      return 'it pushes, perhaps to a host of this session';
  }
}

/** aish does not read scripts on hosts: that needs a separate login, and they may change before the command starts. */
function unseenOnHost(command: string): string {
  const parts = untoldParts(command);
  return parts.length === 0 ? '' : `; aish cannot see what ${parts.join(' and ')} does there`;
}
