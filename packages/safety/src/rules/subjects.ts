import { BACKUPS } from './backups.rules.js';
import { CLOUD } from './cloud.rules.js';
import { DATABASE_TOOLS } from './database-tools.rules.js';
import { DATABASE_CLIENTS } from './databases.rules.js';
import { FILES } from './files.rules.js';
import { CLUSTERS } from './clusters.rules.js';
import { CONTAINERS } from './containers.rules.js';
import { LANGUAGE_PACKAGES } from './language-packages.rules.js';
import { MACHINES } from './machines.rules.js';
import { GIT_RULES } from './git.rules.js';
import { GIT_EXTENSIONS } from './git-extensions.rules.js';
import { DESKTOPS } from './desktops.rules.js';
import { KEYS } from './keys.rules.js';
import { MEDIA } from './media.rules.js';
import { SYSTEMS } from './systems.rules.js';
import { PACKAGE_TOOLS } from './package-tools.rules.js';
import { MAIL } from './mail.rules.js';
import { PACKAGES } from './packages.rules.js';
import { DISK_TABLES } from './disks.rules.js';
import { FILE_TOOLS } from './file-tools.rules.js';
import { EDITING } from './editing.rules.js';
import { COMPRESSION } from './compression.rules.js';
import { FORMATTERS } from './formatters.rules.js';
import { REMOVERS } from './removers.rules.js';
import { ODD_TOOLS } from './odd-tools.rules.js';
import { WINDOWS_TOOLS } from './windows.rules.js';
import { SERVICES } from './services.rules.js';
import { ACCOUNTS } from './accounts.rules.js';
import { PROCESS_TABLES } from './processes.rules.js';
import { SETTINGS } from './settings.rules.js';
import { FILESYSTEMS } from './filesystems.rules.js';
import { VOLUMES } from './volumes.rules.js';
import { KERNEL } from './kernel.rules.js';
import { NETWORK } from './network.rules.js';
import { HOMES } from './homes.rules.js';
import { PLATFORMS } from './platforms.rules.js';
import type { TableRule } from './program.js';

/** The tables of all subjects. */
export const SUBJECTS: readonly TableRule[] = [
  ...FILES,
  ...GIT_RULES,
  ...GIT_EXTENSIONS,
  ...DESKTOPS,
  ...KEYS,
  ...MEDIA,
  ...SYSTEMS,
  ...PACKAGE_TOOLS,
  ...CONTAINERS,
  ...CLUSTERS,
  ...MACHINES,
  ...BACKUPS,
  ...CLOUD,
  ...DATABASE_CLIENTS,
  ...DATABASE_TOOLS,
  ...MAIL,
  ...PACKAGES,
  ...DISK_TABLES,
  ...FILESYSTEMS,
  ...FILE_TOOLS,
  ...EDITING,
  ...FORMATTERS,
  ...COMPRESSION,
  ...WINDOWS_TOOLS,
  ...REMOVERS,
  ...ODD_TOOLS,
  ...SERVICES,
  ...ACCOUNTS,
  ...PROCESS_TABLES,
  ...SETTINGS,
  ...VOLUMES,
  ...LANGUAGE_PACKAGES,
  ...PLATFORMS,
  ...HOMES,
  ...KERNEL,
  ...NETWORK,
];
