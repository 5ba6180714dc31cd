import { gitText, type GitOptions } from './git.js';

/** From the begin to the end, so that making a large commit and writing its files in between have their time, too. */
const TIMEOUT_MS = 300_000;

/**
 * Lets git's own index follow files of the tree. Git reads the whole index before the first path, which is what takes
 * long where there are many files, so that is begun early and the paths are said when the files are there. From begin
 * to end git holds `index.lock`; who begins must have noted that, for whoever comes after a kill.
 */
export class IndexUpdate {
  private constructor(
    private readonly say: (paths: string) => void,
    private readonly ended: Promise<string>,
  ) {}

  static begin(options: GitOptions): IndexUpdate {
    let say: (paths: string) => void = () => undefined;
    const input = new Promise<string>((resolve) => (say = resolve));
    const args = ['update-index', '--add', '--remove', '-z', '--stdin'];
    const ended = gitText(args, { ...options, input, timeoutMs: TIMEOUT_MS });
    // Asked for by whoever ends it; until then nobody listens.
    ended.catch(() => undefined);
    return new IndexUpdate(say, ended);
  }

  /** These have changed, came or went. @throws AishError `knowledge_git` */
  async finish(paths: Iterable<string>): Promise<void> {
    this.say([...paths].map((path) => `${path}\0`).join(''));
    await this.ended;
  }

  /** Git ends without a change and takes its lock away. @throws AishError `knowledge_git` when it may not have. */
  cancel(): Promise<void> {
    return this.finish([]);
  }
}
