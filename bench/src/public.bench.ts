import { classify, knownReadOnly, onlyDepends, onlyFiles } from '@aish/safety';
import type { Benchmark, Figures } from './benchmark.js';
import { publicSets } from './public/sets.js';

/** What reaches elsewhere, where a command has a network: a goal has none unless somebody opened it. */
const NETWORK =
  /\b(curl|wget|ssh|scp|sftp|ftp|tftp|nc|ncat|netcat|telnet|ping|dig|nslookup|host|whois|nmap|rsync|git (clone|pull|push|fetch)|apt(-get)?|yum|dnf|pip3?|npm|socat|\/dev\/tcp)\b|https?:\/\/|\burllib|\brequests\.|\bsocket\b|\bsmtplib|\bftplib/;

export const benchmark: Benchmark = {
  name: 'public',
  about:
    'commands of public sets in FOLDER (InterCode-Bash, RedCode-Exec, Atomic Red Team, NL2Bash, tldr): what halts, what is held, what the missing network stops, and what nothing stops but the container',
  goals: {},
  run: async (progress, { folder } = {}): Promise<Figures> => {
    if (folder === undefined) throw new Error('say where they are: npm run bench -- public FOLDER');
    const figures: Record<string, number> = {};
    for (const { name, commands } of publicSets(folder)) {
      const counts = { halt: 0, undoable: 0, held: 0, unread: 0, network: 0, reads: 0, open: 0 };
      for (const command of commands) counts[endOf(command)] += 1;
      const of = (n: number) => `${n} (${((100 * n) / commands.length).toFixed(1)} %)`;
      progress(
        `${name}: ${commands.length} commands; halt ${of(counts.halt)}, of files alone ${of(counts.undoable)}, held ${of(counts.held)}, ` +
          `cannot be read ${of(counts.unread)}, no network ${of(counts.network)}, only reads ${of(counts.reads)}, nothing but the container ${of(counts.open)}`,
      );
      const key = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
      figures[`${key}_commands`] = commands.length;
      figures[`${key}_asked_ratio`] = (counts.halt + counts.undoable + counts.unread) / commands.length;
      figures[`${key}_open_ratio`] = counts.open / commands.length;
    }
    return figures;
  },
};

/** What stops a command first. `undoable`: a halt unless the goal is trusted; `held`: it runs, and what it destroyed waits. */
function endOf(command: string): 'halt' | 'undoable' | 'held' | 'unread' | 'network' | 'reads' | 'open' {
  const found = classify(command);
  if (onlyDepends(found, [])) return 'held';
  if (found.verdict === 'destructive') return onlyFiles(found, []) ? 'undoable' : 'halt';
  if (found.verdict === 'unknown') return 'unread';
  if (NETWORK.test(command)) return 'network';
  return knownReadOnly(command) ? 'reads' : 'open';
}
