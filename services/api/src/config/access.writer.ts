import { Injectable } from '@nestjs/common';
import { canonicalJson } from '@aish/contracts/canonical-json';
import type { WantedChange } from '@aish/contracts/config-changes';
import { AishError } from '@aish/contracts/problems';
import { SecretValue } from '@aish/contracts/secrets';
import { emptySpace, Space } from '@aish/contracts/spaces';
import { lockSpace } from '@aish/database/spaces.repository';
import type { Tx } from '@aish/database/tx';
import { HostsService } from '../hosts/hosts.service.js';
import { ImagesService } from '../images/images.service.js';
import { SecretsService } from '../secrets/secrets.service.js';
import { SpacesService } from '../spaces/spaces.service.js';
import { NOTHING_WRITTEN, type EntryOf, type FileOf, type WriteOptions, type Written } from './written.js';

/** In a dry run, a secret without a value gets this one, which nobody ever sees. */
const NO_VALUE = SecretValue.parse('not-set-yet');

/** Writes changes of what commands may use, with the same checks and audit entries as their own commands. */
@Injectable()
export class AccessWriter {
  constructor(
    private readonly spaces: SpacesService,
    private readonly secrets: SecretsService,
    private readonly images: ImagesService,
    private readonly hosts: HostsService,
  ) {}

  /** Checks what does not depend on the transaction. @throws AishError */
  async check({ kind, change, to }: WantedChange): Promise<void> {
    if (kind === 'space' && change !== 'remove') await this.spaces.check(to as EntryOf<FileOf<'spaces'>>);
  }

  /** Starts the build of an image. @returns its ID */
  begin({ name, to }: WantedChange): Promise<string> {
    return this.images.begin(name, to as EntryOf<FileOf<'images'>>);
  }

  async writeSecret(tx: Tx, { change, name, to }: WantedChange, { by, secrets }: WriteOptions): Promise<Written> {
    if (change === 'remove') await this.secrets.delete(tx, by.name, name);
    else {
      const value = secrets[name] ?? NO_VALUE;
      await this.secrets.write(tx, by.name, name, { value, ...(to as EntryOf<FileOf<'secrets'>>) });
    }
    return NOTHING_WRITTEN;
  }

  async writeSpace(tx: Tx, { change, name, to }: WantedChange, { by }: WriteOptions): Promise<Written> {
    if (change === 'remove') await this.spaces.delete(tx, by.name, name);
    else {
      const access = to as EntryOf<FileOf<'spaces'>>;
      await lockSpace(tx, name);
      await this.spaces.write(tx, by.name, Space.parse({ ...emptySpace(name), ...access }), access);
    }
    return NOTHING_WRITTEN;
  }

  async writeHost(tx: Tx, { change, name, from, to }: WantedChange, options: WriteOptions): Promise<Written> {
    const by = options.by.name;
    if (change === 'remove') {
      await this.hosts.delete(tx, by, name);
      return NOTHING_WRITTEN;
    }
    const { keys, prelude, rollback, ...place } = to as EntryOf<FileOf<'hosts'>>;
    const before = from as EntryOf<FileOf<'hosts'>> | undefined;
    if (before === undefined) await this.hosts.insert(tx, by, { name, ...place });
    else if (isOther(place, before)) await this.hosts.move(tx, by, { name, ...place });
    const { keys: trusted, ...rest } = before ?? { keys: [], prelude: null, rollback: null };
    if (isOther({ keys }, { keys: trusted })) await this.hosts.pin(tx, by, name, keys, trusted);
    if (isOther({ prelude, rollback }, rest)) await this.hosts.writePrelude(tx, by, name, { prelude, rollback });
    if (before?.login === place.login) return NOTHING_WRITTEN;
    return { ...NOTHING_WRITTEN, hosts: [{ name, authorizedKeys: await this.hosts.authorizedKeys(tx, name) }] };
  }

  async writeImage(tx: Tx, { change, name, to }: WantedChange, options: WriteOptions): Promise<Written> {
    const by = options.by.name;
    if (change === 'remove') {
      await this.images.delete(tx, by, name);
      return { ...NOTHING_WRITTEN, afterwards: [() => this.images.removeBuilt(name)] };
    }
    if (options.dryRun) return NOTHING_WRITTEN;
    const build = options.builds.get(name);
    // Somebody has changed the image since its build was started or found unnecessary.
    if (build === undefined)
      throw new AishError('config_changed', `Someone else has changed the image ${name}. Run aish config apply again`);
    await this.images.write(tx, by, 'image.set', { name, recipe: to as EntryOf<FileOf<'images'>>, build });
    return NOTHING_WRITTEN;
  }
}

/** Whether a thing has fields that differ from those of another one. */
function isOther(one: object, other: object): boolean {
  const fields: Readonly<Record<string, unknown>> = { ...other };
  return Object.entries(one).some(([key, value]) => canonicalJson(value) !== canonicalJson(fields[key]));
}
