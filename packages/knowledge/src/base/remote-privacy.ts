import type { KnowledgeDoctorCheck } from '@aish/contracts/knowledge-upkeep';

type Verdict = Pick<KnowledgeDoctorCheck, 'state' | 'detail' | 'advice'>;
const TIMEOUT_MS = 5_000;

/**
 * Finds out whether strangers can read the remote. Paths and ssh always need permission. An http(s) address is
 * requested without any credentials, as a stranger would do.
 */
export async function probeRemotePrivacy(url: string, signal?: AbortSignal): Promise<Verdict> {
  if (/^git:\/\//i.test(url))
    return { state: 'failed', detail: 'git:// is open to everyone', advice: 'use ssh or https' };
  if (!/^https?:\/\//i.test(url)) return { state: 'ok', detail: 'not open to strangers by its address', advice: null };
  const address = new URL(url);
  address.username = address.password = '';
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/info/refs`;
  address.search = '?service=git-upload-pack';
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await fetch(address, {
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    await answer.body?.cancel();
    if (!answer.ok) return { state: 'ok', detail: `without a password it answers ${answer.status}`, advice: null };
    return { state: 'failed', detail: 'anyone can read it without a password', advice: 'make the repository private' };
  } catch {
    return { state: 'warning', detail: 'it did not answer, so this is not known', advice: null };
  }
}
