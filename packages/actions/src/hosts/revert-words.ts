import type { Finding } from '@aish/contracts/safety';
import type { ConnectionStakes, Stake } from '@aish/safety';
import { REVERT_AFTER_S } from './revert-script.js';

/** The finding if a host can revert a change that cuts its connection. Stored findings have this rule id. */
export const REVERTS = 'hosts.way-back';
/** The finding if a host cannot revert everything. A person is asked each time, and no grant covers it. */
export const NO_REVERT = 'hosts.no-way-back';

const SAVED: Readonly<Record<Stake, string>> = {
  firewall: 'its firewall rules',
  sshd: 'the settings of sshd',
  network: 'its addresses and routes',
  dns: 'the settings of DNS',
};
const CHANGES: Readonly<Record<Stake, string>> = {
  firewall: 'the firewall',
  sshd: 'sshd',
  network: 'the network',
  dns: 'DNS',
};
const REASON_MAX_CHARS = 200;

/** A host's answer about the parts that it could restore. `silent` says why it did not answer. */
export interface RevertAnswer {
  readonly isRoot: boolean;
  readonly can: readonly string[];
  readonly cannot: readonly string[];
  /** Whether the host also restores its state when it restarts. */
  readonly atStart: boolean;
  readonly silent: string | null;
}

export function readAnswer(output: string): RevertAnswer {
  const lines = output.split('\n').map((line) => line.trim());
  const after = (word: string) =>
    lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
  const isWhole = lines.includes('end');
  return {
    isRoot: !lines.includes('root'),
    can: after('can'),
    cannot: after('cannot'),
    atStart: lines.includes('boot'),
    silent: isWhole ? null : 'it did not say what it can restore',
  };
}

/** Returns the findings on the card of a command: what is restored and when, or that nothing is. Pure. */
export function revertFindings(
  host: string,
  user: string,
  stakes: ConnectionStakes,
  answer: RevertAnswer,
): readonly Finding[] {
  const { lasting, hidden } = stakes;
  const kinds = stakes.kinds.filter((kind) => answer.can.includes(kind));
  const finding = (ruleId: string, reason: string): Finding => ({ verdict: 'unknown', reason, ruleId, span: null });
  const no = (why: string) => finding(NO_REVERT, `no automatic revert: ${why}`);
  const found = lasting.map((name) => no(`${host} cannot restore what ${name} changes`));
  if (stakes.kinds.length === 0) return found;
  // A script without root on the host cannot cut the connection there, unless it becomes root by itself.
  const isUnable = !answer.isRoot || answer.silent !== null;
  if (isUnable && hidden.length > 0) return found;
  const whats = stakes.kinds.map((kind) => CHANGES[kind]);
  const cut = `if this cuts the connection to ${host}, nothing restores ${listed(whats)}`;
  if (answer.silent !== null) return [...found, no(`${cut}; ${answer.silent}`)];
  if (!answer.isRoot)
    return [...found, no(`${cut}; ${user} is not root there and may not use sudo without a password`)];
  const cannot = hidden.length > 0 ? [] : answer.cannot;
  found.push(...cannot.map((why) => no(`on ${host}, ${why}`.slice(0, REASON_MAX_CHARS))));
  if (kinds.length === 0) return found;
  const reason = `automatic revert: ${host} first saves ${listed(kinds.map((kind) => SAVED[kind]))}, and restores them ${REVERT_AFTER_S} s after aish can no longer sign in${answer.atStart ? ', or when it starts again' : '; not after a restart'}`;
  return [...found, finding(REVERTS, reason)];
}

/** Returns the text for model and person about the restored parts. */
export function restoredNotice(host: string, command: string, stakes: ConnectionStakes, at: string): string {
  const what = listed(stakes.kinds.map((kind) => CHANGES[kind]));
  return `[aish] ${host} reverted the change${at === '' ? '' : ` at ${at} by its clock`}: aish could not sign in again within ${REVERT_AFTER_S} s after ${command}\nIts changes to ${what} are undone. Find out why before you ask for it again.`;
}

export function noAnswerNotice(host: string, command: string): string {
  return `[aish] ${host} does not answer after ${command}\nIt should revert the change by itself, but aish cannot tell whether it did. A person has to look.`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
