import type { AuditAction, AuditEntry } from '@aish/contracts/audit';
import { oneLine, showExact } from './sanitise.js';

type Facts = AuditEntry['facts'];
type Tell = (subject: string, facts: Facts) => string;

const VERDICTS: Readonly<Record<string, string>> = {
  proceed: 'approved',
  skip: 'skipped',
  abort: 'aborted',
  instead: 'asked for an alternative to',
  edit: 'replaced',
};

const simple =
  (verb: string, thing = ''): Tell =>
  (subject) =>
    `${verb} ${thing === '' ? '' : `${thing} `}${subject}`;
const on =
  (verb: string, preposition: string): Tell =>
  (subject) =>
    `${verb} ${preposition} ${subject}`;

/** Sentences about the automatic revert of a change that could cut the connection to a host. */
const REVERTS: Readonly<Record<string, string>> = {
  armed: 'scheduled',
  kept: 'cancelled',
  back: 'triggered',
  unknown: 'lost track of',
};

/** The part of the sentence for each kind of entry that says what was done, without the actor. */
const TOLD: Readonly<Record<AuditAction, Tell>> = {
  'verdict.given': (subject, facts) => {
    const edited = text(facts, 'edited');
    const message = text(facts, 'message');
    return [
      `${VERDICTS[text(facts, 'verdict')] ?? 'answered'} ${subject}${quoted(facts, 'action')}`,
      ...(edited === '' ? [] : [`with ${code(edited)}`]),
      ...(typeof facts['granted'] === 'string' ? [`and gave a grant (${facts['granted']})`] : []),
      ...(message === '' ? [] : [`and wrote “${oneLine(message)}”`]),
    ].join(' ');
  },
  'verdict.approved': (subject, facts) =>
    `approved ${subject}${quoted(facts, 'action')} (${list(facts, 'approvals').length} of ${text(facts, 'needed')} approvals)`,
  'verdict.taken_back': (subject, facts) => `withdrew the approval of ${subject}${quoted(facts, 'action')}`,
  'action.undone': (subject, facts) =>
    `undid ${code(text(facts, 'command'))} of ${subject}${facts['only'] === true ? ' alone' : ' and everything after it'}`,
  'command.run': (subject, facts) => `ran ${code(text(facts, 'command'))} in ${subject}`,
  'schedule.added': (subject, facts) =>
    `scheduled “${oneLine(text(facts, 'goal'))}” for ${subject} (${text(facts, 'timezone')})`,
  'schedule.removed': (subject, facts) => `removed the schedule ${subject} of “${oneLine(text(facts, 'goal'))}”`,
  'knowledge.secret_allowed': simple('allowed a likely secret in the knowledge base, in'),
  'token.created': (subject, facts) =>
    facts['browser'] === true
      ? `signed a browser in as ${subject}`
      : `created the token ${subject} (${list(facts, 'scopes').join(', ')})`,
  'token.revoked': simple('revoked', 'the token'),
  'device.approved': simple('approved', 'the device'),
  'device.denied': simple('rejected', 'the device'),
  'messenger.bound': simple('bound', 'the messenger account'),
  'network.changed': on('changed the network', 'of'),
  'image.set': simple('set', 'the image'),
  'image.rebuilt': simple('rebuilt', 'the image'),
  'image.removed': simple('removed', 'the image'),
  'reach.given': (subject, facts) => `gave access to ${oneLine(text(facts, 'need'))} (${subject})`,
  'secret.set': (subject, facts) => `set the secret ${subject} for ${list(facts, 'targets').join(', ')}`,
  'secret.removed': simple('removed', 'the secret'),
  'secrets.changed': (subject, facts) =>
    `changed the secrets of ${subject} to ${list(facts, 'names').join(', ') || 'none'}`,
  'grant.given': on('granted', 'in'),
  'grant.revoked': on('revoked a grant', 'in'),
  'mcp.connected': simple('connected', 'the MCP server'),
  'mcp.disconnected': simple('disconnected', 'the MCP server'),
  'backup.made': simple('made', 'a backup:'),
  'backup.restored': simple('restored', 'the backup of'),
  'brief.rules_changed': () => 'changed the rules of the daily check',
  'brief.schedule_changed': (_subject, facts) =>
    text(facts, 'at') === '' ? 'turned off the daily message' : `set the daily message to ${text(facts, 'at')}`,
  'finding.muted': simple('muted', 'the finding'),
  'goal.deleted': simple('deleted', 'the goal'),
  'session.deleted': simple('deleted', 'the session'),
  'space.set': (subject, facts) => `changed the space ${subject}: ${Object.keys(facts).join(', ')}`,
  'space.removed': simple('removed', 'the space'),
  'host.added': (subject, facts) => `added the host ${subject} (${text(facts, 'user')}@${text(facts, 'address')})`,
  'host.trusted': simple('trusted', 'a key of the host'),
  'host.changed': simple('changed', 'the host'),
  'host.removed': simple('removed', 'the host'),
  'host.signed': (subject, facts) => `ran ${code(text(facts, 'command'))} on ${subject}`,
  'host.refused': (subject, facts) => `was refused ${code(text(facts, 'command'))} on ${subject}`,
  'host.ended': on('ended a command', 'on'),
  'host.evidence': on('collected evidence', 'on'),
  'host.way_back': (subject, facts) =>
    `${REVERTS[text(facts, 'state')] ?? 'dropped'} the automatic revert on ${subject}`,
  'event_source.added': simple('added', 'the event source'),
  'event_source.removed': simple('removed', 'the event source'),
  'event_rule.added': simple('added', 'the event rule'),
  'event_rule.removed': simple('removed', 'the event rule'),
  'runbook.put': simple('wrote', 'the runbook'),
  'runbook.accepted': simple('accepted', 'the runbook'),
  'runbook.adopted': simple('adopted', 'the runbook'),
};

/** Formats an entry of the audit log as a sentence: "ann skipped d3: `rm -rf build`". */
export function auditSentence({ actor, action, subject, facts }: Omit<AuditEntry, 'n' | 'at'>): string {
  return `${oneLine(actor)} ${TOLD[action](oneLine(subject), facts)}`;
}

/** Returns all other facts of the entry, each with a name and a value. */
export function auditFacts({ facts }: Pick<AuditEntry, 'facts'>): readonly (readonly [string, string])[] {
  return Object.entries(facts).flatMap(([name, value]) =>
    value === null || value === ''
      ? []
      : [[name, typeof value === 'string' ? showExact(value) : JSON.stringify(value)]],
  );
}

function text(facts: Facts, name: string): string {
  const value = facts[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function list(facts: Facts, name: string): readonly string[] {
  const value = facts[name];
  return Array.isArray(value) ? value.map((each) => oneLine(String(each))) : [];
}

function code(command: string): string {
  return `\`${showExact(command).replaceAll('\n', ' ⏎ ')}\``;
}

function quoted(facts: Facts, name: string): string {
  const value = text(facts, name);
  return value === '' ? '' : `: ${code(value)}`;
}
