import type { Command } from '../shell/command.js';
import { exact, has, operands, path } from './arguments.js';
import type { Rule } from './rule.js';

/** Programs that say it in words of their own, which `generic.destructive-word` cannot know. */
const ODD: Readonly<Record<string, (c: Command) => boolean>> = {
  recode: (c) => operands(c).length > 1,
  blockdev: (c) => c.args.some((arg) => /^--(set\w+|flushbufs|rereadpt)$/.test(arg)),
  cdrecord: blanks,
  wodim: blanks,
  xorriso: (c) => exact(c, '-blank', '-format', '-rm', '-rm_r', '-commit'),
  watchtower: () => true,
  'auto-cpufreq': (c) => exact(c, '--install', '--remove', '--force'),
  'salt-key': (c) => has(c, '-d', '-D', '-r', '-R', '--delete', '--delete-all', '--reject', '--reject-all'),
  pass: overwritesEntry,
  gopass: overwritesEntry,
  'vim-cmd': (c) =>
    /\/(destroy|unregister|reload|power\.(off|reset|reboot|shutdown|suspend)|snapshot\.(remove\w*|revert))\b/.test(
      path(c),
    ),
  jail: (c) => has(c, '-r', '-R', '-m'),
  'virt-resize': (c) => operands(c).length > 1,
  'virt-sparsify': (c) => exact(c, '--in-place'),
  bsdtar: unpacksAnywhere,
  tar: unpacksAnywhere,
  gtar: unpacksAnywhere,
};

function blanks(c: Command): boolean {
  return (
    c.args.some((arg) => /^-?(blank|format)=|^-(blank|format)$/.test(arg)) ||
    (has(c, '-v', '-dao') && c.args.some((arg) => arg.endsWith('.iso')))
  );
}

/** `pass generate -f x`, `pass insert -f x`: the old secret is gone. */
function overwritesEntry(c: Command): boolean {
  return /^(generate|insert|cp|copy|init|regenerate)\b/.test(path(c)) && has(c, '-f', '--force', '-i', '--in-place');
}

/** With -P names keep their leading slash: an archive then says where it writes. */
function unpacksAnywhere(c: Command): boolean {
  const [mode = ''] = c.args;
  return (
    (/^-?[a-zA-Z]*x/.test(mode) || has(c, '-x', '--extract', '--get')) &&
    (has(c, '-P', '--absolute-names') || /^-?[a-z]*P/.test(mode))
  );
}

export const ODD_TOOLS: readonly Rule[] = [
  {
    id: 'tool.own-words',
    title: 'deletes, overwrites or stops something, in words of its own',
    why: 'with these words this program changes what is there',
    severity: 'medium',
    tools: Object.keys(ODD),
    matches: (c) => ODD[c.name]?.(c) ?? false,
    stops: [
      'recode latin1..utf8 a.txt',
      'blockdev --setro /dev/sdb',
      'cdrecord blank=fast dev=/dev/sr0',
      'watchtower --run-once',
      'salt-key -D -y',
      'pass generate -f mail',
      'vim-cmd vmsvc/destroy 12',
      'jail -r web',
      'virt-resize --shrink /dev/sda1 a b',
      'bsdtar -xPf a.tar',
    ],
    passes: [
      'recode -l',
      'blockdev --getsize64 /dev/sdb',
      'salt-key -L',
      'pass show mail',
      'pass generate new',
      'vim-cmd vmsvc/getallvms',
      'tar xpf a.tar',
      'tar cPf a.tar /etc',
    ],
  },
];
