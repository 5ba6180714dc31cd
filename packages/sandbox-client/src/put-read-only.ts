import { pack } from 'tar-stream';
import type { Workspaces } from './workspaces.port.js';

/**
 * Puts files into a folder of a workspace that commands read and run, and do not write: what begins with `#!` may be run.
 * @throws AishError as `Workspaces.write`.
 */
export async function putReadOnly(
  workspaces: Pick<Workspaces, 'write'>,
  workspaceId: string,
  folder: string,
  files: ReadonlyMap<string, Buffer>,
  signal: AbortSignal,
): Promise<void> {
  const tar = pack();
  for (const [path, content] of files) {
    const mode = content.subarray(0, 2).toString('latin1') === '#!' ? 0o555 : 0o444;
    tar.entry({ name: `${folder}/${path}`, size: content.length, mode }).end(content);
  }
  tar.finalize();
  await workspaces.write(workspaceId, '.', 'archive', tar, signal);
}
