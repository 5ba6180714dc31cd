import { randomUUID } from 'node:crypto';
import { preludeFor, type HostAnswer, type HostAsk, type HostSignIn, type HostVerdict } from '@aish/contracts/hosts';
import { appendAudit } from '@aish/database/audit.repository';
import {
  countApproved,
  endHostCommand,
  hasLostHostCommand,
  hasPrelude,
  insertHostCommand,
  listHosts,
  type HostRow,
} from '@aish/database/hosts.repository';
import type { RunFrame } from '@aish/contracts/runs';
import { insertEvidence } from '@aish/database/evidence.repository';
import {
  evidenceSubjects,
  readsOnlyOnHost,
  subjectName,
  sshRequest,
  timesCovered,
  type SshRequest,
} from '@aish/safety';
import type { ActionContext, ActionPorts, HostPorts } from '../context.js';
import { captureEvidence } from './capture-evidence.js';

/** Asks of one command that are looked at; further ones are refused unseen. */
const ASKS_MAX = 500;
const SFTP = 'internal-sftp';
/** The exit code of what was let through and not begun after all. */
const NOT_BEGUN = 126;

export type HostFrame = Extract<RunFrame, { type: 'host' | 'hostEnded' }>;

interface Desk {
  readonly action: { readonly id: string; readonly command: string };
  readonly context: ActionContext;
  readonly ports: Pick<ActionPorts, 'db' | 'gate'>;
  readonly hosts: HostPorts;
  /** Whether a person let the action through. */
  readonly wasApproved: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** What was asked for, on a host that this session was given. */
interface Asked {
  readonly request: SshRequest;
  readonly host: HostRow;
  /** What the host is made to run. */
  readonly forced: string;
}

/**
 * Decides what one command may do on other hosts, each time it runs `ssh`. It judges the words that arrive, after all
 * shell expansion. Commands that only read may run. An approved command may run as often as it occurs in the text that
 * the person saw. Nothing else runs.
 */
export class SshAuthorizer {
  private readonly open = new Set<Promise<void>>();
  private readonly preludes = new Map<string, Promise<string | null>>();
  private asks = 0;
  private trouble: { readonly error: unknown } | null = null;

  constructor(private readonly desk: Desk) {}

  /** Sees to an ask, or writes down how one ended, while the command goes on. */
  take(frame: HostFrame): void {
    const work = (frame.type === 'host' ? this.reply(frame.ask) : this.end(frame.id, frame.exitCode))
      .catch((error: unknown) => {
        this.trouble ??= { error };
      })
      .finally(() => this.open.delete(work));
    this.open.add(work);
  }

  /** Once the command has ended. @returns whether something a person let through ran on a host, and nobody knows how it ended. */
  async isLost(): Promise<boolean> {
    await Promise.all(this.open);
    if (this.trouble !== null) throw this.trouble.error;
    return hasLostHostCommand(this.desk.ports.db.statements, this.desk.action.id);
  }

  private async reply(ask: HostAsk): Promise<void> {
    const { action, hosts, signal } = this.desk;
    this.asks += 1;
    let answer: HostAnswer = refusal(`one command may ask hosts for ${ASKS_MAX} things; this is one more`);
    try {
      if (this.asks <= ASKS_MAX) answer = await this.decide(ask);
    } catch (error) {
      await hosts.reach.answer(action.id, ask.id, refusal('it could not be decided about'), signal);
      throw error;
    }
    await hosts.reach.answer(action.id, ask.id, answer, signal);
  }

  private async decide(ask: HostAsk): Promise<HostAnswer> {
    const request = sshRequest(ask.argv);
    if ('refused' in request) return refusal(request.refused);
    const host = await this.find(request);
    if ('refused' in host) return refusal(host.refused);
    const forced = request.subsystem ? SFTP : request.command;
    const asked = { request, host, forced };
    const { context, ports, signal } = this.desk;
    const { verdict, reason } = await ports.gate.judge(forced, context.session.sessionId, signal);
    const isReading = verdict === 'safe' && readsOnlyOnHost(request);
    const names = [host.name, host.address];
    const isShown = !isReading && (await this.desk.wasApproved());
    const times = isShown ? timesCovered(this.desk.action.command, names, request) : 0;
    const why = isShown && times === 0 ? 'it is not what was let through' : (reason ?? 'it is not known to only read');
    const answer = await this.record(ask.id, asked, isReading ? 'read-only' : 'approved', times, why);
    if (isReading || answer.verdict === 'refuse') return answer;
    await this.keepEvidence(ask.id, asked);
    const failed = await this.prepare(host);
    if (failed === null) return answer;
    await this.end(ask.id, NOT_BEGUN);
    return refusal(`not run on ${host.name}: ${forced}`, failed);
  }

  /** Nothing is signed before it is written, by nobody but the session's driver. */
  private async record(id: string, asked: Asked, wish: HostVerdict, times: number, why: string): Promise<HostAnswer> {
    const { action, context } = this.desk;
    const { session } = context;
    const { host, forced: command } = asked;
    const place = { host: host.name, command, actionId: action.id };
    let answer = refusal(...refusedTexts(asked, why));
    await context.write(async (tx) => {
      const isSpent = wish === 'approved' && (await countApproved(tx, { ...place, except: id })) >= times;
      const verdict = isSpent ? 'refused' : wish;
      const reason = isSpent && times > 0 ? 'it was let through, and has run' : why;
      const row = { id, ...place, verdict, reason: verdict === 'refused' ? reason : null, ...sessionOf(context) };
      const serial = await insertHostCommand(tx, row);
      const facts = { command, serial, verdict, actionId: action.id, goalId: session.goalId, reason: row.reason };
      const what = verdict === 'refused' ? 'host.refused' : 'host.signed';
      await appendAudit(tx, { actor: session.owner, action: what, subject: host.name, facts });
      if (verdict === 'refused') answer = refusal(...refusedTexts(asked, reason));
      else if (serial !== null) answer = { verdict: 'run', signIn: this.signIn(asked, id, serial) };
      return [];
    });
    return answer;
  }

  /** What this ends there may take its log and its state with it. Nothing waits for more than that, or fails with it. */
  private async keepEvidence(id: string, { request, host, forced }: Asked): Promise<void> {
    const subjects = request.subsystem ? [] : evidenceSubjects(forced);
    if (subjects.length === 0) return;
    const { action, context, hosts, signal } = this.desk;
    const signIn = (command: string): HostSignIn =>
      this.signIn({ request: { ...request, command, subsystem: false, stdin: false }, host, forced: command }, id, 0);
    const { text, failed } = await captureEvidence(hosts.reach, signIn, subjects, signal);
    const names = subjects.map(subjectName);
    const { sessionId, goalId, owner } = context.session;
    const row = { id, sessionId, actionId: action.id, host: host.name, command: forced, subjects: names, text, failed };
    await context.write(async (tx) => {
      await insertEvidence(tx, row);
      const facts = { subjects: names, command: forced, actionId: action.id, goalId, failed };
      await appendAudit(tx, { actor: owner, action: 'host.evidence', subject: host.name, facts });
      return [];
    });
  }

  /** What has to run first on a host, once for an action. @returns why that failed; null where all is well. */
  private prepare(host: HostRow): Promise<string | null> {
    // Two commands of one action may come at once; the second waits for the snapshot of the first.
    const taking = this.preludes.get(host.name) ?? this.runPrelude(host);
    this.preludes.set(host.name, taking);
    return taking;
  }

  private async runPrelude(host: HostRow): Promise<string | null> {
    const { action, ports, hosts, signal } = this.desk;
    const { name, prelude } = host;
    if (prelude === null || (await hasPrelude(ports.db.statements, action.id, name))) return null;
    const forced = preludeFor(prelude, action.id);
    const request = { host: name, user: null, port: null, command: forced, subsystem: false, stdin: false };
    const id = randomUUID();
    const answer = await this.record(id, { request, host, forced }, 'prelude', 1, 'it could not be signed');
    if (answer.verdict === 'refuse') return answer.message;
    const { exitCode, output, log } = await hosts.reach.try(answer.signIn, signal);
    await this.end(id, exitCode);
    return exitCode === 0 ? null : `what has to run before it failed: ${forced}\n${log}${output}`.trim();
  }

  private signIn({ request, host, forced }: Asked, id: string, serial: number): HostSignIn {
    const { authority } = this.desk.hosts;
    const { address, port, user, keys, name, sealed } = host;
    const purpose = { host: name, command: forced, serial, id: `${this.desk.action.id} ${id}` };
    const key =
      sealed === null
        ? authority.sign(purpose)
        : { privateKey: authority.openKey(sealed).privateKey, certificate: null };
    const { command, subsystem, stdin } = request;
    return { address, port, user, keys: [...keys], ...key, command, subsystem, stdin };
  }

  private async find({
    host: named,
    user,
    port,
    command,
    subsystem,
  }: SshRequest): Promise<HostRow | { refused: string }> {
    const given = this.desk.context.hosts;
    const all = await listHosts(this.desk.ports.db.statements);
    const host = all.find(({ name, address }) => given.includes(name) && (name === named || address === named));
    if (host === undefined) return { refused: `${named} is no host of this session; it has ${given.join(', ')}` };
    if (user !== null && user !== host.user)
      return { refused: `commands are ${host.user} on ${host.name}, not ${user}` };
    if (port !== null && port !== host.port) return { refused: `${host.name} is reached on port ${host.port}` };
    if (host.keys.length === 0) {
      return { refused: `${host.name} is not trusted yet; an admin compares its key: aish host trust ${host.name}` };
    }
    return subsystem && command !== 'sftp' ? { refused: `there is no subsystem ${command}` } : host;
  }

  private async end(id: string, exitCode: number | null): Promise<void> {
    const { context } = this.desk;
    await context.write(async (tx) => {
      const ended = await endHostCommand(tx, id, exitCode);
      if (ended === null) return [];
      const { host: subject, ...facts } = ended;
      await appendAudit(tx, {
        actor: context.session.owner,
        action: 'host.ended',
        subject,
        facts: { ...facts, exitCode },
      });
      return [];
    });
  }
}

function sessionOf({ session: { sessionId, goalId } }: ActionContext) {
  return { sessionId, goalId };
}

function refusal(...lines: readonly string[]): HostAnswer {
  return { verdict: 'refuse', message: lines.join('\n').slice(0, 16_000) };
}

/** For the model: what was not done, why, and how to ask for it. */
function refusedTexts({ request, host }: Asked, why: string): readonly string[] {
  const { command, subsystem } = request;
  const own = /^(rsync|scp) -/.test(command) || subsystem ? `a copy to or from ${host.name}` : null;
  const push = command.startsWith('git') ? 'the push' : null;
  const line = `ssh ${host.name} '${command.replaceAll("'", `'\\''`)}'`;
  return [
    `not run on ${host.name}: ${subsystem ? 'a transfer of files' : command}`,
    why,
    `A person has to let it through. Ask for ${own ?? push ?? 'it'} with a CMD line of its own${(own ?? push) ? '' : `: ${line}`}`,
  ];
}
