import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ApiConfig } from '@aish/contracts/config/api.config';
import { isAishError } from '@aish/contracts/problems';
import type { Logger } from '@aish/http';
import { removeFolder, unpackArchive } from './archive.js';
import type { BackupService } from './backup.service.js';

export interface BackupSchedule {
  readonly dir: string;
  readonly everyHours: number;
  /** The number of backups to keep. Older ones are deleted. */
  readonly keep: number;
  readonly workspaces: 'none' | 'all';
}

/** Returns the backup schedule of a configuration, or null if no folder is set. */
export function backupSchedule(
  config: Pick<ApiConfig, 'BACKUP_DIR' | 'BACKUP_EVERY_HOURS' | 'BACKUP_KEEP' | 'BACKUP_WORKSPACES'>,
): BackupSchedule | null {
  const { BACKUP_DIR: dir, BACKUP_EVERY_HOURS: everyHours, BACKUP_KEEP: keep, BACKUP_WORKSPACES: workspaces } = config;
  return dir === undefined ? null : { dir, everyHours, keep, workspaces };
}

const SKIPPED_LOGGED = 20;
const INCOMPLETE = 'the backup lacks some workspace files; `aish backup FILE --verify` lists them';
const LOOK_EVERY_MS = 600_000;
const NAME = /^aish-\d{4}-\d\d-\d\dT\d{6}\.tar\.gz$/;

/** Makes a backup when the newest one in the folder is old enough, verifies it, and deletes old ones. */
export class BackupJob {
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly backups: BackupService,
    private readonly schedule: BackupSchedule | null,
    private readonly logger: Logger,
  ) {}

  start(): void {
    if (this.schedule === null) return;
    const { schedule } = this;
    const look = (): void => {
      this.running = this.running.then(() => this.look(schedule));
    };
    this.timer = setInterval(look, LOOK_EVERY_MS);
    look();
  }

  async stop(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    this.stopping.abort();
    await this.running;
  }

  /** Checks once whether a backup is due. Errors are logged, and the next check tries again. */
  async look(schedule: BackupSchedule): Promise<void> {
    if (this.stopping.signal.aborted) return;
    try {
      await mkdir(schedule.dir, { recursive: true, mode: 0o700 });
      const names = await backupsIn(schedule.dir);
      const newest = names.at(-1);
      const age = newest === undefined ? Infinity : Date.now() - (await stat(join(schedule.dir, newest))).mtimeMs;
      if (age < schedule.everyHours * 3_600_000) return;
      const file = await this.write(schedule);
      await retain(schedule);
      this.logger.info({ file }, 'made and verified a backup');
    } catch (err) {
      // Another api is making the backup.
      if (!isAishError(err, 'locked', 'aborted')) this.logger.error({ err }, 'could not make the scheduled backup');
    }
  }

  private async write({ dir, workspaces }: BackupSchedule): Promise<string> {
    return this.backups.make(
      'schedule',
      { workspaces },
      async (archive, { createdAt, skipped }) => {
        const file = join(dir, `aish-${createdAt.slice(0, 19).replaceAll(':', '')}.tar.gz`);
        const part = `${file}.part`;
        try {
          await pipeline(archive, createWriteStream(part, { mode: 0o600 }), { signal: this.stopping.signal });
          await verify(part);
          const handle = await open(part, 'r');
          try {
            await handle.sync();
          } finally {
            await handle.close();
          }
          await rename(part, file);
          if (skipped.length > 0) this.logger.warn({ file, skipped: skipped.slice(0, SKIPPED_LOGGED) }, INCOMPLETE);
        } finally {
          await rm(part, { force: true });
        }
        return file;
      },
      this.stopping.signal,
    );
  }
}

/** Returns the names of the backups in a folder, oldest first. */
async function backupsIn(dir: string): Promise<string[]> {
  return (await readdir(dir)).filter((name) => NAME.test(name)).toSorted();
}

async function retain({ dir, keep }: BackupSchedule): Promise<void> {
  const names = await backupsIn(dir);
  for (const name of names.slice(0, Math.max(0, names.length - keep))) await rm(join(dir, name));
}

/** @throws AishError `backup_broken` */
async function verify(file: string): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'aish-verify-'));
  try {
    await unpackArchive(createReadStream(file), dir);
  } finally {
    await removeFolder(dir);
  }
}
