/** One destructive shell idiom. `stops` and `passes` are its tests. */
export interface Pattern {
  readonly id: string;
  readonly title: string;
  readonly expression: RegExp;
  readonly stops: readonly string[];
  readonly passes: readonly string[];
}

/**
 * The static list of the Phase 3 manifest, section 5, its Lua patterns as regular expressions. Biased to false
 * positives: those cost a question, a false negative costs data.
 */
export const PATTERNS: readonly Pattern[] = [
  {
    id: 'files.rm-recursive-force',
    title: 'rm -rf',
    expression: /\brm\s+(?:\S+\s+)*?-(?:[a-zA-Z]*r[a-zA-Z]*f?|[a-zA-Z]*R[a-zA-Z]*)(?=\s|$)[^;&|\n]*/,
    stops: ['rm -rf build', 'rm -r build', 'rm -v -rf /tmp/foo', 'cd x && rm -Rf y', 'rm build -rf'],
    passes: ['ls -rf', 'git rm --cached a', 'echo form -r'],
  },
  {
    id: 'files.rm-force-recursive',
    title: 'rm -fr',
    expression: /\brm\s+(?:\S+\s+)*?-[a-zA-Z]*f[a-zA-Z]*r[a-zA-Z]*(?=\s|$)[^;&|\n]*/,
    stops: ['rm -fr build', 'rm -vfr a'],
    passes: ['tar -fr archive'],
  },
  {
    id: 'files.find-delete',
    title: 'find -delete',
    expression: /\bfind\s+.*?-delete\b/,
    stops: ['find . -delete', "find /tmp -name '*.log' -delete"],
    passes: ['find . -name delete', 'echo -delete'],
  },
  {
    id: 'files.find-exec-rm',
    title: 'find -exec rm',
    expression: /\bfind\s+.*?-exec\s+rm\b[^;]*/,
    stops: ['find . -exec rm {} \\;'],
    passes: ['find . -exec cat {} \\;'],
  },
  {
    id: 'disk.raw-write',
    title: 'write to raw disk',
    expression: />\s*\/dev\/(?:sd[a-z]|nvme\d|vd[a-z]|hd[a-z])\w*/,
    stops: ['cat image > /dev/sda', 'echo 1 >/dev/nvme0n1'],
    passes: ['echo 1 > /dev/null', 'cat /dev/sda'],
  },
  {
    id: 'disk.dd',
    title: 'dd to device',
    expression: /\bdd\s+.*?\bof=\/dev\/\S*/,
    stops: ['dd if=a.img of=/dev/sdb bs=4M'],
    passes: ['dd if=/dev/zero of=file bs=1 count=1'],
  },
  {
    id: 'disk.mkfs',
    title: 'mkfs (format)',
    expression: /\bmkfs(?:\.\w+)?\s+\S+/,
    stops: ['mkfs.ext4 /dev/sdb1', 'mkfs /dev/sdb1'],
    passes: ['which mkfs'],
  },
  {
    id: 'files.shred',
    title: 'shred',
    expression: /\bshred\s+\S+/,
    stops: ['shred -u secret.txt'],
    passes: ['echo shredded'],
  },
  {
    id: 'disk.wipefs',
    title: 'wipefs',
    expression: /\bwipefs\s+\S+/,
    stops: ['wipefs -a /dev/sdb'],
    passes: ['which wipefs'],
  },
  {
    id: 'files.truncate',
    title: 'truncate to zero',
    expression: /\btruncate\s+.*?(?:-s\s*0|--size[= ]0)\b/,
    stops: ['truncate -s 0 important.log', 'truncate -s0 a', 'truncate --size=0 a'],
    passes: ['truncate -s 1G disk.img'],
  },
  {
    id: 'git.push-force',
    title: 'git push --force',
    expression: /\bgit\s+push\b[^;&|\n]*?\s(?:--force(?:-with-lease)?\b|-f(?=\s|$))/,
    stops: ['git push --force', 'git push -f origin main', 'git push origin main --force-with-lease'],
    passes: ['git push', 'git push origin fix-f'],
  },
  {
    id: 'git.reset-hard',
    title: 'git reset --hard',
    expression: /\bgit\s+reset\s+[^;&|\n]*?--hard\b/,
    stops: ['git reset --hard', 'git reset HEAD~1 --hard'],
    passes: ['git reset --soft HEAD~1'],
  },
  {
    id: 'git.clean',
    title: 'git clean -fd',
    expression: /\bgit\s+clean\s+[^;&|\n]*?-[a-zA-Z]*f[a-zA-Z]*/,
    stops: ['git clean -fd', 'git clean -f', 'git clean -xdf'],
    passes: ['git clean -n'],
  },
  {
    id: 'git.branch-delete',
    title: 'git branch -D',
    expression: /\bgit\s+branch\s+[^;&|\n]*?-D\b/,
    stops: ['git branch -D topic'],
    passes: ['git branch -d topic', 'git branch'],
  },
  {
    id: 'database.drop-table',
    title: 'DROP TABLE',
    expression: /\bdrop\s+table\b/i,
    stops: ['psql -c "drop table users"', 'DROP TABLE x'],
    passes: ['psql -c "select 1"'],
  },
  {
    id: 'database.drop-database',
    title: 'DROP DATABASE',
    expression: /\bdrop\s+database\b/i,
    stops: ['psql -c "DROP DATABASE x"'],
    passes: ['createdb x'],
  },
  {
    id: 'database.truncate-table',
    title: 'TRUNCATE TABLE',
    expression: /\btruncate\s+table\b/i,
    stops: ['psql -c "TRUNCATE TABLE x"'],
    passes: ['psql -c "select truncate(1)"'],
  },
  {
    id: 'process.kill-9',
    title: 'kill -9',
    expression: /\bkill\s+-(?:9|KILL|SIGKILL)\b/,
    stops: ['kill -9 123', 'kill -KILL 1'],
    passes: ['kill -0 123', 'skill -9x'],
  },
  {
    id: 'process.pkill-9',
    title: 'pkill -9',
    expression: /\bpkill\s+-(?:9|KILL|SIGKILL)\b/,
    stops: ['pkill -9 node'],
    passes: ['pgrep node'],
  },
  {
    id: 'permission.chmod-777',
    title: 'chmod 777',
    expression: /\bchmod\s+.*?\b0?777\b/,
    stops: ['chmod 777 x', 'chmod -R 0777 /srv'],
    passes: ['chmod 755 x'],
  },
  {
    id: 'permission.chown-root',
    title: 'chown on root path',
    expression: /\bchown\s+.*?\s\/\s*$/,
    stops: ['chown -R me /'],
    passes: ['chown me /srv/x'],
  },
];
