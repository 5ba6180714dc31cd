import type { Command } from '../shell/command.js';
import { readsOnlySed } from './read-only-code.js';
import { table } from './table.js';

export const EDITING = table`
rule    edit.in-place  medium  edits files in place
why     the old content is replaced and cannot be restored without a copy

program sed gsed
  odd     ${editsInPlace}  -i is in a cluster, with a suffix behind it
  stops   sed -i 's/a/b/' f ; sed -i.bak 's/a/b/' f ; sed -ni '1p' f ; sed -Ei 's/a/b/' f ; sed --in-place 's/a/b/' f
  passes  sed 's/a/b/' f ; sed -n '1,5p' f ; sed -e s/i/j/ f
program aish-edit   loses *   stops aish-edit a.txt   passes aish-edit
program perl ruby
  odd     ${rewritesInput}  -i is in a cluster, and -Mlist has an i too
  stops   perl -pi -e 's/a/b/' f ; perl -i.bak -ne 'print' f
  passes  perl -ne 'print' f ; perl -MList::Util -e 'print 1'
program awk gawk
  odd     ${loadsInplace}  -i loads a library, and the one of this name edits
  stops   gawk -i inplace '{print}' f ; awk -i inplace '{print}' f ; gawk --include=inplace 1 f ; gawk -pf.txt 1 ; gawk --profile=f 1 ; awk --pretty-pri=f 1 ; gawk --inc=inplace 1 f
  passes  awk '{print}' f ; awk -Fo '{print}' f ; awk -v d=1 '{print}' f
program yq tomlq xq   loses -i|--inplace|--in-place   stops yq -i '.a=1' f.yml   passes yq '.a' f.yml
program gofmt goimports shfmt   loses -w|--write   stops gofmt -w .   passes gofmt -l .
program prettier   loses -w|--write|--fix|--apply|--apply-unsafe   stops prettier --write .   passes prettier --check .
program biome   complete   loses --write|--fix|--apply|--apply-unsafe, clean|upgrade   stops biome check --write .   passes biome format a.ts ; biome check .
program xmlstarlet   loses ed -L|--inplace   stops xmlstarlet ed -L -d x a.xml   passes xmlstarlet sel -t a.xml
program crudini   loses --set|--del|--merge   stops crudini --set a.ini b c d   passes crudini --get a.ini b c
program dasel   loses put|delete !-o|--out   stops dasel put -f a.json x   passes dasel -f a.json x
program sd   loses !-p|--preview * * *   stops sd a b f   passes sd -p a b f ; sd a b
program ruplacer   loses --go   stops ruplacer --go a b   passes ruplacer a b
program patch gpatch
  values  -p -d -i -o --input --directory
  dry     --dry-run
  loses   !-o|--output ...
  stops   patch -p1 < x.diff
  passes  patch --dry-run -p1 < x.diff ; patch -o - a x.diff
program tidy   loses -m|-modify   stops tidy -m a.html   passes tidy a.html
program ast-grep sg   loses -U|--update-all   stops ast-grep run -p a -r b -U   passes ast-grep run -p a
program augtool   loses -s|--autosave   odd ${saves}  save may stand inside of a word   stops augtool -s set /files/etc/hosts/1/ipaddr x   passes augtool print /files/etc/hosts
program yadm   loses decrypt !-l   stops yadm decrypt   passes yadm status
program chezmoi   loses apply|update|destroy|forget|remove|purge, init --apply   stops chezmoi apply   passes chezmoi init x ; chezmoi diff
program update-alternatives   loses --set|--remove|--remove-all|--config|--auto|--set-selections|--all   stops update-alternatives --set editor x   passes update-alternatives --list editor
program mlr   loses -I   stops mlr -I --csv sort -f a f   passes mlr --csv sort -f a f
program clang-format autopep8 yapf toml csslint   loses -i|--in-place|--inplace   stops clang-format -i a.c   passes clang-format a.c
program rpl jscodeshift   unless -s|--dry-run|-d|--dry   loses *   stops rpl a b f   passes rpl --dry-run a b f
program codemod replace hexedit bspatch debconf-set-selections vise
  loses   ...
  stops   codemod a b
  passes  codemod --help

rule    edit.sed-writes  medium  sed writes a file
why     the file that the w command names is emptied first

program sed gsed
  odd     ${writesFile}  it is in sed's own code
  stops   sed 'W f' a ; sed 'y/a/b/;wold.log' a ; sed -n '/a/w out.txt' f ; sed 's/a/b/w out.txt' f
  passes  sed 's/a w b/c/' f ; sed -n 's/a/b/w /dev/stdout' f

rule    edit.sed-runs  high  sed runs its input as commands
why     lines of a file become shell commands

program sed gsed
  odd     ${runsLines}  it is in sed's own code
  stops   sed '1e rm x' f ; sed 's/.*/rm &/e' f
  passes  sed 's/e/f/' f ; sed '/the/d' f ; sed '/a/ s/b/e /' f ; sed -e 's/a/e/g' f

rule    edit.scripted-editor  medium  an editor saves a file automatically
why     the old content is replaced

program vim vi nvim view
  odd     ${savesByItself}  it is in the editor's own code
  stops   vim -c '%s/a/b/g' -c wq f
  passes  vim f ; vim -c 'set nu' f
program ex
  odd     ${exSaves}  a file of commands cannot be seen
  stops   ex -sc "%s/a/b/|x" f ; ex f < commands
  passes  ex f
program ed
  odd     ${savesByItself}  it is in the editor's own code
  stops   printf '%s\n' '1d' w q | ed -s f ; ed f <<< $'1d\nw\nq'
  passes  ed f
program emacs   odd ${emacsSaves}  it is in Lisp   stops emacs --batch f --eval '(save-buffer)'   passes emacs f

rule    edit.accounts  high  edits a file that the system depends on
why     a mistake there can lock people out

program visudo vipw vigr edquota sudoedit virt-edit
  loses !-c|--check ...   reads -c|--check   harmless -c --check -q --quiet -s --strict   stops visudo ; visudo -s   passes visudo -c
`;

const codeOf = (c: Command, language?: string): string =>
  c.snippets
    .filter((snippet) => language === undefined || snippet.language === language)
    .map(({ text }) => text)
    .join('\n');

function editsInPlace({ args }: Command): boolean {
  return args.some((arg) => /^(-[nErszu]*i|--i)/.test(arg) || /^-[a-zA-Z]*i\.?\w*$/.test(arg));
}

function rewritesInput({ args }: Command): boolean {
  return args.some((arg) => /^-(?!M|I|e$|E$)[a-zA-Z0-9]*i/.test(arg) && !/^-(e|E)/.test(arg));
}

function loadsInplace({ args }: Command): boolean {
  const end = args.findIndex((arg) => !arg.startsWith('-'));
  const own = end === -1 ? args : args.slice(0, end);
  if (own.some((arg) => /^(-[dop]|--(p[\w-]*|d[\w-]*)=|--i[\w-]*=inplace$)/.test(arg))) return true;
  return args.some(
    (arg, at) => (arg === 'inplace' && /^-i$|^--include$/.test(args[at - 1] ?? '')) || arg === '-iinplace',
  );
}

function saves({ args }: Command): boolean {
  return /\bsave\b/.test(args.join(' '));
}

function writesFile(c: Command): boolean {
  const code = codeOf(c, 'sed');
  if (!readsOnlySed(code) && /(^|[;{\n])\s*(\d+|\$)?[wW]\s*(?!\/dev\/(stdout|stderr|null))[\w.~/]/.test(code))
    return true;
  return /(^|[;{\d$/])\s*w\s+(?!\/dev\/(stdout|stderr|null))\S|\/[gpiI\d]*w\s+(?!\/dev\/)\S/.test(code);
}

function runsLines(c: Command): boolean {
  return /(?:^|[;{}\n])\s*(?:\d+|\$|\/[^/]*\/)?\s*e(?:\s+\S|\s*$)|(?:^|[;{}\n]|\d|\$|\/)\s*s([/|,#@!%:])(?:\\.|(?!\1).)*\1(?:\\.|(?!\1).)*\1[gpiIm\d]*e/.test(
    codeOf(c, 'sed'),
  );
}

function savesByItself(c: Command): boolean {
  const text = codeOf(c);
  return (
    /(^|[|:\s])(w|wq|x|wa|wqa|xa|up|update|wq!|w!|x!|ZZ|saveas)(!|\s|$|\|)/m.test(text) ||
    /\b(delete|rename|writefile|system|libcall)\s*\(/.test(text)
  );
}

function exSaves(c: Command): boolean {
  return savesByItself(c) || c.input.kind === 'file';
}

function emacsSaves(c: Command): boolean {
  return /save-buffer|write-region|delete-file|delete-directory|shell-command/.test(codeOf(c));
}
