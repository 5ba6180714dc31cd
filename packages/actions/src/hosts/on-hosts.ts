import type { Classification, Finding } from '@aish/contracts/safety';
import { hostCalls, readsOnlyOnHost, type HostCall } from '@aish/safety';

/** No grant of another rule covers what has a finding of this one: what is let through on a host is this very command. */
const RULE_ID = 'hosts.change';

/** What would change something on a host of the session waits for a person, whatever it would be in a container. */
export function onHosts(text: string, hosts: readonly string[], classification: Classification): Classification {
  if (hosts.length === 0) return classification;
  const [first, ...others] = hostCalls(text).flatMap(findingsOf);
  if (first === undefined) return classification;
  if (classification.verdict !== 'safe') {
    return { ...classification, others: [...(classification.others ?? []), first, ...others] };
  }
  return { ...first, by: 'rule', ...(others.length === 0 ? {} : { others }) };
}

function findingsOf(call: HostCall): readonly Finding[] {
  const reason = whyNot(call);
  return reason === null ? [] : [{ verdict: 'unknown', reason, ruleId: RULE_ID, span: null }];
}

function whyNot(call: HostCall): string | null {
  switch (call.kind) {
    case 'command':
      return readsOnlyOnHost({ command: call.command, subsystem: false })
        ? null
        : `on ${call.host} it is not known to only read: ${call.command}`;
    case 'files':
      return call.fetches ? null : `it copies files to or from ${call.host}`;
    case 'push':
      return 'it pushes, perhaps to a host of this session';
  }
}
