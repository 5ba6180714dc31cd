import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { KnowledgeBase, type KnowledgeBaseOptions } from '../base/knowledge-base.js';

const ENV = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: tmpdir() };

/** A knowledge base in a new folder, with a bare remote beside it. */
export class ScratchBase {
  readonly root = mkdtempSync(join(tmpdir(), 'aish-kb-'));
  readonly remote = join(this.root, 'remote.git');
  readonly dir = join(this.root, 'kb');
  readonly base: KnowledgeBase;

  private constructor(options: Partial<KnowledgeBaseOptions>) {
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', this.remote]);
    this.base = new KnowledgeBase({ dir: this.dir, env: ENV, ...options });
  }

  static async make(
    options: Partial<KnowledgeBaseOptions> & { readonly hasRemote?: boolean } = {},
  ): Promise<ScratchBase> {
    const { hasRemote = false, ...rest } = options;
    const scratch = new ScratchBase(rest);
    await scratch.base.init(hasRemote ? scratch.remote : undefined);
    return scratch;
  }

  /** Makes another clone of the remote, as on another machine. */
  async clone(name: string): Promise<KnowledgeBase> {
    const base = new KnowledgeBase({ dir: join(this.root, name), env: ENV });
    await base.init(this.remote);
    return base;
  }

  git(...args: string[]): string {
    return execFileSync('git', ['-c', 'user.name=hand', '-c', 'user.email=hand@localhost', ...args], {
      cwd: this.dir,
      encoding: 'utf8',
    });
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.dir, path)), { recursive: true });
      writeFileSync(join(this.dir, path), text);
    }
  }

  /** Commits as a person does, without aish. */
  commitByHand(files: Readonly<Record<string, string>>): void {
    this.write(files);
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message', 'by hand');
  }

  /** Returns the changes; empty if nothing differs from the last commit. */
  status(): string {
    return this.git('status', '--porcelain', '--untracked-files=all');
  }

  remove(): void {
    this.base.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}
