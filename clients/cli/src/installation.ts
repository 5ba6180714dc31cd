import type { Release, UpgradeJournal } from '@aish/contracts/upgrade';
import type { FetchedRelease, GitFolder } from './git-release.js';

/** An aish on this machine that can be upgraded. */
export interface Installation {
  /** The folder of the version that runs. */
  readonly root: string;
  /** The repository that receives new versions. */
  readonly releases: GitFolder;
  readonly journalFile: string;
  /** Makes the new version ready to start, while the old one runs. */
  prepare(found: FetchedRelease): Promise<Release>;
  /** Backs up all data. Returns the path of the file. */
  backUp(to: Release): Promise<string>;
  /** Carries out the upgrade, or continues it after a kill. */
  finish(journal: UpgradeJournal): Promise<UpgradeJournal>;
}
