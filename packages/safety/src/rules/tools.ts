/** How the options of a program are written, as far as judging it needs that. */
export interface Tool {
  /** Options that take the next word. */
  readonly values?: string;
  /** Options with which it changes nothing. A short one may stand in a cluster. */
  readonly dry?: string;
  /** `-h` means help. */
  readonly shortHelp?: boolean;
  /** Its first operand is a subcommand. */
  readonly subcommands?: boolean;
}

const LVM: Tool = { values: '-L -l -n -s --size --extents --name --select -S --config --devices', dry: '-t --test' };
const JS: Tool = {
  values: '-w --workspace -C --prefix --dir --filter --registry --tag --otp --cwd -F',
  dry: '--dry-run --dryrun',
  shortHelp: true,
  subcommands: true,
};

export const TOOLS: ReadonlyMap<string, Tool> = new Map<string, Tool>(
  Object.entries({
    'cypher-shell': { values: '-u -p -a -d --username --password --address --database' },
    etcdctl: { values: '--endpoints --cacert --cert --key --user', subcommands: true, shortHelp: true },
    pip: {
      values: '-r -c -i --index-url --target -t --python --cache-dir',
      dry: '--dry-run',
      shortHelp: true,
      subcommands: true,
    },
    uv: { dry: '--dry-run', shortHelp: true, subcommands: true },
    pipx: { shortHelp: true, subcommands: true },
    poetry: { dry: '--dry-run', shortHelp: true, subcommands: true },
    conda: { values: '-n --name -p --prefix -c', dry: '--dry-run -d', shortHelp: true, subcommands: true },
    npm: JS,
    pnpm: JS,
    yarn: JS,
    bun: JS,
    gem: { subcommands: true, dry: '--dryrun', values: '-v --version' },
    bundle: { subcommands: true, dry: '--dry-run' },
    composer: { dry: '--dry-run', subcommands: true, values: '-d --working-dir' },
    cargo: {
      shortHelp: true,
      subcommands: true,
      values: '--manifest-path -p --package --target --target-dir --features -j',
      dry: '--dry-run -n',
    },
    rustup: { shortHelp: true, subcommands: true },
    go: { subcommands: true, dry: '-n' },
    gh: {
      values:
        '-R --repo -X --method -H -f -F --jq -t --title -b --body -l --label -a --assignee -m --milestone -B --base --notes -n',
      shortHelp: true,
      subcommands: true,
    },
    glab: {
      values: '-R --repo -t --title -d --description -l --label -m --message',
      shortHelp: true,
      subcommands: true,
    },
    heroku: { values: '-a --app -r --remote', shortHelp: true, subcommands: true },
    fly: { values: '-a --app -c --config', shortHelp: true, subcommands: true },
    flyctl: { values: '-a --app -c --config', shortHelp: true, subcommands: true },
    restic: {
      values:
        '-r --repo --repository-file -p --password-file --cacert -o --option --tag --host -H --path --keep-last --keep-hourly --keep-daily --keep-weekly --keep-monthly --keep-yearly --cache-dir --limit-upload --limit-download --target -t',
      dry: '-n --dry-run',
      shortHelp: true,
      subcommands: true,
    },
    borg: {
      values:
        '--rsh --remote-path -P --prefix -a --glob-archives --umask --lock-wait --keep-daily --keep-weekly --keep-monthly --keep-last',
      dry: '-n --dry-run',
      shortHelp: true,
      subcommands: true,
    },
    borgmatic: { dry: '-n --dry-run', shortHelp: true, values: '-c --config' },
    rclone: {
      values:
        '--config --filter --exclude --include --transfers --checkers --bwlimit --log-file --log-level --max-age --min-age --backup-dir',
      dry: '-n --dry-run',
      shortHelp: true,
      subcommands: true,
    },
    rsync: {
      values:
        '-e --rsh --exclude --include --filter -f --bwlimit --port --log-file --backup-dir --files-from --exclude-from --password-file --chmod --chown --partial-dir --max-size --rsync-path',
      dry: '-n --dry-run --list-only',
    },
    kopia: { shortHelp: true, subcommands: true },
    duplicity: { dry: '--dry-run', values: '--encrypt-key --sign-key --name --archive-dir' },
    rsnapshot: { dry: '-t', values: '-c' },
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
    'fsck.ext4': { dry: '-n' },
    'fsck.ext3': { dry: '-n' },
    'fsck.ext2': { dry: '-n' },
    'fsck.fat': { dry: '-n' },
    'fsck.vfat': { dry: '-n' },
    'fsck.exfat': { dry: '-n' },
    dosfsck: { dry: '-n' },
    ntfsfix: { dry: '-n --no-action' },
    ntfsresize: { dry: '-n --no-action -i --info' },
    growpart: { dry: '-N --dry-run', values: '-u --update --free-percent --fudge' },
    iptables: { dry: '-C --check' },
    ip6tables: { dry: '-C --check' },
    nft: { dry: '-c --check' },
    ufw: { dry: '--dry-run', subcommands: true },
    'iptables-restore': { dry: '-t --test' },
    'ip6tables-restore': { dry: '-t --test' },
    'systemd-tmpfiles': { dry: '--dry-run' },
    modprobe: { dry: '-n --dry-run --show --show-depends -D -c --showconfig' },
    certbot: { dry: '--dry-run', subcommands: true, values: '-d --cert-name' },
    sanoid: { dry: '--readonly' },
    rabbitmqctl: { subcommands: true, values: '-n -p --vhost' },
    nmcli: { subcommands: true, values: '-f -g -m -c -e' },
    ip: { subcommands: true, values: '-n -netns -f' },
    xxd: { values: '-l -s -c -g -o -n -len -seek -cols -groupsize -name' },
    uniq: { values: '-f -s -w' },
    wrangler: { subcommands: true, dry: '--dry-run', shortHelp: true },
    vercel: { subcommands: true, shortHelp: true },
    netlify: { subcommands: true, shortHelp: true },
    firebase: { subcommands: true, shortHelp: true, values: '--project -P' },
    supabase: { subcommands: true, shortHelp: true, dry: '--dry-run' },
    prisma: { subcommands: true, shortHelp: true },
  } satisfies Record<string, Tool>),
);
