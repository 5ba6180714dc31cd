import { createReadStream, renameSync, mkdirSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AishError } from '@aish/contracts/problems';
import { WholeOutput } from './whole-output.js';

export interface OutputBounds {
  /** UTF-8 bytes of the beginning of one output; 0 keeps none. */
  readonly oneMaxBytes: number;
  /** Of all outputs together, about: more until the next sweep. */
  readonly allMaxBytes: number;
}

export interface StoredOutput {
  readonly sizeBytes: number;
  /** Left out of its middle. */
  readonly omittedBytes: number;
  readonly body: NodeJS.ReadableStream;
}

const NAME = /^([0-9a-f-]{36})\.(\d+)$/;
const PART_MAX_AGE_MS = 48 * 3_600_000;

/** Long outputs, a file each in the folder of their workspace: `RUN.BYTES`, with how many bytes are left out. */
export class OutputStore {
  constructor(
    private readonly folder: string,
    private readonly bounds: OutputBounds,
  ) {}

  writer(workspaceId: string, runId: string, onError: (error: unknown) => void): WholeOutput {
    const at = (end: string | number) => join(this.folder, workspaceId, `${runId}.${end}`);
    return new WholeOutput(at('part'), this.bounds.oneMaxBytes, at, onError);
  }

  /** @throws AishError `not_found`: it was short, or is not kept any more. */
  async open(workspaceId: string, runId: string): Promise<StoredOutput> {
    const file = await this.find(workspaceId, runId);
    if (file === null) throw new AishError('not_found', `There is no whole output of run ${runId}`);
    const { path, omittedBytes } = file;
    const { size } = await stat(path);
    return { sizeBytes: size, omittedBytes, body: createReadStream(path) };
  }

  /** Makes the output of a run that of another: what a preview printed is what the action that keeps it printed. */
  async handOn(workspaceId: string, from: string, to: string): Promise<void> {
    const file = await this.find(workspaceId, from);
    if (file !== null) renameSync(file.path, join(this.folder, workspaceId, `${to}.${file.omittedBytes}`));
  }

  async remove(workspaceId: string): Promise<void> {
    await rm(join(this.folder, workspaceId), { recursive: true, force: true });
  }

  /** Removes the oldest until all together are within bounds, and what a crash left unfinished. */
  async sweep(): Promise<void> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const files: { readonly path: string; readonly size: number; readonly at: number }[] = [];
    for (const workspaceId of await readdir(this.folder)) {
      for (const name of await this.namesIn(workspaceId)) {
        const path = join(this.folder, workspaceId, name);
        const found = await stat(path).catch(unlessGone);
        if (found === null) continue;
        const isLeft = !NAME.test(name) && Date.now() - found.mtimeMs > PART_MAX_AGE_MS;
        if (isLeft) await rm(path, { force: true });
        else files.push({ path, size: found.size, at: found.mtimeMs });
      }
    }
    let total = files.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of files.toSorted((one, other) => one.at - other.at)) {
      if (total <= this.bounds.allMaxBytes) return;
      await rm(path, { force: true });
      total -= size;
    }
  }

  private async find(
    workspaceId: string,
    runId: string,
  ): Promise<{ readonly path: string; readonly omittedBytes: number } | null> {
    for (const name of await this.namesIn(workspaceId)) {
      const [, id, omitted] = NAME.exec(name) ?? [];
      if (id === runId) return { path: join(this.folder, workspaceId, name), omittedBytes: Number(omitted) };
    }
    return null;
  }

  private async namesIn(workspaceId: string): Promise<readonly string[]> {
    return (await readdir(join(this.folder, workspaceId)).catch(unlessGone)) ?? [];
  }
}

function unlessGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
