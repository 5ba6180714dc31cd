import type { Command } from '../shell/command.js';
import { isSystem } from './paths.js';
import { table } from './table.js';

export const FILE_TOOLS = table`
rule    files.archive-runs  high  an archiver runs a program
why     the program that the option names can do anything with the files

program tar gtar
  odd     ${runsProgram}  -I zstd is a compressor, -I'rm x' is a command
  stops   tar -cf a.tar -I'sed -i d x' b ; tar xf a.tar --to-command=./x ; tar cf a.tar --checkpoint=1 --checkpoint-action=exec=./x b
  passes  tar -I zstd -cf a.tar.zst b ; tar --use-compress-program='zstd -19' -cf a b ; tar --checkpoint-action=dot -cf a b

rule    files.archive-removes  medium  deletes with an archiver
why     members of the archive, or the files added to it, are deleted or overwritten

program tar gtar bsdtar
  loses   --index-file, --delete|--remove-files|--overwrite|--recursive-unlink|--unlink-first|-U
  odd     ${extractsOverSystem}  unpacking over the system's own folders replaces what is there
  stops   tar -cf a.tar --remove-files x ; tar --delet -f a.tar b ; tar tvf a.tar --index-file=f ; tar xzf backup.tgz -C / ; tar -xf etc.tar -C /etc
  passes  tar xf a.tar ; tar czf a.tgz dir ; tar xzf a.tgz -C /tmp/new
program zip   loses -d|--delete|-m|--move   stops zip -d a.zip x ; zip -m a.zip x   passes zip -r a.zip dir
program unzip   loses -o !-p|-l   reads -l|-v|-t|-p|-Z|-Z1   harmless -l -v -t -p -Z -Z1 -q   stops unzip -o a.zip   passes unzip a.zip ; unzip -l a.zip
program 7z 7za 7zz   loses d, -sdel, -aoa, -y   stops 7z d a.7z x ; 7z a -sdel a.7z x   passes 7z x a.7z
program rar unrar   loses d|m|mf, -o+, -df   stops rar d a.rar x   passes rar l a.rar
program ar   odd ${changesMembers}  the mode is one word of letters: rcs   stops ar d a.a x.o ; ar rcs a.a x.o   passes ar t a.a
program jar   loses -u*|--update   odd ${updatesJar}  the mode is one word of letters: uf   stops jar uf a.jar x   passes jar tf a.jar
program unsquashfs   loses -f, -force   stops unsquashfs -f a.sqfs   passes unsquashfs -l a.sqfs
program cpio   loses -u|--unconditional   stops cpio -idu   passes cpio -id

rule    files.duplicates  high  deletes files that it considers superfluous
why     the program chooses which files are deleted

program fdupes jdupes   loses -d|--delete|-N|-H|-L|--linkhard   stops fdupes -rdN .   passes fdupes -r .
program rdfind   complete   odd ${deletesDuplicates}  the options take true or false   stops rdfind -deleteduplicates true .   passes rdfind -n true . ; rdfind -dryrun true -deleteduplicates true .
program bleachbit bleachbit_console bleachbit_console.exe   loses -c|--clean|-s|--shred|-o|--overwrite|-w|--wipe-free-space   stops bleachbit --clean system.cache   passes bleachbit -l
program czkawka_cli   loses -D|--delete-method|--delete-files   stops czkawka_cli dup -d . -D AEN   passes czkawka_cli dup -d .
program duperemove   loses -d   stops duperemove -dr .   passes duperemove -r .
program logrotate   dry -d --debug   loses *   stops logrotate -f /etc/logrotate.conf   passes logrotate -d /etc/logrotate.conf
program journalctl
  values  -u --unit -g --grep -n --lines -S --since -U --until -p --priority -t --identifier -o --output -M -D
  loses   --vacuum-size|--vacuum-time|--vacuum-files|--rotate|--cursor-file|--setup-keys
  reads   !--flush|--sync|--update-catalog|--relinquish-var|--smart-relinquish-var ...
  harmless *
  stops   journalctl --vacuum-time=2d ; journalctl --cursor-file=notes.txt
  passes  journalctl -u nginx
program history   reads $   loses -c|-d|-w   stops history -c   passes history
program ccache   loses -C|--clear|-c|--cleanup   stops ccache -C   passes ccache -s
program exiftool   odd ${setsTags}  an option with a value sets that tag   stops exiftool -Artist=me a.jpg ; exiftool '-gps*=' a.jpg ; exiftool -XMP:all= a.jpg ; exiftool -overwrite_original a.jpg   passes exiftool a.jpg
program dos2unix unix2dos   loses !-n|--newfile|-i|--info *   stops dos2unix a.txt   passes dos2unix -n a.txt b.txt
program strip   loses !-o *   stops strip a.out   passes strip -o b a.out
program stow   dry -n --no --simulate   values -d -t --dir --target   loses -D|--delete|-R|--restow|--adopt   stops stow -D vim   passes stow vim
program tmpreaper   dry -t --test   loses *   stops tmpreaper 7d /tmp   passes tmpreaper --test 7d /tmp
program tmpwatch   dry -t --test   loses *   stops tmpwatch 7d /tmp   passes tmpwatch --test 7d /tmp
program hardlink   dry -n --dry-run   loses *   stops hardlink /srv   passes hardlink -n /srv
program jpegoptim   unless -n|--noaction|-d|--dest|--stdout   loses *   stops jpegoptim a.jpg   passes jpegoptim -n a.jpg
program optipng   unless -simulate|-out|-dir   loses *   stops optipng a.png   passes optipng -simulate a.png
program mogrify fslint   loses *   stops mogrify -resize 50% a.png   passes mogrify --help
`;

function extractsOverSystem({ args }: Command): boolean {
  const extracts = args.some(
    (arg, at) =>
      (at === 0 && /^-?[a-zA-Z]*x/.test(arg) && !arg.startsWith('--')) ||
      /^-[a-zA-Z]*x[a-zA-Z]*$/.test(arg) ||
      arg === '--extract',
  );
  if (!extracts || args.some((arg) => /^(-[a-zA-Z]*k|--keep-old-files|--skip-old-files)$/.test(arg))) return false;
  const folder = args
    .map((arg, at) => (/^(-[a-zA-Z]*C|--directory)$/.test(arg) ? args[at + 1] : /^--directory=(.*)/.exec(arg)?.[1]))
    .find((value) => value !== undefined);
  return folder !== undefined && (folder === '/' || folder === '~' || isSystem(`${folder}/`));
}

function runsProgram({ args }: Command): boolean {
  return args.some((arg, at) => {
    const next = args[at + 1] ?? '';
    const [word = '', ...rest] = arg.split('=');
    const value = rest.length > 0 ? rest.join('=') : next;
    if (/^--(to-c|rmt-c|rsh-c|info-s|new-volume-s)/.test(word)) return true;
    if (word.startsWith('--checkpoint-a')) return value.startsWith('exec=');
    const program = word.startsWith('--use') ? value : /^-[a-zA-Z]*?I(.*)$/.exec(arg)?.[1];
    return program !== undefined && !COMPRESSORS.test(program === '' ? next : program);
  });
}
const COMPRESSORS =
  /^(\S*\/)?(zstd\w*|gzip|pigz|p?bzip2|lbzip2|xz|pixz|pxz|lz4|lzma|lzip|plzip|lzop|brotli|7z[ar]?)(\s+-\S+)*$/;

function changesMembers({ args: [mode = ''] }: Command): boolean {
  return /^-?[a-z]*[drm]/.test(mode);
}

function updatesJar({ args: [mode = ''] }: Command): boolean {
  return /^-?u/.test(mode);
}

function deletesDuplicates({ args }: Command): boolean {
  const text = args.join(' ');
  return /-(deleteduplicates|makehardlinks|makesymlinks) true/.test(text) && !/-(dryrun|n) true/.test(text);
}

function setsTags({ args }: Command): boolean {
  return args.some((arg) => /^-([\w:*]+[<+-]?=|overwrite_original|delete_original)/.test(arg));
}
