/** Programs that only read and print, whatever their arguments are (what a redirection does is judged apart). */
export const READ_ONLY_TOOLS: ReadonlySet<string> = new Set(
  (
    'cat ls ll la dir vdir pwd echo printf head tail less more most bat batcat grep egrep fgrep rg ag ack zgrep wc sort uniq cut tr paste join comm diff diff3 cmp colordiff sdiff vimdiff-x ' +
    'file stat du df free uptime uname whoami who w id groups users last lastb lastlog hostname-x tty env-x printenv locale locale-x date-x cal ncal bc dc expr test [ true false : sleep seq factor numfmt ' +
    'basename dirname realpath readlink tac rev nl fold fmt column expand unexpand od hexdump xxd hd strings base64 base32 md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum ' +
    'which whereis type command-x whatis apropos man info tldr help locate mlocate plocate updatedb-x tree exa eza lsd pstree ps top htop btop atop iotop iftop nethogs glances vmstat iostat mpstat sar pidstat nmon ' +
    'lsof ss netstat ping ping6 traceroute traceroute6 tracepath mtr dig nslookup host whois getent arp-scan-x nmap-x ' +
    'lsblk blkid findmnt lscpu lspci lsusb lsmem lshw dmidecode hwinfo inxi lsmod modinfo lsns lsattr getfacl getcap namei smartctl-x sensors acpi upower uptime nproc arch ' +
    'dumpe2fs zdb zfs-x lvs vgs pvs lvdisplay vgdisplay pvdisplay lvscan vgscan pvscan blockdev-x jq gron xmllint yamllint jsonlint csvlook csvstat mlr-x xsv-x pup htmlq ' +
    'apt-cache apt-file dpkg-query dpkg-deb-x rpmquery repoquery pkgfile pacman-x equery qlist ldd nm objdump readelf size addr2line c++filt pgrep pidof pwdx pmap look spell aspell-x figlet cowsay lolcat fortune neofetch fastfetch screenfetch ' +
    'zcat bzcat xzcat zstdcat zless zmore bzless xzless zdiff cd pushd popd dirs jobs times umask-x getconf shellcheck hadolint cloc scc tokei wc ncdu dust duf procs jc datamash ministat ' +
    'pg_isready pg_config mysqlshow mysqld-x redis-benchmark-x ipcs lsipc lslocks lslogins mountpoint swaplabel-x getenforce sestatus aa-status journal-x atq lpstat lpq runlevel who logname tput clear reset-x stty-x speedtest iperf3-x whereami ' +
    'rpm2cpio zipinfo unzip-x lz4cat git-lfs-x delta diffstat fc history-x printf tac shuf-x ts xclip-x pbpaste sysdig-x dstat nstat conntrack-x ipcalc sipcalc bconsole-x kubectx-x stern k9s-x kubeval kubeconform kube-score'
  )
    .split(' ')
    .filter((name) => !name.endsWith('-x')),
);

/** Subcommands, or first words, with which other programs only read. */
export const READ_ONLY_SUBCOMMANDS: Readonly<Record<string, RegExp>> = Object.assign(Object.create(null), {
  git: /^(status|log|diff|show|blame|shortlog|describe|rev-parse|rev-list|ls-files|ls-tree|ls-remote|cat-file|grep|whatchanged|name-rev|merge-base|count-objects|for-each-ref|var|check-ignore|check-attr|show-ref|cherry|range-diff|diff-tree|diff-index|diff-files|verify-commit|verify-tag|fsck|help|version|stash list|stash show|remote -v|remote show|remote$|branch$|branch -[avrl]|tag$|tag -l|worktree list|config (-l|--list|--get)|reflog$|reflog show|submodule status|bisect log|notes (list|show))/,
  docker:
    /^(ps|images|logs|inspect|stats|top|version|info|port|diff|history|events|search|(container|image|volume|network|context|system|stack|service|node|plugin|secret|config|builder|buildx) (ls|list|inspect|df|info|history|logs|stats|top|ps|show|du)|compose (ps|logs|config|images|top|ls|version|port|events))\b/,
  podman:
    /^(ps|images|logs|inspect|stats|top|version|info|port|diff|history|search|(container|image|volume|network|pod|system) (ls|list|inspect|df|info|ps))\b/,
  kubectl:
    /^(get|describe|logs|top|explain|version|cluster-info|api-resources|api-versions|auth can-i|config (view|get-contexts|current-context|get-clusters)|diff|events|rollout (status|history))\b/,
  helm: /^(list|ls|status|history|get|show|search|version|env|template|lint|verify|repo list|dependency list)\b/,
  systemctl: /^(status|show|cat|list-\S+|is-\S+|get-default|help|show-environment)?(\s|$)/,
  journalctl: /^/,
  service: /^\S+ status$/,
  apt: /^(list|show|search|policy|depends|rdepends|changelog|showsrc)\b/,
  dpkg: /^(-l|-L|-s|-S|--list|--status|--search|--get-selections|-c|-I|--print-architecture)/,
  rpm: /^-q/,
  pip: /^(list|show|freeze|check|search|index|debug|help|config (list|get))\b/,
  npm: /^(ls|list|view|info|show|outdated|audit$|search|explain|why|root|prefix|bin|whoami|ping|help|config (list|get))\b/,
  cargo: /^(tree|metadata|search|version|help|verify-project|locate-project|pkgid)\b/,
  go: /^(version|env|list|doc|help|vet)\b/,
  zfs: /^(list|get|diff|holds)\b/,
  zpool: /^(status|list|get|history|iostat|events)\b/,
  ip: /^(-\S+ )*(a|addr|address|l|link|r|route|n|neigh|rule|maddr|netns)?( (show|list|ls|get)\b.*)?$/,
  ifconfig: /^(-a|\S+)?$/,
  virsh:
    /^(list|dominfo|domstate|dumpxml|version|nodeinfo|pool-list|vol-list|net-list|snapshot-list|domblklist|domiflist|domstats)\b/,
  qm: /^(list|config|status|listsnapshot|showcmd|pending)\b/,
  pct: /^(list|config|status|listsnapshot|df|cpusets)\b/,
  pvesm: /^(status|list|path|scan)\b/,
  restic: /^(snapshots|ls|find|stats|check|diff|cat|version|list)\b/,
  borg: /^(list|info|diff)\b/,
  terraform:
    /^(plan|show|output|validate|version|providers|graph|state (list|show)|fmt -check|workspace (list|show))\b/,
  aws: /^\S+ (describe|list|get|ls|head|lookup|search|query|scan)\b/,
  gh: /^(\w+ (view|list|status|diff|checks)|search|status|auth status)\b/,
  mount: /^$/,
  date: /^(\+|-[duRI]|$)/,
  hostname: /^(-\w|$)/,
  sysctl: /^(-a|-n|[\w.]+$)/,
  crontab: /^-l/,
  smartctl: /^(-a|-i|-H|-A|-x|--all|--info|--health|--scan)/,
  find: /^/,
  fd: /^/,
  sed: /^/,
  awk: /^/,
  gawk: /^/,
  dmesg: /^/,
  uniq: /^/,
  env: /^$/,
  export: /^(-p)?$/,
  set: /^$/,
  alias: /^(-p)?$/,
  nginx: /^-[tTvV]/,
  swapon: /^(-s|--show)/,
  ufw: /^status/,
  iptables: /^(-t \w+ )?-[LS]/,
  nft: /^(-\w+ )*list/,
  nmcli: /^(dev|device|con|connection|general|g|radio)?( (status|show|list).*)?$/,
  timedatectl: /^(status|show|$)/,
  hostnamectl: /^(status|$)/,
  loginctl: /^(list|show|session-status|user-status|$)/,
  mdadm: /^(-D|--detail|-E|--examine|-Q|--query)/,
  btrfs: /^(subvolume (list|show)|filesystem (df|show|usage|du)|device (stats|usage)|scrub status|balance status)\b/,
  fdisk: /^-l/,
  parted: /^(-l|-s -l|\S+ print)/,
  efibootmgr: /^(-v)?$/,
  openssl: /^(x509|s_client|version|verify|ciphers|dgst|asn1parse|crl|req -text|list)\b/,
  python: /^(-V|--version)$/,
  node: /^(-v|--version)$/,
  tar: /^-?[a-zA-Z]*t[a-zA-Z]*( |$)/,
  unzip: /^-[lvtpZ]/,
  history: /^\d*$/,
  type: /^/,
  command: /^-[vV]/,
});
