import type { HostPorts } from '@aish/actions';
import { AishError } from '@aish/contracts/problems';
import type { HostRow } from '@aish/database/hosts.repository';
import { readFacts, type Rules, type Snapshot } from '@aish/lab';
import { probeCommand } from './probe-script.js';

const HOST_TIMEOUT_MS = 10_000;

/**
 * Looks at one host. Its certificate allows the probe's own text and nothing else, so the key is worth nothing for a shell, a port
 * or another command. A host that hangs or refuses is an answer, too. @throws what aborted `signal`
 */
export async function probeHost(
  { authority, reach }: HostPorts,
  row: HostRow,
  rules: Rules,
  at: Date,
  signal: AbortSignal,
): Promise<Snapshot> {
  const { name: host, address, port, user, keys } = row;
  const silent = (detail: string) => ({ host, at, answered: false, detail, readings: [] });
  if (keys.length === 0) return silent(`not trusted yet: aish host trust ${host}`);
  const command = probeCommand(host, rules);
  const limit = AbortSignal.timeout(HOST_TIMEOUT_MS);
  try {
    const key = authority.sign({ host, command, serial: 0, id: `brief of ${host}` });
    const signIn = { address, port, user, keys: [...keys], ...key, command, subsystem: false, stdin: false };
    const { exitCode, output, log } = await reach.try(signIn, AbortSignal.any([signal, limit]));
    const readings = readFacts(output);
    if (readings.some(({ facts }) => facts.length > 0)) return { host, at, answered: true, detail: '', readings };
    return silent(log.trim().split('\n').at(-1)?.slice(0, 200) || `the probe ended with ${exitCode ?? 'no exit code'}`);
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return silent(`no answer within ${HOST_TIMEOUT_MS / 1_000} s`);
    if (!(error instanceof AishError)) throw error;
    // The sandbox service that holds the connections is no host.
    if (error.code === 'sandbox_unreachable') throw error;
    return silent(error.message.slice(0, 200));
  }
}
