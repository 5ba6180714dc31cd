import { parsePatterns, type Pattern } from './pattern.js';

/** How a program is used when it only reads and prints. */
export interface Reads {
  /** Options that neither write, run nor open anything. `*` alone means all options of the program. */
  readonly harmless: readonly string[];
  /** The uses that only read. Empty if the program only reads with any operands. */
  readonly patterns: readonly Pattern[];
}

/**
 * Programs without a row in the table, because they destroy nothing. A line is `names: harmless options`, and after a
 * second colon the patterns of the read-only uses. `-[abc]` means `-a -b -c`. `*` in an option matches any text.
 */
const READERS = `
ls ll la dir vdir pwd echo printf head tail cat egrep fgrep grep zgrep wc tr cut paste join comm diff colordiff cmp stat: *
du df free uptime uname whoami who w id groups users last lastb lastlog tty printenv locale cal ncal bc expr test [: *
true false : sleep seq factor numfmt basename dirname realpath readlink tac rev nl fold fmt column expand unexpand od: *
hexdump hd strings base64 base32 md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum which whereis: *
type whatis apropos help locate mlocate plocate exa eza lsd pstree ps vmstat iostat mpstat pidstat netstat ping ping6: *
traceroute traceroute6 tracepath mtr dig nslookup host whois getent findmnt lscpu lspci lsusb lsmem lsmod modinfo lsns: *
jobs lsblk lsattr getfacl getcap namei acpi nproc arch dumpe2fs jq gron yamllint csvlook csvstat pup readelf c++filt pidof: *
pwdx pmap look spell figlet lolcat fortune cd pushd popd times getconf shellcheck hadolint tokei duf dust procs: *
datamash ministat pg_isready pg_config mysqlshow ipcs lsipc lslocks lslogins mountpoint getenforce sestatus aa-status: *
atq lpstat lpq runlevel logname tput clear rpm2cpio zipinfo ts pbpaste ipcalc sipcalc xzcat bzcat: *
fd fdfind: *: ...
sort: -[bdfgiMhnRrVcCmsuz] -k* -t* -S* --reverse --unique --numeric-sort --key --field-separator --human-numeric-sort
sort: --version-sort --ignore-case --stable --check --zero-terminated --parallel --general-numeric-sort --sort --merge
uniq: -[cdDuiz] -f* -s* -w* --count --repeated --unique --ignore-case --all-repeated: $, * $
xxd: -[apbceEiur] -l* -s* -c* -g* -ps: $, * $
tree: -[adfilpshugDFqrtxJXCnNASUvc] -L* -P* -I* --dirsfirst --noreport --du --si --gitignore --prune --filelimit
tree: --timefmt --charset --filesfirst --sort --matchdirs --ignore-case --inodes --device
file: -[biLhkzsprN0] -F* --brief --mime --mime-type --mime-encoding --dereference --extension
less more most zless zmore bzless xzless: -[SRNFXiInrMmEefsg] -p* -x* --quit-if-one-screen --raw-control-chars --chop-long-lines
bat batcat: -[npA] -l* -r* -H* --plain --paging --style --color --language --line-range --number --show-all --theme
bat batcat: --decorations --wrap --list-themes --list-languages --tabs --diff
rg: -[abcFhHiIlLnNoPqsSUuvVwxz0.p] -A* -B* -C* -e* -f* -g* -m* -M* -r* -t* -T* -j* -d* -E* --files --hidden --no-* --type
rg: --type-not --glob --iglob --files-with-matches --files-without-match --count --count-matches --context --after-context
rg: --before-context --max-count --max-depth --max-filesize --line-number --color --colors --heading --json --sort --sortr
rg: --stats --multiline --fixed-strings --ignore-case --smart-case --word-regexp --only-matching --replace --type-list
rg: --vimgrep --column --trim --pcre2 --text --follow --passthru --null --invert-match --regexp --with-filename --pretty
ag ack: -[ilLnrvwcsQRuahHfogxk1] -A* -B* -C* -G* -m* --hidden --ignore --ignore-dir --type --nocolor --nogroup --color --count
diff3: -[mAeExX3TaLi] --merge --text
sdiff: -[slbwBiEtda] -w* --suppress-common-lines --width --left-column --ignore-*
zdiff: -[uwbBiqsyNr] --unified --brief
man: -[kfawKdIl] -S* --where --all --apropos --whatis --path
info: -[aw] --subnodes --all --where --usage
tldr neofetch fastfetch screenfetch pvscan vgscan speedtest:
sar: -[urqbBdSWRApFwIHh] -n* -P* -f* -s* -e*
lsof: -[inPctlabRTUN] -i* -p* -u* -c* -d* -s* -F*
ss: -[tulnpaeomis460rHxwObTMN] --tcp --udp --listening --numeric --processes --all --summary --info --extended --no-header
blkid: -[spodikL] -o* -s* -t* --output --match-tag --match-token --probe --uuid --label
lshw: -C* -class -short -json -xml -html -businfo -sanitize -quiet -numeric -notime
dmidecode: -[tsqu] -t* -s* --type --string --quiet
hwinfo: --short --cpu --disk --network --memory --gfxcard --usb --pci --netcard --sound --block --partition --storage --bios
inxi: -[FxzbCDGIMNPRSmnpiud]
sensors: -[uAfj] --no-adapter
upower: -[iedb] --dump --enumerate --show-info
zdb: -[lCdbcuvh]
lvs vgs pvs lvdisplay vgdisplay pvdisplay lvscan: -[avsmPcC] -o* -O* -S* --units --noheadings --options --all --segments --nosuffix
lvs vgs pvs lvdisplay vgdisplay pvdisplay: --separator --sort --reportformat --select --columns --aligned
xmllint: --xpath --noout --format --valid --schema --html --recover --huge --nonet --noblanks
jsonlint: -[qcs] --quiet --compact
htmlq: -[tpa] --text --attribute --pretty
apt-cache: -[qainf] --names-only --installed --no-* --recurse --full --important
dpkg-query: -[WlLSspc] -f* --show --list --listfiles --search --status --showformat
rpmquery: -[qailfRcdp] --queryformat --qf --last --requires --provides --changelog --whatrequires --scripts --list --info
repoquery: -[ilaq] --requires --whatrequires --list --info --installed
pkgfile: -[lsrv]
equery qlist: -[ICvUaq]
ldd: -[vudr]
nm: -[aACDgunSPrBpl] --demangle --defined-only --extern-only --undefined-only --dynamic --size-sort --numeric-sort
objdump: -[dDxtTshpfrRSCajlgG] -M* -j* --disassemble* --section --syms --start-address --stop-address --no-*
size: -[ABdoxt]
addr2line: -[afipCs] -e*
pgrep: -[afilnovxcLrF] -u* -U* -P* -g* -t* -d* --full --list-name --list-full --oldest --newest --count --exact
cowsay: -[bdgpstwy]
zcat zstdcat lz4cat: -[fvqkc]
gzip xz bzip2: -[vqd] --verbose --quiet --decompress: -t|--test|-l|--list|-c|--stdout
dirs: -[lpv]
cloc: --by-file --by-file-by-lang --exclude-dir --include-lang --quiet --json --yaml --csv --md
scc: -[awivz] -s* -i* -f* --by-file --no-* --exclude-dir --include-ext --sort --format
jc: -[a-z] --*: $
delta: -[sn] --side-by-side --line-numbers --dark --light
diffstat: -[Cmnlkw] -p*
dstat: -[cdngymslrtap]
stern: -[Ac] -n* -l* -t* --namespace --tail --since --selector --container --timestamps
kubeconform kubeval: -summary -strict -verbose --strict
ip: -[46dosjpcrht] -n* -br -brief -color -json -details -stats -statistics -oneline -netns: a|addr|address|l|link|r|ro|route|n|neigh|neighbour|rule|maddr|netns|vrf|tunnel $, a|addr|address|l|link|r|ro|route|n|neigh|neighbour|rule|maddr|netns|vrf|tunnel s|sh|show|list|ls|lst|get
ifconfig: -[as]: $, * $
sysctl: -[aneNq] --all --values --names: $, !*=* $
rsync: -[avrltnh] --contimeout* --timeout* --list-only --no-motd: rsync://* $
redis-cli valkey-cli: -n* -h* -p* --scan --pattern*: info|dbsize|ping|time, ttl|type|exists|strlen *, memory usage *, config get *, slowlog get, client list, --scan
find gfind bfs: -[HLP] -O* -name -iname -path -ipath -wholename -regex -iregex -regextype -type -xtype -size -mtime -atime
find gfind bfs: -ctime -mmin -amin -cmin -newer* -perm -user -group -uid -gid -nouser -nogroup -empty -maxdepth -mindepth
find gfind bfs: -depth -d -prune -print -print0 -printf -ls -not -and -or -a -o -follow -mount -xdev -links -inum -samefile
find gfind bfs: -readable -writable -executable -quit -true -false -daystart -lname -ilname -noleaf -exec -execdir: ...
dmesg: -[THtkuxwdPreL] -l* -f* --human --ctime --level --facility --follow --kernel --reltime --decode --time-format --since
dmesg: --until --nopager --color: ...
export alias: -[p]: $
env: : $
read declare local typeset readonly unset let shift break continue exit return wait mapfile readarray getopts: *: ...
set: -[euxvEfhC] -o +*: $, pipefail|errexit|nounset|xtrace|noclobber|noglob|posix $
swapon: -[s] --show --summary --noheadings --bytes --raw --output: $
ufw: : status
iptables ip6tables: -[nvxLS] -t* -w --line-numbers --list --list-rules --numeric --verbose --table: -L|-S|--list|--list-rules
nft: -[anjsy] : list
nmcli: -[tp] -f* -g* -c* -m* --terse --fields --get-values --colors --pretty: $, d|dev|device|con|connection|c|g|general|r|radio|n|networking $, d|dev|device|con|connection|c|g|general status|show|list, d|dev|device wifi $, d|dev|device wifi list
openssl: -in -noout -text -dates -subject -issuer -enddate -startdate -fingerprint -sha256 -sha1 -connect -servername -showcerts
openssl: -purpose -serial -hash -modulus -pubkey -CAfile -checkend -ext -brief -a -md5 -hex -r -nameopt -inform -alpn -starttls
openssl: -tls1_2 -tls1_3 -quiet -pubout -pubin: x509|s_client|version|verify|ciphers|dgst|asn1parse|crl|list|req, pkey|ec|rsa -pubout
tar gtar bsdtar: -[tvfzjJ] -f* --list --verbose --file --gzip --zstd --exclude* --wildcards -C --directory: -t|--list, tf|tvf|tzf|tvzf|tzvf|ztvf|tjf|tJf|tjvf|tJvf
sed gsed: -[nErsuz] -e* -l* --quiet --silent --expression --regexp-extended --separate --null-data --posix: ...
awk gawk mawk: -F* -v* --csv --posix --re-interval --field-separator --assign: ...
`;

/** Options of wrapper programs that leave only the inner program to be judged. */
const RUNNERS = `
sudo doas: -[nEHSki] -u* -g* --user --group --non-interactive --preserve-env --login
env: -[i0] -u* --ignore-environment --unset
nice ionice: -n* -c* --adjustment
command builtin exec: -[vVpcl]
time: -[pv] -f* --format --verbose --portability
timeout: -s* -k* --signal --kill-after --preserve-status --foreground
stdbuf: -i* -o* -e*
taskset: -[cp]
watch: -[dtcxgbe] -n* --interval --differences --color --no-title
xargs: -[0rtpx] -I* -d* -n* -P* -L* -i* -s* --null --no-run-if-empty --max-args --max-procs --max-lines --delimiter --replace
ssh: -[qtTn46CvAax] -p* -i* -l* -o
su runuser: -[lc] -c* -u* -s* --command --login --user
chroot busybox toybox:
strace ltrace: -[fctTyvq] -e* -p*
`;

export const READ_ONLY: ReadonlyMap<string, Reads> = tableOf(READERS);
export const RUNS_ONLY: ReadonlyMap<string, Reads> = tableOf(RUNNERS);

/** Programs that destroy nothing, although some of them can write files. */
export const READ_ONLY_TOOLS: ReadonlySet<string> = new Set([
  ...[...READ_ONLY].filter(([, { patterns }]) => patterns.length === 0).map(([name]) => name),
  ...'uniq xxd jc godoc jtbl jello jp xsv qsv csvcut csvgrep csvjoin csvsort csvstack csvformat top htop btop atop iotop iftop nethogs glances nmon ncdu nstat dc kube-score'.split(
    ' ',
  ),
]);

function tableOf(text: string): ReadonlyMap<string, Reads> {
  const table = new Map<string, Reads>();
  for (const line of text.split('\n').filter((part) => part !== '')) {
    const end = line.search(/(?<=\S):(?: |$)/);
    const [names, rest] = [line.slice(0, end), line.slice(end + 1)];
    const [options = '', patterns = ''] = rest.split(/:(?= |$)/).map((part) => part.trim());
    for (const name of names.split(' ')) {
      const before = table.get(name) ?? { harmless: [], patterns: [] };
      table.set(name, {
        harmless: [...before.harmless, ...options.split(' ').filter(Boolean).flatMap(each)],
        patterns: [...before.patterns, ...(patterns === '' ? [] : parsePatterns(patterns))],
      });
    }
  }
  return table;
}

/** Expands `-[ab]` to `-a -b`. */
function each(option: string): readonly string[] {
  const letters = /^-\[(.*)\]$/.exec(option)?.[1];
  return letters === undefined ? [option] : letters.split('').map((letter) => `-${letter}`);
}
