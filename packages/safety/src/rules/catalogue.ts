import { ACCOUNTS } from './accounts.rules.js';
import { BACKUPS } from './backups.rules.js';
import { CLOUD } from './cloud.rules.js';
import { PLATFORMS } from './platforms.rules.js';
import { CLUSTERS } from './clusters.rules.js';
import { CODE } from './code.rules.js';
import { CONTAINERS } from './containers.rules.js';
import { DATABASES } from './databases.rules.js';
import { DATABASE_TOOLS } from './database-tools.rules.js';
import { DISKS } from './disks.rules.js';
import { FILESYSTEMS } from './filesystems.rules.js';
import { EDITING } from './editing.rules.js';
import { EXHAUSTION } from './exhaustion.rules.js';
import { FETCHED_CODE } from './fetched.rules.js';
import { FETCHED_TREES } from './fetched-trees.rules.js';
import { COMPRESSION } from './compression.rules.js';
import { REWRITES } from './rewrites.rules.js';
import { FORMATTERS } from './formatters.rules.js';
import { HOMES } from './homes.rules.js';
import { FILES } from './files.rules.js';
import { FILE_TOOLS } from './file-tools.rules.js';
import { GENERIC } from './generic.rules.js';
import { GIT_RULES } from './git.rules.js';
import { GIT_EXTENSIONS } from './git-extensions.rules.js';
import { DESKTOPS } from './desktops.rules.js';
import { KEYS } from './keys.rules.js';
import { MEDIA } from './media.rules.js';
import { SYSTEMS } from './systems.rules.js';
import { PACKAGE_TOOLS } from './package-tools.rules.js';
import { GENERIC_DATA } from './generic-data.rules.js';
import { HTTP } from './http.rules.js';
import { MAIL } from './mail.rules.js';
import { MAKERS_RULES } from './makers.rules.js';
import { MACHINES } from './machines.rules.js';
import { NETWORK } from './network.rules.js';
import { KERNEL } from './kernel.rules.js';
import { ODD_TOOLS } from './odd-tools.rules.js';
import { PACKAGES } from './packages.rules.js';
import { LANGUAGE_PACKAGES } from './language-packages.rules.js';
import { REMOVERS } from './removers.rules.js';
import { REDIRECTIONS } from './redirections.rules.js';
import { argumentsOf } from './arguments.js';
import type { TableRule } from './program.js';
import { ruleOf } from './programs.js';
import type { Rule } from './rule.js';
import { SERVICES } from './services.rules.js';
import { SETTINGS } from './settings.rules.js';
import { PROCESSES } from './processes.rules.js';
import { WINDOWS } from './windows.rules.js';
import { VOLUMES } from './volumes.rules.js';

const LISTED: readonly (Rule | TableRule)[] = [
  ...FETCHED_CODE,
  ...FETCHED_TREES, ...EXHAUSTION, ...DISKS, ...FILESYSTEMS, ...VOLUMES, ...FILES, ...FILE_TOOLS, ...EDITING, ...FORMATTERS, ...COMPRESSION, ...REWRITES, ...GIT_RULES, ...GIT_EXTENSIONS, ...DATABASES, ...DATABASE_TOOLS, ...CONTAINERS, ...CLUSTERS,
  ...MACHINES, ...BACKUPS, ...CLOUD, ...PLATFORMS, ...HOMES, ...MAIL, ...WINDOWS, ...HTTP, ...PACKAGES, ...LANGUAGE_PACKAGES, ...SERVICES, ...SETTINGS, ...PROCESSES, ...ACCOUNTS, ...NETWORK, ...KERNEL, ...CODE, ...REDIRECTIONS, ...MAKERS_RULES, ...DESKTOPS, ...KEYS, ...MEDIA, ...SYSTEMS, ...PACKAGE_TOOLS, ...REMOVERS, ...ODD_TOOLS, ...GENERIC, ...GENERIC_DATA,
]; // prettier-ignore

/** Every rule, in the order of evaluation. The first match gives the reason. */
export const RULES: readonly Rule[] = LISTED.map((rule) => ('rows' in rule ? ruleOf(rule, argumentsOf) : rule));

const everywhere = RULES.filter((rule) => rule.tools === undefined);
const byTool = new Map<string, Rule[]>();
for (const rule of RULES) for (const tool of rule.tools ?? []) byTool.set(tool, [...(byTool.get(tool) ?? []), rule]);

/** Returns the rules for a command of this name. */
export const rulesFor = (name: string): readonly Rule[] => {
  const own = byTool.get(name);
  return own === undefined ? everywhere : [...own, ...everywhere];
};
