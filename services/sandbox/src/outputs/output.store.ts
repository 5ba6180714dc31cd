import { createReadStream, renameSync, mkdirSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AishError } from '@aish/contracts/problems';
import { WholeOutput } from './whole-output.js';

export interface OutputBounds {
  /**
   * The maximum number of UTF-8 bytes that are kept from the beginning of one output. If it is 0, no output is kept.
   */
  readonly oneMaxBytes: number;
  /** The approximate maximum size of all outputs together. They may exceed it until the next sweep. */
  readonly allMaxBytes: number;
}

export interface StoredOutput {
  readonly sizeBytes: number;
  /** The number of bytes that are omitted in the middle. */
  readonly omittedBytes: number;
  readonly body: NodeJS.ReadableStream;
}

const NAME = /^([0-9a-f-]{36})\.(\d+)$/;
const PART_MAX_AGE_MS = 48 * 3_600_000;

/**
 * Stores long outputs, one file each in the folder of their workspace. A file is named `RUN.BYTES`, with the number of
 * omitted bytes.
 */
export class OutputStore {
  constructor(
    private readonly folder: string,
    private readonly bounds: OutputBounds,
  ) {}

  writer(workspaceId: string, runId: string, onError: (error: unknown) => void): WholeOutput {
    const at = (end: string | number) => join(this.folder, workspaceId, `${runId}.${end}`);
    return new WholeOutput(at('part'), this.bounds.oneMaxBytes, at, onError);
  }

  /** Opens the output of a run. @throws AishError `not_found` if the output was short, or is no longer kept */
  async open(workspaceId: string, runId: string): Promise<StoredOutput> {
    const file = await this.find(workspaceId, runId);
    if (file === null) throw new AishError('not_found', `The complete output of run ${runId} is not stored`);
    const { path, omittedBytes } = file;
    const { size } = await stat(path);
    return { sizeBytes: size, omittedBytes, body: createReadStream(path) };
  }

  /** Passes the output of one run to another. An action that adopts its preview also gets the preview's output. */
  async handOn(workspaceId: string, from: string, to: string): Promise<void> {
    const file = await this.find(workspaceId, from);
    if (file !== null) renameSync(file.path, join(this.folder, workspaceId, `${to}.${file.omittedBytes}`));
  }

  async remove(workspaceId: string): Promise<void> {
    await rm(join(this.folder, workspaceId), { recursive: true, force: true });
  }

  /**
   * Removes the oldest outputs until all together are within the limit, and removes unfinished files that a crash left
   * behind.
   */
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
