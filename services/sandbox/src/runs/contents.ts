import { createHash } from 'node:crypto';
import { boundDigest } from '@aish/contracts/bound-digest';
import { AishError } from '@aish/contracts/problems';
import { FoundFile, type BoundFile } from '@aish/contracts/surroundings';
import { z } from 'zod';
import type { HelperEngine } from '../engine/helper.engine.js';
import { keeperCommand } from '../engine/script.js';
import type { HostFolders } from '../host-folders/host-folders.js';

const TIMEOUT_MS = 30_000;
const ANSWER_MAX_BYTES = 4 * 2 ** 20;

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

const Found = z.object({
  /** Where the command begins, its links resolved. */
  folder: z.string(),
  files: z.array(FoundFile.extend({ real: z.string(), content: z.string() })),
});

/** What lies now in the files that a command is approved for. */
interface Contents {
  readonly files: readonly FoundFile[];
  /** The digest of surroundings with all of it. */
  readonly digest: (surroundings: string) => string;
  /** The same with what runs, what is fed, and where links lead: what only lies there may change under a grant. */
  readonly grantDigest: (surroundings: string) => string;
}

/** Reads the files of a command, in the workspace and in folders of the host, as the command would see them. */
export class ContentReader {
  constructor(
    private readonly helpers: HelperEngine,
    private readonly hostFolders: HostFolders,
  ) {}

  /** @returns null where there is nothing to read. */
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
      throw new AishError('engine_unavailable', `What the command names cannot be read: ${last}`, { retryAfterS: 2 });
    }
    const found = Found.parse(JSON.parse(stdout.toString()));
    const place = { folder, real: found.folder };
    const granted = found.files.filter(({ use, path, real }) => use !== 'names' || real !== path);
    return {
      files: found.files.map((file) => FoundFile.parse(file)),
      digest: (surroundings) => boundDigest(surroundings, place, found.files, sha256),
      grantDigest: (surroundings) => boundDigest(surroundings, place, granted, sha256),
    };
  }
}
