/** How the options of a program are written, as far as the rules need it. */
export interface Tool {
  /** Options that take the next word as their value. */
  readonly values?: string;
  /** Options with which the program changes nothing. A short one may be in a cluster. */
  readonly dry?: string;
  /** Whether `-h` means help. */
  readonly shortHelp?: boolean;
  /** Whether the program's first operand is a subcommand. */
  readonly subcommands?: boolean;
}

const LVM: Tool = { values: '-L -l -n -s --size --extents --name --select -S --config --devices', dry: '-t --test' };

export const TOOLS: ReadonlyMap<string, Tool> = new Map<string, Tool>(
  Object.entries({
    snapraid: { subcommands: true, values: '-c --conf -d --filter-disk -f --filter -l --log' },
    make: {
      values: '-C -f -j -I -o -W --directory --file --makefile',
      dry: '-n --just-print --dry-run --recon -q --question',
    },
    ninja: { values: '-C -f -j -k -l -d', dry: '-n' },
    lvextend: LVM,
    vgcreate: LVM,
    'mkfs.ext2': { dry: '-n' },
    'mkfs.ext3': { dry: '-n' },
    'mkfs.ext4': { dry: '-n' },
    'mkfs.xfs': { dry: '-N' },
    'fsck.exfat': { dry: '-n' },
    ntfsresize: { dry: '-n --no-action -i --info' },
    growpart: { dry: '-N --dry-run', values: '-u --update --free-percent --fudge' },
    xxd: { values: '-l -s -c -g -o -n -len -seek -cols -groupsize -name' },
    uniq: { values: '-f -s -w' },
  } satisfies Record<string, Tool>),
);
