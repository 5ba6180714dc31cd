import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BACKUP_FORMAT, type BackupManifest, type MakeBackup, type Restored } from '@aish/contracts/backup';
import { VERSION } from '@aish/contracts/health';
import { AishError, isAishError } from '@aish/contracts/problems';
import { LockNamespace, withAdvisoryLock } from '@aish/database/advisory-lock';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import { dumpDatabase } from '@aish/database/dump/dump';
import { restoreDatabase } from '@aish/database/dump/restore';
import { signingKey, signingKeys } from '@aish/database/notifications.repository';
import { listSessionIds } from '@aish/database/sessions.repository';
import { keepToken, takeToken } from '@aish/database/tokens.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import type { Logger } from '@aish/http';
import type { Workspaces } from '@aish/sandbox-client';
import type { KnowledgeService } from '../knowledge/knowledge.service.js';
import { describeFiles, packArchive, removeFolder, unpackArchive } from './archive.js';
import { readWorkspaceTar, type WorkspaceTar } from './workspace-tar.js';

/** A new deployment already has rows in these tables, so they do not block a restore. */
const MADE_AT_START = [
  'api_tokens',
  'audit',
  'signing_keys',
  'notification_channels',
  'knowledge_nodes',
  'knowledge_links',
  'knowledge_index',
  'model_fits',
  'recall_texts',
  'recall_vectors',
];
const LOCK_WAIT_MS = 5_000;

/**
 * Returns whether backups omit a table. Knowledge is large and is rebuilt from git, and a model rebuilds the vectors.
 * Backups omit link-signing keys because a backup must not allow its holder to decide. Browser subscriptions belong to
 * such a key. A bound messenger account may decide, so it is bound again after a restore.
 */
const staysHere = (table: string): boolean =>
  table.startsWith('knowledge_') ||
  table.endsWith('_vectors') ||
  table.startsWith('messenger_') ||
  ['signing_keys', 'push_subscriptions'].includes(table);

/** Exports all data of aish into one file, and restores it. */
export class BackupService {
  constructor(
    private readonly db: Database,
    private readonly knowledge: KnowledgeService,
    private readonly workspaces: Workspaces,
    private readonly logger: Logger,
  ) {}

  /**
   * Passes a backup to `use` as a stream: the database at one moment, the knowledge repository, and the requested
   * workspaces. The manifest lists the parts that could not be saved. The parts are in a temporary folder during the
   * call. @throws AishError `locked` while another backup or restore runs; `file_not_found` for a named session without
   * a workspace
   */
  async make<T>(
    by: string,
    { workspaces }: MakeBackup,
    use: (archive: Readable, manifest: BackupManifest) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    return this.alone(signal, (dir, held) =>
      this.collect(dir, workspaces, held).then(async (manifest) => {
        const done = await use(await packArchive(dir, manifest), manifest);
        await appendAudit(this.db.statements, {
          actor: by,
          action: 'backup.made',
          subject: manifest.createdAt,
          facts: {
            workspaces: manifest.workspaces.length,
            knowledge: manifest.knowledge !== null,
            skipped: manifest.skipped.length,
          },
        });
        return done;
      }),
    );
  }

  /**
   * Restores a backup into an empty aish. The caller's token stays valid even if the restore fails, so that nobody is
   * locked out. @throws AishError `backup_broken`, `not_empty` or `database_newer` before any change; `locked`
   */
  async restore(
    by: { readonly id: string; readonly name: string },
    archive: Readable,
    signal: AbortSignal,
  ): Promise<Restored> {
    return this.alone(signal, async (dir, held) => {
      const manifest = await unpackArchive(archive, dir);
      const putBack = await this.whatStays(by.id);
      await restoreDatabase(this.db.url, manifest, { disposable: MADE_AT_START }, async (into) => {
        // Backups of earlier versions still contain keys.
        for (const { name, columns, path } of manifest.tables.filter((table) => !staysHere(table.name))) {
          held.throwIfAborted();
          await into({ name, columns }, createReadStream(join(dir, path)));
        }
      }).catch(async (error: unknown) => {
        await inTransaction(this.db, putBack);
        throw error;
      });
      await inTransaction(this.db, async (tx) => {
        await putBack(tx);
        await appendAudit(tx, { actor: by.name, action: 'backup.restored', subject: manifest.createdAt });
      });
      const problems: string[] = [];
      const knowledge = await this.restoreKnowledge(dir, manifest, problems, held);
      const workspaces = await this.restoreWorkspaces(dir, manifest, problems, held);
      const { version, createdAt, tables } = manifest;
      return { version, createdAt, tables: tables.length, knowledge, workspaces, problems };
    });
  }

  /**
   * Returns a function that restores the caller's token and the keys of this deployment after all tables were emptied.
   */
  private async whatStays(tokenId: string): Promise<(tx: Tx) => Promise<void>> {
    const token = await takeToken(this.db.statements, tokenId);
    const keys = await signingKeys(this.db.statements);
    return async (tx) => {
      if (token !== null) await keepToken(tx, token);
      for (const { name, key } of keys) await signingKey(tx, name, key);
    };
  }

  private async collect(dir: string, wanted: string, signal: AbortSignal): Promise<BackupManifest> {
    await Promise.all(['database', 'workspaces'].map((name) => mkdir(join(dir, name), { mode: 0o700 })));
    // The workspaces are saved before the database, so that they still contain changes whose verdict arrives during the
    // backup.
    const { saved, skipped } = await this.saveWorkspaces(dir, wanted, signal);
    const database = await dumpDatabase(this.db.url, async ({ migrations, sequences, tables, copy }) => {
      const kept = tables.filter(({ name }) => !staysHere(name));
      const files = kept.map(({ name, columns }) => ({ name, columns: [...columns], path: `database/${name}.copy` }));
      for (const [n, table] of kept.entries()) {
        await pipeline(copy(table), createWriteStream(join(dir, files[n]?.path ?? ''), { mode: 0o600 }), { signal });
      }
      return { migrations: [...migrations], sequences: [...sequences], tables: files };
    });
    const knowledge = (await this.knowledge.bundle(join(dir, 'knowledge.bundle'), signal)) ? 'knowledge.bundle' : null;
    const paths = [
      ...database.tables.map(({ path }) => path),
      ...(knowledge === null ? [] : [knowledge]),
      ...saved.map(({ path }) => path),
    ];
    return {
      format: BACKUP_FORMAT,
      version: VERSION,
      createdAt: new Date().toISOString(),
      ...database,
      knowledge,
      workspaces: saved,
      skipped,
      files: await describeFiles(dir, paths),
    };
  }

  private async sessionsOf(wanted: string): Promise<readonly string[]> {
    if (wanted === 'none') return [];
    return wanted === 'all' ? listSessionIds(this.db.statements) : wanted.split(',');
  }

  private async saveWorkspaces(
    dir: string,
    wanted: string,
    signal: AbortSignal,
  ): Promise<{ readonly saved: BackupManifest['workspaces']; readonly skipped: BackupManifest['skipped'] }> {
    const saved: BackupManifest['workspaces'] = [];
    const skipped: BackupManifest['skipped'] = [];
    for (const sessionId of await this.sessionsOf(wanted)) {
      const path = `workspaces/${sessionId}.tar`;
      try {
        const tar = await this.saveWorkspace(sessionId, join(dir, path), signal);
        saved.push({ sessionId, path, held: tar.held });
        skipped.push(...tar.skipped.map((each) => ({ sessionId, ...each })));
      } catch (err) {
        signal.throwIfAborted();
        // Most sessions have no workspace.
        if (isAishError(err, 'file_not_found', 'not_found')) {
          if (wanted === 'all') continue;
          throw err;
        }
        await rm(join(dir, path), { force: true });
        this.logger.error({ err, sessionId }, 'could not save a workspace');
        const why = err instanceof AishError ? err.message : 'the workspace could not be saved; see the log of the api';
        skipped.push({ sessionId, path: '', why });
      }
    }
    return { saved, skipped };
  }

  private async saveWorkspace(id: string, file: string, signal: AbortSignal): Promise<WorkspaceTar> {
    const { body } = await this.workspaces.backup(id, signal);
    await pipeline(Readable.fromWeb(body as never), createWriteStream(file, { mode: 0o600 }), { signal });
    return readWorkspaceTar(file);
  }

  private async restoreKnowledge(
    dir: string,
    { knowledge }: BackupManifest,
    problems: string[],
    signal: AbortSignal,
  ): Promise<boolean> {
    if (knowledge === null) return false;
    return this.tryRestore(problems, 'the knowledge base', () => this.knowledge.restore(join(dir, knowledge), signal));
  }

  private async restoreWorkspaces(
    dir: string,
    { workspaces }: BackupManifest,
    problems: string[],
    signal: AbortSignal,
  ): Promise<number> {
    let restored = 0;
    for (const { sessionId, path, held } of workspaces) {
      const tar = () => createReadStream(join(dir, path));
      const put = async () => {
        await this.workspaces.putBack(sessionId, tar(), signal);
        if (held !== null) await this.workspaces.putBackHeld(sessionId, held, tar(), signal);
      };
      if (await this.tryRestore(problems, `the workspace of session ${sessionId}`, put)) restored += 1;
    }
    return restored;
  }

  /**
   * Runs one step of a restore after the database is restored. A failure of the step is reported and does not undo the
   * restore.
   */
  private async tryRestore(problems: string[], what: string, act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (err) {
      this.logger.error({ err }, `could not restore ${what}`);
      problems.push(`${what}: ${err instanceof AishError ? err.message : 'see the log of the api'}`);
      return false;
    }
  }

  private alone<T>(signal: AbortSignal, fn: (dir: string, signal: AbortSignal) => Promise<T>): Promise<T> {
    return withAdvisoryLock(
      this.db,
      LockNamespace.backup,
      'all',
      async (held) => {
        const dir = await mkdtemp(join(tmpdir(), 'aish-backup-'));
        try {
          return await fn(dir, held);
        } finally {
          await removeFolder(dir);
        }
      },
      { waitMs: LOCK_WAIT_MS, signal },
    );
  }
}
