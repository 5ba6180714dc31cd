import type { HostSignIn } from '@aish/contracts/hosts';
import { AishError } from '@aish/contracts/problems';
import type { Finding } from '@aish/contracts/safety';
import type { HostRow } from '@aish/database/hosts.repository';
import { connectionStakes, hostCalls } from '@aish/safety';
import type { HostPorts } from '../context.js';
import { signInAs } from './sign-in.js';
import { isTooLong, revertCommand } from './revert-script.js';
import { readAnswer, revertFindings, type RevertAnswer } from './revert-words.js';

const LIMIT_MS = 12_000;
const NOTHING_BEGAN = 255;
/**
 * Asks the hosts of a command what they could restore if the command cuts their connection. This changes nothing there.
 */
export async function askReverts(
  text: string,
  hosts: readonly HostRow[],
  ports: HostPorts | undefined,
  actionId: string,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const asked = hostCalls(text).flatMap((call) => {
    const host = call.kind === 'push' ? undefined : hosts.find((each) => [each.name, each.address].includes(call.host));
    return call.kind === 'command' && host !== undefined ? [{ host, stakes: connectionStakes(call.command) }] : [];
  });
  const risky = asked.filter(({ stakes: { kinds, lasting } }) => kinds.length + lasting.length > 0);
  const found = await Promise.all(
    risky.map(async ({ host, stakes }) => {
      const command = revertCommand('check', actionId, stakes.kinds, host.user);
      const answer =
        ports === undefined ? unanswered('hosts are off') : await ask(ports, host, command, actionId, signal);
      const given = isTooLong(host, stakes.kinds)
        ? unanswered('its SSH server takes no command that could save all of this')
        : answer;
      return revertFindings(host.name, host.user, stakes, given);
    }),
  );
  const seen = new Map(found.flat().map((finding) => [finding.reason, finding]));
  return [...seen.values()];
}

async function ask(
  { authority, bridge }: HostPorts,
  host: HostRow,
  command: string,
  actionId: string,
  signal: AbortSignal,
): Promise<RevertAnswer> {
  if (host.keys.length === 0) return unanswered('it is not trusted yet');
  const limit = AbortSignal.timeout(LIMIT_MS);
  const signIn: HostSignIn = signInAs(authority, host, command, { serial: 0, id: `${actionId} revert` });
  try {
    const { exitCode, output, log } = await bridge.try(signIn, AbortSignal.any([signal, limit]));
    const answer = readAnswer(output);
    if (exitCode !== NOTHING_BEGAN) return answer;
    return { ...answer, silent: log.trim().split('\n').at(-1)?.slice(0, 200) || 'it does not respond' };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return unanswered('it does not respond');
    if (!(error instanceof AishError)) throw error;
    return unanswered(error.message.slice(0, 200));
  }
}

function unanswered(silent: string): RevertAnswer {
  return { isRoot: true, can: [], cannot: [], atStart: false, silent };
}
