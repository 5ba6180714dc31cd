import type { HostSignIn } from '@aish/contracts/hosts';
import { AishError } from '@aish/contracts/problems';
import type { EvidenceSubject } from '@aish/safety';
import { findSecrets } from '@aish/secrets';
import type { HostPorts } from '../context.js';
import { evidenceCommand } from './evidence-script.js';

/** The script ends after 9 s by itself; the rest is for signing in. */
const LIMIT_MS = 15_000;
const FAILED_MAX_CHARS = 300;
const NOTHING_BEGAN = 255;

/** What a host said; `failed` where it did not say everything. */
export interface CapturedEvidence {
  readonly text: string;
  readonly failed: string | null;
}

/**
 * Reads logs and state of the subjects on a host, before a command ends them. A host that says nothing holds up no command: why
 * is kept instead. @throws what aborted `signal`
 */
export async function captureEvidence(
  reach: HostPorts['reach'],
  signIn: (command: string) => HostSignIn,
  subjects: readonly EvidenceSubject[],
  signal: AbortSignal,
): Promise<CapturedEvidence> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  const command = evidenceCommand(subjects);
  try {
    const { exitCode, output, log } = await reach.try(signIn(command), AbortSignal.any([signal, limit]));
    const isWhole = exitCode === 0 && /(^|\n)end\n?$/.test(output);
    const ended = `the host ended it with ${exitCode ?? 'no exit code'}`;
    // OpenSSH has a word of its own only where nothing began; else its log has the command.
    const why = (exitCode === NOTHING_BEGAN && log.trim().split('\n').at(-1)) || ended;
    return {
      text: await masked(output.replace(/(^|\n)end\n?$/, '$1')),
      failed: isWhole ? null : why.slice(0, FAILED_MAX_CHARS),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return { text: '', failed: `the host did not answer within ${LIMIT_MS / 1_000} s` };
    if (!(error instanceof AishError)) throw error;
    return { text: '', failed: error.message.slice(0, FAILED_MAX_CHARS) };
  }
}

/** The host has masked what one line shows to be a secret. This also finds keys over several lines, and tokens of known services. */
async function masked(text: string): Promise<string> {
  const found = await findSecrets(text);
  return found
    .filter(({ isSure }) => isSure)
    .toReversed()
    .reduce((rest, { span: [start, end] }) => `${rest.slice(0, start)}***${rest.slice(end)}`, text);
}
