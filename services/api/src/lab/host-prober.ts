import type { HostPorts } from '@aish/actions';
import { AishError } from '@aish/contracts/problems';
import type { HostRow } from '@aish/database/hosts.repository';
import { readFacts, type Rules, type Snapshot } from '@aish/lab';
import { probeCommand } from './probe-script.js';

const HOST_TIMEOUT_MS = 10_000;
/** The rest of ten seconds is for transferring the output that the host has printed by then. */
const PROBE_LIMIT_MS = 9_500;
const SLOW = `no answer within ${HOST_TIMEOUT_MS / 1_000} s`;

/**
 * Checks one host. Its certificate allows only the exact text of the probe, so the key is useless for a shell, a port
 * or another command. A host that hangs or refuses also gives a result. @throws the reason with which `signal` aborted
 */
export async function probeHost(
  { authority, bridge }: HostPorts,
  row: HostRow,
  rules: Rules,
  at: Date,
  signal: AbortSignal,
): Promise<Snapshot> {
  const { name: host, address, port, user, keys } = row;
  const silent = (detail: string) => ({ host, at, answered: false, detail, readings: [] });
  if (keys.length === 0) return silent(`not trusted yet: aish host trust ${host}`);
  const command = probeCommand(host, rules);
  const began = performance.now();
  const limit = AbortSignal.timeout(HOST_TIMEOUT_MS);
  try {
    const key = authority.sign({ host, command, serial: 0, id: `brief of ${host}` });
    const signIn = { address, port, user, keys: [...keys], ...key, command };
    const asked = { ...signIn, subsystem: false, stdin: false, limitMs: PROBE_LIMIT_MS };
    const { exitCode, output, log } = await bridge.try(asked, AbortSignal.any([signal, limit]));
    const why = performance.now() - began >= PROBE_LIMIT_MS ? SLOW : whyCut(exitCode);
    const readings = readFacts(output, why);
    if (readings.some(({ facts }) => facts.length > 0)) return { host, at, answered: true, detail: '', readings };
    const lastLine = why === SLOW ? '' : log.trim().split('\n').at(-1)?.slice(0, 200);
    return silent(lastLine || (why ?? 'the probe printed nothing'));
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return silent(SLOW);
    if (!(error instanceof AishError)) throw error;
    // This error is about the sandbox service that holds the connections, not about the host.
    if (error.code === 'sandbox_unreachable') throw error;
    return silent(error.message.slice(0, 200));
  }
}

/** Returns the reason why the output of the probe is incomplete, or null. The probe itself always exits with 0. */
function whyCut(exitCode: number | null): string | null {
  if (exitCode === null) return 'the connection ended before the probe did';
  return exitCode === 0 ? null : `the probe exited with code ${exitCode}`;
}
