import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { isTimeZone } from '@aish/contracts/change-windows';
import { AishError } from '@aish/contracts/problems';
import { DEFAULT_SPACE } from '@aish/contracts/space-name';
import { emptySpace, Space, type SetSpace } from '@aish/contracts/spaces';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import { checkHosts } from '../hosts/hosts.service.js';
import { ImagesService } from '../images/images.service.js';
import { listSecrets } from '@aish/database/secrets.repository';
import {
  deleteSpace,
  findSpace,
  listSpaces,
  lockSpace,
  schedulesIn,
  writeSpace,
} from '@aish/database/spaces.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import { HostFolders } from '../sessions/host-folders.js';

/** Manages the access of spaces, for admins. */
@Injectable()
export class SpacesService {
  constructor(
    @Part('db') private readonly db: Database,
    private readonly folders: HostFolders,
    @Part('presetNames') private readonly presets: readonly string[],
    private readonly images: ImagesService,
  ) {}

  async list(): Promise<Space[]> {
    const spaces = await listSpaces(this.db.statements);
    return spaces.some(({ name }) => name === DEFAULT_SPACE) ? spaces : [emptySpace(DEFAULT_SPACE), ...spaces];
  }

  /** @throws AishError `not_found` */
  find(name: string): Promise<Space> {
    return mustFind(this.db.statements, name);
  }

  /**
   * Changes the access of a space, for new sessions. @throws AishError `invalid_body`; `mount_not_allowed`,
   * `host_not_given` or `not_found` for unknown things
   */
  async set(by: string, name: string, change: SetSpace): Promise<Space> {
    await this.check(change);
    return inTransaction(this.db, async (tx) => {
      await lockSpace(tx, name);
      const before = (await findSpace(tx, name)) ?? emptySpace(name);
      return this.write(tx, by, Space.parse({ ...before, ...change }), change);
    });
  }

  /** Checks what the database does not know. @throws AishError as `set` */
  async check(change: SetSpace): Promise<void> {
    await this.folders.check(change.hostFolders ?? []);
    await this.checkImage(change.image ?? null);
    const strange = change.windows?.find(({ timezone }) => !isTimeZone(timezone));
    if (strange !== undefined) {
      throw new AishError(
        'invalid_body',
        `There is no time zone ${strange.timezone}. Use a name such as Europe/Berlin`,
      );
    }
    const { preset = null } = change;
    if (preset !== null && !this.presets.includes(preset)) {
      throw new AishError('invalid_body', `There is no preset ${preset}. The presets are ${this.presets.join(', ')}`);
    }
  }

  /** Writes a whole space that was checked. @param change what the audit log records */
  async write(tx: Tx, by: string, space: Space, change: SetSpace): Promise<Space> {
    const { name } = space;
    await checkHosts(tx, change.hosts ?? []);
    await checkSecrets(tx, change.secrets ?? []);
    await writeSpace(tx, { ...space, changedBy: by });
    await appendAudit(tx, { actor: by, action: 'space.set', subject: name, facts: change });
    return mustFind(tx, name);
  }

  private async checkImage(name: string | null): Promise<void> {
    if (name === null || (await this.images.find(name)).digest !== null) return;
    throw new AishError('invalid_body', `The image ${name} is not built yet. Check its build with: aish image list`);
  }

  /**
   * Removes a space. No session can start in it any more. Removing `general` only empties its access. @throws AishError
   * `not_found`, `busy`
   */
  remove(by: string, name: string): Promise<Space> {
    return inTransaction(this.db, (tx) => this.delete(tx, by, name));
  }

  /** Does the same within the caller's transaction. */
  async delete(tx: Tx, by: string, name: string): Promise<Space> {
    await lockSpace(tx, name);
    const space = await mustFind(tx, name);
    const [schedule] = name === DEFAULT_SPACE ? [] : await schedulesIn(tx, name);
    if (schedule !== undefined) {
      throw new AishError('busy', `Schedule s${schedule} starts goals in the space ${name}. Remove the schedule first`);
    }
    await deleteSpace(tx, name);
    await appendAudit(tx, { actor: by, action: 'space.removed', subject: name });
    return space;
  }
}

async function mustFind(tx: Tx, name: string): Promise<Space> {
  const space = await findSpace(tx, name);
  if (space === null) throw new AishError('not_found', `There is no space ${name}`);
  return space;
}

async function checkSecrets(tx: Tx, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const known = (await listSecrets(tx)).map(({ name }) => name);
  const missing = names.find((name) => !known.includes(name));
  if (missing === undefined) return;
  throw new AishError(
    'not_found',
    `There is no secret ${missing}. Set it first: aish secret set ${missing} --for HOST`,
  );
}
