import type { Classification } from '@aish/contracts/safety';
import { hostCalls, readsOnlyOnHost, type HostCall } from '@aish/safety';

/** What would change something on a host of the session waits for a person, whatever it would be in a container. */
export function onHosts(text: string, hosts: readonly string[], classification: Classification): Classification {
  if (hosts.length === 0 || classification.verdict !== 'safe') return classification;
  const reason = hostCalls(text)
    .map(whyNot)
    .find((why) => why !== null);
  if (reason === undefined || reason === null) return classification;
  return { verdict: 'unknown', reason, ruleId: null, span: null, by: 'rule' };
}

function whyNot(call: HostCall): string | null {
  switch (call.kind) {
    case 'command':
      return readsOnlyOnHost({ command: call.command, subsystem: false })
        ? null
        : `on ${call.host} it is not known to only read: ${call.command}`;
    case 'files':
      return `it copies files to or from ${call.host}`;
    case 'push':
      return 'it pushes, perhaps to a host of this session';
  }
}
