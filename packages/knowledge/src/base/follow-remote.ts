import { AishError, isAishError } from '@aish/contracts/problems';
import { git, withoutSecrets, type GitOptions } from '../git/git.js';
import type { Checkout } from './checkout.js';
import type { Held, Repository } from './repository.js';
import { NO_REMOTE_STATE, type RemoteState } from './state-file.js';

const FETCH_TIMEOUT_MS = 8_000;
/** A writer waits for an answer so much longer than the last one took, but this long in any case, milliseconds. */
const PATIENCE_FACTOR = 4;
const PATIENCE_MIN_MS = 1_000;
/** A failure that took no longer has delayed nobody. */
const DELAY_MS = 500;
/** Then it is not asked for so long; twice as long after each further time. */
const SILENT_MS = 60_000;
const SILENT_MAX_MS = 900_000;

/** Brings what others have pushed, and makes the branch follow it. */
export class RemoteFollower {
  /** This commit of ours has all that this commit of the remote has: asking costs a process. */
  private contained: { readonly head: string; readonly remote: string } | null = null;

  constructor(
    private readonly checkout: Checkout,
    private readonly now: () => Date,
  ) {}

  /**
   * Fetches, and follows the remote where that needs no merge. Needs the lock of the repository.
   * @returns a word for the writer when the remote could not be asked: writing goes on without it.
   * @throws AishError `knowledge_diverged` when both sides have commits that the other has not.
   */
  async follow(held: Held): Promise<string | null> {
    const { repository } = this.checkout;
    const unreached = await this.ask(held);
    const [head, remote] = [await repository.head(held), await repository.remoteHead(held)];
    if (head === null || remote === null) return unreached;
    if (this.contained?.head === head && this.contained.remote === remote) return unreached;
    const apart = await repository.between(head, remote, held);
    if (apart.behind === 0) {
      this.contained = { head, remote };
      return unreached;
    }
    if (apart.ahead > 0) {
      throw new AishError(
        'knowledge_diverged',
        `Here ${apart.ahead} commits the remote has not, there ${apart.behind} that are not here; merge or rebase them by hand`,
        apart,
      );
    }
    await this.checkout.move(head, remote, 'aish: follow the remote', held);
    this.contained = { head: remote, remote };
    return unreached;
  }

  /** Fetches, unless the remote kept writers waiting a moment ago. @returns why it did not. */
  private async ask(held: Held): Promise<string | null> {
    const { repository } = this.checkout;
    const { silent, answerMs } = (await repository.remoteState.read()) ?? NO_REMOTE_STATE;
    if (silent !== null && this.now() < new Date(silent.until) && (await repository.remoteUrl(held)) !== null) {
      return `The remote did not answer; it is asked again after ${silent.until}. The commit stays here until then`;
    }
    const usual = Math.max(PATIENCE_MIN_MS, PATIENCE_FACTOR * (answerMs ?? PATIENCE_MIN_MS));
    const askMs = Math.min(FETCH_TIMEOUT_MS, usual * 2 ** (silent?.times ?? 0));
    return fetchRemote(repository, held, { askMs, now: this.now });
  }

  /** The branch has gone from one commit to another of ours that descends from it. */
  grown(from: string, to: string): void {
    if (this.contained?.head === from) this.contained = { head: to, remote: this.contained.remote };
  }
}

interface FetchOptions {
  /** For the question whether it has moved. */
  readonly askMs?: number;
  readonly fetchMs?: number;
  readonly now?: () => Date;
}

/** Fetches. Needs the lock of the repository. @returns null when the remote answered or there is none, else why not. */
export async function fetchRemote(
  repository: Repository,
  held: Held,
  { askMs = FETCH_TIMEOUT_MS, fetchMs = FETCH_TIMEOUT_MS, now = () => new Date() }: FetchOptions = {},
): Promise<string | null> {
  if ((await repository.remoteUrl(held)) === null) return null;
  const { remoteState } = repository;
  const state = (await remoteState.read()) ?? NO_REMOTE_STATE;
  const started = performance.now();
  const asked = await askMoved(repository, held, askMs);
  const tookMs = Math.round(performance.now() - started);
  const tracking = `refs/remotes/origin/${repository.branch}`;
  const failure =
    asked.failure ??
    (asked.hasMoved ? await fetchTo(repository, tracking, { signal: held.signal, timeoutMs: fetchMs }) : null);
  if (failure === null) {
    const { answerMs } = state;
    const isNews = answerMs === null || tookMs > answerMs * 2 || tookMs < answerMs / 2;
    if (isNews || state.fetchFailure !== null || state.silent !== null) {
      await remoteState.write({ ...state, fetchFailure: null, silent: null, answerMs: isNews ? tookMs : answerMs });
    }
    return null;
  }
  const isSilent = asked.failure !== null && tookMs > DELAY_MS;
  const silent = isSilent ? longer(state.silent?.times ?? 0, now()) : state.silent;
  await remoteState.write({ ...state, fetchFailure: { detail: failure, at: now().toISOString() }, silent });
  return `The remote was not reached (${failure}); the commit stays here until it is`;
}

function longer(times: number, now: Date): NonNullable<RemoteState['silent']> {
  const until = new Date(now.getTime() + Math.min(SILENT_MAX_MS, SILENT_MS * 2 ** times));
  return { times: times + 1, until: until.toISOString() };
}

/** Asks where the remote's branch is, which is cheap: it is fetched only when it has moved. */
async function askMoved(
  repository: Repository,
  held: Held,
  timeoutMs: number,
): Promise<{ readonly failure: string | null; readonly hasMoved: boolean }> {
  // Without the lock's descriptor: helpers that git leaves behind must not hold it.
  const options = repository.git({ signal: held.signal }, { timeoutMs });
  const { failure, text } = await askRemote(['ls-remote', 'origin', `refs/heads/${repository.branch}`], options);
  const theirs = text.split(/\s/)[0] ?? '';
  // A remote without this branch is empty: there is nothing to follow.
  return { failure, hasMoved: theirs !== '' && theirs !== (await repository.remoteHead(held)) };
}

/** Fetches to a ref of its own, where no writer looks: needs no lock. @returns what went wrong. */
export function fetchAside(repository: Repository, ref: string, signal: AbortSignal): Promise<string | null> {
  return fetchTo(repository, ref, { signal, timeoutMs: FETCH_TIMEOUT_MS });
}

async function fetchTo(
  repository: Repository,
  ref: string,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<string | null> {
  // Without `--refmap=` it would also move the remote's branch here.
  const quiet = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--refmap='];
  const refspec = `+refs/heads/${repository.branch}:${ref}`;
  return (await askRemote(['fetch', ...quiet, 'origin', refspec], repository.git({ signal }, { timeoutMs }))).failure;
}

/** One exchange with the remote: what it printed, or what git said of the failure, in a line. */
async function askRemote(
  args: readonly string[],
  options: GitOptions,
): Promise<{ readonly text: string; readonly failure: string | null }> {
  try {
    const answer = await git(args, { ...options, ownGroup: true });
    return { text: answer.stdout.toString('utf8'), failure: answer.code === 0 ? null : lastWords(answer.stderr) };
  } catch (error) {
    if (!isAishError(error, 'knowledge_git')) throw error;
    return { text: '', failure: error.message };
  }
}

function lastWords(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /^(?:fatal|error|ssh|remote):/i.test(line));
  return withoutSecrets(lines[0] ?? stderr.trim().split('\n').at(-1) ?? 'no reason given')
    .replace(/^(?:fatal|error): /, '')
    .slice(0, 300);
}
