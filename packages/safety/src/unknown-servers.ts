import { HOLE, type Command } from './shell/command.js';

/** Programs that send their words to servers, or look them up as names of servers. */
const LOOKS_UP = new Set(
  `dig nslookup host whois ping ping6 traceroute traceroute6 tracepath mtr getent rsync skopeo crane regctl oras rclone
  etcdctl ss ipcalc sipcalc speedtest npm pnpm yarn gh glab`.split(/\s+/),
);
/** Subcommands that do so. */
const ASKS: Readonly<Record<string, RegExp>> = {
  git: /^(ls-remote|remote|fetch)$/,
  docker: /^search$/,
  podman: /^search$/,
  helm: /^(show|search|inspect)$/,
  ip: /^(r|ro|route)$/,
};
/** Options that name a server, or an address. */
const SERVERS: Readonly<Record<string, RegExp>> = {
  openssl: /^-(connect|servername|host|proxy|bind)$/,
  pg_isready: /^(-h|--host|-d|--dbname)$/,
  mysqladmin: /^(-h|--host)$/,
  mysqlshow: /^(-h|--host)$/,
  'redis-cli': /^(-h|-u)$/,
  'valkey-cli': /^(-h|-u)$/,
  docker: /^(-H|--host|-c|--context)$/,
  podman: /^(-c|--connection|--url)$/,
  lpstat: /^-h$/,
  lpq: /^-h$/,
  lsof: /^-i$/,
  virsh: /^(-c|--connect)$/,
  ...Object.fromEntries(
    ['systemctl', 'journalctl', 'loginctl', 'hostnamectl', 'timedatectl', 'localectl', 'busctl'].map((name) => [
      name,
      /^(-H|--host)$/,
    ]),
  ),
};
const REPOSITORIES = /^(git|restic|borg)$/;
/** Programs that open addresses, or files on other hosts: `tar tf nas:a.tar`. */
const OPENS = /^(xmllint|man|[gb]?(sd)?tar|cpio)$/;
const ADDRESS = new RegExp(`:\\/\\/|^[^/]*${HOLE}[^/]*:`);
const SOCKET = /^\/dev\/(tcp|udp)\//;

/**
 * Whether a command connects to a server, or looks up a name, that is not in the text, for example because it comes from
 * a file.
 */
export function looksUpUnknown({ name, words, args, redirections }: Command): boolean {
  const isUnknown = (text: string): boolean => text.includes(HOLE);
  if (redirections.some(({ target: { text } }) => isUnknown(text) && SOCKET.test(text))) return true;
  if (name === 'dig' && args.some((word) => word.startsWith('-f'))) return true;
  const asks = LOOKS_UP.has(name) || args.some((word) => ASKS[name]?.test(word) === true);
  if (asks && words.some(({ text }) => isUnknown(text))) return true;
  if (OPENS.test(name) && words.some(({ text }) => isUnknown(text) && ADDRESS.test(text))) return true;
  if (REPOSITORIES.test(name)) {
    // For borg, the part after `::` names an archive, which is not sent to a server.
    const sent = words.map(({ text }) => (name === 'borg' ? (text.split('::')[0] ?? '') : text));
    if (sent.some((text) => isUnknown(text) && /^[^/]*:\/\//.test(text))) return true;
  }
  const option = SERVERS[name];
  if (option === undefined) return false;
  return words.some(({ text }, at) => {
    const [own = '', ...value] = text.split('=');
    const isJoined = /^-[hHiu]./.test(text) && option.test(text.slice(0, 2));
    return (
      isUnknown(text) && (isJoined || (value.length > 0 && option.test(own)) || option.test(words[at - 1]?.text ?? ''))
    );
  });
}
