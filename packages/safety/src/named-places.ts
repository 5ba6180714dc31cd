import { read } from './classify.js';

/** Programs whose operands may be servers without a leading `https://`. */
const TAKES_SERVERS =
  /^(?:curl|wget|https?|xh|nc|ncat|netcat|socat|telnet|ftp|lftp|ssh|scp|sftp|rsync|ping|psql|mysql|mariadb|mongosh|redis-cli|mosquitto_pub|rclone|smbclient)$/;
const SERVER =
  /^(?:[\w.+-]+@)?((?:[a-z0-9-]+\.)+[a-z0-9-]+|localhost|\[[\da-f:]+\]|[a-z0-9-]+(?=[:/]))(?::\S*)?(?:\/\S*)?$/i;
/** Options of `ssh` and `sftp` that take the next word as their value. */
const TAKES_VALUE = /^-[46AaCfGgKkMNnqsTtVvXxYy]*[BbcDEeFIiJLlmOoPpQRSWw]$/;
const URL_HOST = /\b[a-z][a-z0-9+.-]*:\/\/(?:[^/\s@'"]*@)?(\[[\da-f:]+\]|[\w.-]+)/gi;

/**
 * Returns the servers and hosts that a text names, without ports. They come from its addresses and from the operands of
 * network programs. Pure.
 */
export function namedPlaces(text: string): readonly string[] {
  const found = Array.from(text.matchAll(URL_HOST), ([, host = '']) => host);
  const reading = read(text);
  const commands = 'verdict' in reading ? [] : reading.commands.filter(({ name }) => TAKES_SERVERS.test(name));
  for (const { name, args } of commands) {
    for (const word of args) {
      const host = word.startsWith('-') || word.includes('://') ? undefined : SERVER.exec(word)?.[1];
      if (host !== undefined) found.push(host);
    }
    const first = name === 'ssh' || name === 'sftp' ? args[hostAt(args)] : undefined;
    if (first !== undefined && /^[\w.@-]+$/.test(first)) found.push(first.replace(/^.*@/, ''));
  }
  return [...new Set(found.map((host) => host.toLowerCase().replace(/\.$/, '')))];
}

/** The position of the host among the arguments of `ssh` or `sftp`. */
export function hostAt(args: readonly string[]): number {
  const at = args.findIndex((word, each) => !word.startsWith('-') && !TAKES_VALUE.test(args[each - 1] ?? ''));
  return at < 0 ? args.length : at;
}
