import type { HostFolderOffer } from '@aish/contracts/host-folders';
import type { NewTurn } from '@aish/contracts/sessions';
import type { Space } from '@aish/contracts/spaces';
import {
  folderNotice,
  hostNotice,
  imageNotice,
  networkNotice,
  noticeTurn,
  secretsNotice,
  spaceTurn,
} from '@aish/prompt';
import { findImage } from '@aish/database/images.repository';
import { listHosts } from '@aish/database/hosts.repository';
import { secretsOfSession, writeSessionSecrets } from '@aish/database/secrets.repository';
import { placeInSpace } from '@aish/database/spaces.repository';
import type { Tx } from '@aish/database/tx';

export interface NewAccess {
  readonly space: Space;
  readonly hosts: readonly string[];
  readonly hostFolders: readonly string[];
}

/**
 * Gives a new session the access of its space.
 *
 * @param offers the available folders. There are none while the sandbox is unavailable.
 * @returns the notice to the model. It lists only the access that exists.
 */
export async function openInSpace(
  tx: Tx,
  sessionId: string,
  { space, hosts, hostFolders }: NewAccess,
  offers: readonly HostFolderOffer[],
): Promise<readonly NewTurn[]> {
  await placeInSpace(tx, sessionId, space);
  await writeSessionSecrets(tx, sessionId, space.secrets);
  const secrets = space.secrets.length === 0 ? [] : await secretsOfSession(tx, sessionId);
  const known = hosts.length === 0 ? [] : (await listHosts(tx)).filter(({ name }) => hosts.includes(name));
  const image = space.image === null ? null : await findImage(tx, space.image);
  const folders = offers.filter(({ name }) => hostFolders.includes(name));
  const notices = [
    ...(image === null ? [] : [imageNotice(image.image.name, image.recipe.packages)]),
    ...(folders.length === 0 ? [] : [folderNotice(folders)]),
    ...(known.length === 0 ? [] : [hostNotice(known)]),
    ...(space.network.mode === 'none' ? [] : [networkNotice(space.network)]),
    ...(secrets.length === 0 ? [] : [secretsNotice(secrets)]),
  ];
  const instructed = space.instructions.trim() === '' ? [] : [spaceTurn(space)];
  return [...instructed, ...notices.map((content) => noticeTurn(content))];
}
