import { createHash } from 'node:crypto';
import { boundDigest } from '@aish/contracts/bound-digest';
import { AishError } from '@aish/contracts/problems';
import { FoundFile, type BoundFile } from '@aish/contracts/execution-context';
import { z } from 'zod';
import type { HelperEngine } from '../engine/helper.engine.js';
import { keeperCommand } from '../engine/script.js';
import type { HostFolders } from '../host-folders/host-folders.js';

const TIMEOUT_MS = 30_000;
const ANSWER_MAX_BYTES = 4 * 2 ** 20;

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

const Found = z.object({
  /** The folder in which the command begins, with all links resolved. */
  folder: z.string(),
  files: z.array(FoundFile.extend({ real: z.string(), content: z.string() })),
});

/** The current contents of the files that an approval covers. */
interface Contents {
  readonly files: readonly FoundFile[];
  /** Returns the digest of the execution context together with the contents of all these files. */
  readonly digest: (contextDigest: string) => string;
  /**
   * Returns the digest that a grant covers. It includes only programs, input and link targets, because the other named
   * files may change under a grant.
   */
  readonly grantDigest: (contextDigest: string) => string;
}

/** Reads the files that a command names, in the workspace and in host folders, as the command would see them. */
export class ContentReader {
  constructor(
    private readonly helpers: HelperEngine,
    private readonly hostFolders: HostFolders,
  ) {}

  /** Reads the files. @returns null if there is nothing to read */
  async read(
    workspaceId: string,
    folder: string,
    files: readonly BoundFile[],
    hostFolders: readonly string[],
  ): Promise<Contents | null> {
    if (files.length === 0) return null;
    const hasWorkspace = await this.helpers.hasWorkspace(workspaceId);
    if (!hasWorkspace && hostFolders.length === 0) return null;
    const task = {
      command: keeperCommand('contents', folder, JSON.stringify(files)),
      volumes: hasWorkspace ? [this.helpers.workspace(workspaceId, true)] : [],
      binds: (await this.hostFolders.placesOf(hostFolders)).map((place) => ({ ...place, readOnly: true })),
      timeoutMs: TIMEOUT_MS,
      readsAll: true,
    };
    const { exitCode, stdout, stderr } = await this.helpers.run(task, new AbortController().signal, ANSWER_MAX_BYTES);
    if (exitCode !== 0) {
      const last = stderr.trimEnd().split('\n').at(-1) ?? '';
      throw new AishError('engine_unavailable', `The files that the command names cannot be read: ${last}`, {
        retryAfterS: 2,
      });
    }
    const found = Found.parse(JSON.parse(stdout.toString()));
    const place = { folder, real: found.folder };
    const granted = found.files.filter(({ use, path, real }) => use !== 'names' || real !== path);
    return {
      files: found.files.map((file) => FoundFile.parse(file)),
      digest: (contextDigest) => boundDigest(contextDigest, place, found.files, sha256),
      grantDigest: (contextDigest) => boundDigest(contextDigest, place, granted, sha256),
    };
  }
}
