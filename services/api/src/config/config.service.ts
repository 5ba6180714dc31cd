import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { canonicalJson } from '@aish/contracts/canonical-json';
import { configChanges, shownChange, type WantedChange } from '@aish/contracts/config-changes';
import {
  CONFIG_FILES,
  type AppliedConfig,
  type ApplyConfig,
  type ConfigChange,
  type ConfigDocument,
} from '@aish/contracts/config-document';
import { readConfigFiles } from '@aish/contracts/config-files';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { lockConfig } from '@aish/database/spaces.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Logger } from '@aish/http';
import { KnowledgeService } from '../knowledge/knowledge.service.js';
import { Part } from '../part.js';
import type { Person } from '../spaces/space-access.js';
import { ConfigWriter } from './config-writer.js';
import type { Written } from './written.js';
import { readConfig } from './read-config.js';

/** The folder of the knowledge base whose files the server is compared with. */
const FOLDER = 'config';

/** Ends the transaction of a dry run, so that nothing is stored. */
class DryRun extends Error {
  constructor(readonly applied: Omit<AppliedConfig, 'needs'>) {
    super('the dry run is over');
  }
}

/** Exports the setup, and applies files: either all of their changes or none. */
@Injectable()
export class ConfigService {
  constructor(
    @Part('db') private readonly db: Database,
    private readonly writer: ConfigWriter,
    private readonly knowledge: KnowledgeService,
    @Part('logger') private readonly logger: Logger,
  ) {}

  show(): Promise<ConfigDocument> {
    return readConfig(this.db.statements);
  }

  /**
   * Applies files in one transaction. A dry run makes the same changes and rolls them back, so it finds every fault that
   * a real run would find.
   *
   * @throws AishError `config_changed` if something else was set up since `base`; `invalid_body` for a secret without a
   *   value; otherwise as the command for the change, with the place of the fault in `errors`
   */
  async apply(by: Person, { config, secrets, base, dryRun }: ApplyConfig): Promise<AppliedConfig> {
    const planned = configChanges(await this.show(), config);
    const needs = planned
      .filter(({ kind, change, name }) => kind === 'secret' && change !== 'remove' && secrets[name] === undefined)
      .map(({ name }) => name);
    if (!dryRun && needs.length > 0) {
      throw new AishError(
        'invalid_body',
        `These secrets need a value: ${needs.join(', ')}. aish config apply asks for them`,
      );
    }
    for (const change of planned) await at(change, () => this.writer.access.check(change));
    const builds = new Map<string, string>();
    if (!dryRun) {
      for (const change of planned) {
        if (change.kind === 'image' && change.change !== 'remove')
          builds.set(change.name, await at(change, () => this.writer.access.begin(change)));
      }
    }
    const { applied, afterwards } = await this.inOne(by, { config, secrets, base, dryRun }, builds);
    for (const work of afterwards) {
      // Everything is stored already. What is left over in the queue or the sandbox does no harm.
      await work().catch((err: unknown) => this.logger.warn({ err }, 'could not clean up after a new configuration'));
    }
    return { ...applied, needs };
  }

  /**
   * Returns the differences from the folder `config` of the knowledge base; null without such a folder.
   *
   * @throws AishError `invalid_body` if a file is not valid
   */
  async drift(signal: AbortSignal): Promise<readonly ConfigChange[] | null> {
    const files = await this.knowledge.filesIn(FOLDER, signal);
    const isConfig = CONFIG_FILES.some((file) => files[`${file}.yaml`] !== undefined);
    if (!isConfig) return null;
    return configChanges(await this.show(), readConfigFiles(files).config).map(shownChange);
  }

  private async inOne(
    by: Person,
    { config, secrets, base, dryRun }: ApplyConfig,
    builds: ReadonlyMap<string, string>,
  ): Promise<{ readonly applied: Omit<AppliedConfig, 'needs'>; readonly afterwards: Written['afterwards'] }> {
    try {
      return await inTransaction(this.db, async (tx) => {
        await lockConfig(tx);
        const before = await readConfig(tx);
        const seen = digestOf(before);
        if (base !== undefined && base !== seen) {
          throw new AishError(
            'config_changed',
            'The configuration has changed in the meantime. Look at the changes again',
          );
        }
        const wanted = configChanges(before, config);
        const written: Written[] = [];
        for (const change of wanted)
          written.push(await at(change, () => this.writer.write(tx, change, { by, secrets, builds, dryRun })));
        const changes = wanted.map(shownChange);
        if (dryRun) throw new DryRun({ changes, base: seen, sources: [], hosts: [] });
        const sources = written.flatMap((each) => each.sources);
        const hosts = written.flatMap((each) => each.hosts);
        return {
          applied: { changes, base: seen, sources, hosts },
          afterwards: written.flatMap((each) => each.afterwards),
        };
      });
    } catch (error) {
      if (error instanceof DryRun) return { applied: error.applied, afterwards: [] };
      throw error;
    }
  }
}

/** Adds the place in the files to an error. */
async function at<T>({ kind, name, path }: WantedChange, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The rules of the brief are a file of their own, and their error names its line already.
    if (!isAishError(error) || error.status >= 500 || path[0] === 'brief.yaml') throw error;
    const errors = [{ path: path.join('.'), message: error.message }];
    throw new AishError(error.code, `${kind} ${name}: ${error.message}`, { ...error.facts, errors }, { cause: error });
  }
}

function digestOf(config: ConfigDocument): string {
  return createHash('sha256').update(canonicalJson(config)).digest('hex');
}
