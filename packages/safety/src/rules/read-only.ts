/** Programs that only read and print, whatever their arguments are (what a redirection does is judged apart). */
export const READ_ONLY_TOOLS: ReadonlySet<string> = new Set(
  [
    'cat ls ll la dir vdir pwd echo printf head tail less more most bat batcat grep egrep fgrep rg ag ack zgrep wc',
    'sort uniq cut tr paste join comm diff diff3 cmp colordiff sdiff file stat du df free uptime uname whoami who w',
    'id groups users last lastb lastlog tty printenv locale cal ncal bc dc expr test [ true false : sleep seq',
    'factor numfmt basename dirname realpath readlink tac rev nl fold fmt column expand unexpand od hexdump xxd hd',
    'strings base64 base32 md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum which whereis',
    'type whatis apropos man info tldr help locate mlocate plocate tree exa eza lsd pstree ps top htop btop atop',
    'iotop iftop nethogs glances vmstat iostat mpstat sar pidstat nmon lsof ss netstat ping ping6 traceroute',
    'traceroute6 tracepath mtr dig nslookup host whois getent lsblk blkid findmnt lscpu lspci lsusb lsmem lshw',
    'dmidecode hwinfo inxi lsmod modinfo lsns lsattr getfacl getcap namei sensors acpi upower nproc arch dumpe2fs',
    'zdb lvs vgs pvs lvdisplay vgdisplay pvdisplay lvscan vgscan pvscan jq gron xmllint yamllint jsonlint csvlook',
    'csvstat pup htmlq apt-cache dpkg-query rpmquery repoquery pkgfile equery qlist ldd nm objdump readelf',
    'size addr2line c++filt pgrep pidof pwdx pmap look spell figlet cowsay lolcat fortune neofetch fastfetch',
    'screenfetch zcat bzcat xzcat zstdcat zless zmore bzless xzless zdiff cd pushd popd dirs jobs times getconf',
    'shellcheck hadolint cloc scc tokei ncdu dust duf procs jc datamash ministat pg_isready pg_config mysqlshow',
    'ipcs lsipc lslocks lslogins mountpoint getenforce sestatus aa-status atq lpstat lpq runlevel logname tput',
    'clear speedtest whereami rpm2cpio zipinfo lz4cat delta diffstat ts pbpaste dstat nstat ipcalc sipcalc stern',
    'kubeval kubeconform kube-score',
  ]
    .join(' ')
    .split(' '),
);

/** Subcommands, or first words, with which other programs only read. */
export const READ_ONLY_SUBCOMMANDS: Readonly<Record<string, RegExp>> = Object.assign(Object.create(null), {
  ip: /^(-\S+ )*(a|addr|address|l|link|r|route|n|neigh|rule|maddr|netns)?( (show|list|ls|get)\b.*)?$/,
  ifconfig: /^(-a|\S+)?$/,
  sysctl: /^(-a|-n|[\w.]+$)/,
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
  swapon: /^(-s|--show)/,
  ufw: /^status/,
  iptables: /^(-t \w+ )?-[LS]/,
  nft: /^(-\w+ )*list/,
  nmcli: /^(dev|device|con|connection|general|g|radio)?( (status|show|list).*)?$/,
  openssl: /^(x509|s_client|version|verify|ciphers|dgst|asn1parse|crl|req -text|list)\b/,
  python: /^(-V|--version)$/,
  node: /^(-v|--version)$/,
  tar: /^-?[a-zA-Z]*t[a-zA-Z]*( |$)/,
  type: /^/,
  command: /^-[vV]/,
});
