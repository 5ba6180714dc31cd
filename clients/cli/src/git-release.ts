import { AishError } from '@aish/contracts/problems';
import { z } from 'zod';
import { runProgram } from './run-program.js';

const FETCH_TIMEOUT_MS = 10 * 60_000;
const LOCAL_TIMEOUT_MS = 60_000;

/** A release that git has fetched. Nothing of it has run yet. */
export interface FetchedRelease {
  /** The address of its repository. */
  readonly repository: string;
  /** The tag, or the commit if the address names no tag. This is what a signer signs. */
  readonly object: string;
  readonly commit: string;
  /** The content of all its files. It is the same in commits with the same files. */
  readonly tree: string;
  readonly version: string;
  readonly changelog: string;
}

/** A git repository on this machine. */
export class GitFolder {
  constructor(
    readonly path: string,
    private readonly signal: AbortSignal,
  ) {}

  git(args: readonly string[], timeoutMs = LOCAL_TIMEOUT_MS): Promise<string> {
    return runProgram('git', ['-C', this.path, ...args], { signal: this.signal, timeoutMs });
  }

  /** Returns the address from which this folder was cloned, or null. */
  async origin(): Promise<string | null> {
    return this.git(['remote', 'get-url', 'origin']).then(
      (text) => text.trim(),
      () => null,
    );
  }

  /**
   * Fetches a release. `address` is a git repository. After a `#` it can name a tag, branch or commit.
   * @throws AishError `invalid_body` if there is no version of aish
   */
  async fetchRelease(address: string): Promise<FetchedRelease> {
    const [repository = '', ref = 'HEAD'] = address.split('#');
    await this.git(['fetch', '--quiet', '--no-tags', '--', repository, ref], FETCH_TIMEOUT_MS);
    const object = (await this.git(['rev-parse', 'FETCH_HEAD'])).trim();
    const commit = (await this.git(['rev-parse', `${object}^{commit}`])).trim();
    const tree = (await this.git(['rev-parse', `${object}^{tree}`])).trim();
    const manifest = Manifest.safeParse(jsonOf(await this.file(commit, 'package.json')));
    if (!manifest.success) throw new AishError('invalid_body', `${address} is not a version of aish`);
    const changelog = await this.file(commit, 'CHANGELOG.md');
    return { repository, object, commit, tree, version: manifest.data.version, changelog };
  }

  /** Returns the text of a file of a commit, which is empty if there is none. */
  file(commit: string, name: string): Promise<string> {
    return this.git(['show', `${commit}:${name}`]).catch(() => '');
  }

  /** Puts the files of a commit into a new folder. */
  async checkOutTo(folder: string, commit: string): Promise<void> {
    await this.git(['worktree', 'prune']);
    await this.git(['worktree', 'add', '--quiet', '--force', '--detach', folder, commit]);
  }
}

const Manifest = z.object({ name: z.literal('aish'), version: z.string().min(1) });

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // the schema refuses it
  }
}
