import type { HostSignIn } from '@aish/contracts/hosts';
import { AishError } from '@aish/contracts/problems';
import type { EvidenceSubject } from '@aish/safety';
import { maskSecrets } from '@aish/secrets';
import type { HostPorts } from '../context.js';
import { evidenceCommand } from './evidence-script.js';

/** Limits the whole request, in milliseconds. The script ends by itself after 9 s, and the rest is for signing in. */
const LIMIT_MS = 15_000;
const FAILED_MAX_CHARS = 300;
const NOTHING_BEGAN = 255;

/** The evidence from a host. `failed` is set if the output is incomplete. */
export interface CapturedEvidence {
  readonly text: string;
  readonly failed: string | null;
}

/**
 * Reads logs and state of the subjects on a host, before a command ends them. A host that does not answer delays no
 * command: the reason is stored instead.
 *
 * @throws the reason with which `signal` aborted
 */
export async function captureEvidence(
  bridge: HostPorts['bridge'],
  signIn: (command: string) => HostSignIn,
  subjects: readonly EvidenceSubject[],
  signal: AbortSignal,
): Promise<CapturedEvidence> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  const command = evidenceCommand(subjects);
  try {
    const { exitCode, output, log } = await bridge.try(signIn(command), AbortSignal.any([signal, limit]));
    const isWhole = exitCode === 0 && /(^|\n)end\n?$/.test(output);
    const ended = `the host ended it with ${exitCode ?? 'no exit code'}`;
    // OpenSSH reports its own error only if nothing began. Otherwise its log contains the command.
    const why = (exitCode === NOTHING_BEGAN && log.trim().split('\n').at(-1)) || ended;
    return {
      // The host masks secrets line by line. This also finds keys over several lines, and tokens of known services.
      text: await maskSecrets(output.replace(/(^|\n)end\n?$/, '$1')),
      failed: isWhole ? null : why.slice(0, FAILED_MAX_CHARS),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return { text: '', failed: `the host did not answer within ${LIMIT_MS / 1_000} s` };
    if (!(error instanceof AishError)) throw error;
    return { text: '', failed: error.message.slice(0, FAILED_MAX_CHARS) };
  }
}
