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
  createsOnHost,
  evidenceSubjects,
  onlyOverwrites,
  readsOnlyOnHost,
  subjectName,
  sshRequest,
  type EvidenceSubject,
  timesCovered,
  type SshRequest,
} from '@aish/safety';
import type { HostFile } from '@aish/contracts/execution-context';
import type { ActionContext, ActionPorts, HostPorts } from '../context.js';
import { captureEvidence } from './capture-evidence.js';
import { creatingCommand } from './only-creates.js';
import { checkedCommand } from './script-check.js';
import { signInAs } from './sign-in.js';
import { HostReverts } from './host-reverts.js';

/** The maximum number of requests of one command that are checked. Further requests are refused without a check. */
const ASKS_MAX = 500;
/** The maximum number of subjects, from the line and its scripts, for which a host reads evidence. */
const SUBJECTS_MAX = 5;
const SFTP = 'internal-sftp';
const CREATED = 'it only creates files where nothing was';
/** The exit code of a request that was approved but did not begin. */
const NOT_BEGUN = 126;

export type HostFrame = Extract<RunFrame, { type: 'host' | 'hostEnded' }>;

interface AuthorizerParts {
  readonly action: { readonly id: string; readonly command: string };
  readonly context: ActionContext;
  readonly ports: Pick<ActionPorts, 'db' | 'gate'>;
  readonly hosts: HostPorts;
  /** Returns whether a person approved the action. */
  readonly wasApproved: () => Promise<boolean>;
  /** Returns the scripts on hosts that the approval covers. */
  readonly scripts: () => Promise<readonly HostFile[]>;
  readonly signal: AbortSignal;
}

/** A request to a host of this session. */
interface Asked {
  readonly request: SshRequest;
  readonly host: HostRow;
  /** The command that the certificate forces the host to run. */
  readonly forced: string;
}

/**
 * Decides what one command may do on other hosts, each time it runs `ssh`. It judges the words that arrive, after all
 * shell expansion. Commands that only read or only create files may run. An approved command may run as often as it
 * occurs in the text that the person saw. Nothing else runs.
 */
export class SshAuthorizer {
  private readonly open = new Set<Promise<void>>();
  private readonly ending = new Map<string, Promise<void>>();
  private readonly preludes = new Map<string, Promise<string | null>>();
  private asks = 0;
  private trouble: { readonly error: unknown } | null = null;

  private readonly reverts: HostReverts;

  constructor(private readonly parts: AuthorizerParts) {
    this.reverts = new HostReverts(parts);
  }

  /** Continues the undo timers that an earlier runner began. */
  resume(): Promise<void> {
    return this.reverts.resume();
  }

  /** Handles a request, or records how one ended, while the command continues. */
  take(frame: HostFrame): void {
    const work = (frame.type === 'host' ? this.reply(frame.ask) : this.end(frame.id, frame.exitCode))
      .catch((error: unknown) => {
        this.trouble ??= { error };
      })
      .finally(() => this.open.delete(work));
    this.open.add(work);
    if (frame.type === 'hostEnded') this.ending.set(frame.id, work);
  }

  /**
   * Call this once the command has ended.
   *
   * @returns whether an approved request ran on a host and nobody knows how it ended
   */
  async isLost(): Promise<boolean> {
    await Promise.all(this.open);
    if (this.trouble !== null) throw this.trouble.error;
    return hasLostHostCommand(this.parts.ports.db.statements, this.parts.action.id);
  }

  /**
   * Call this once the action has ended, in any way.
   *
   * @returns notes about changes, which the model and the person must get
   */
  async finish(): Promise<readonly string[]> {
    await Promise.all(this.open);
    return this.reverts.finish();
  }

  private async reply(ask: HostAsk): Promise<void> {
    const { action, hosts, signal } = this.parts;
    this.asks += 1;
    let answer: HostAnswer = refusal(`one command may ask hosts for ${ASKS_MAX} things; this is one more`);
    try {
      if (this.asks <= ASKS_MAX) answer = await this.decide(ask);
    } catch (error) {
      await hosts.bridge.answer(action.id, ask.id, refusal('it could not be decided about'), signal);
      throw error;
    }
    await hosts.bridge.answer(action.id, ask.id, answer, signal);
  }

  private async decide(ask: HostAsk): Promise<HostAnswer> {
    const request = sshRequest(ask.argv);
    if ('refused' in request) return refusal(request.refused);
    const host = await this.find(request);
    if ('refused' in host) return refusal(host.refused);
    const forced = request.subsystem ? SFTP : request.command;
    const asked = { request, host, forced };
    const { context, ports, signal } = this.parts;
    const judged = await ports.gate.judge(forced, context.session.sessionId, signal);
    const { verdict, reason } = judged;
    const isReading = verdict === 'safe' && readsOnlyOnHost(request);
    const names = [host.name, host.address];
    const isShown = !isReading && (await this.parts.wasApproved());
    // The line runs without an approval only if each of its changes creates something new.
    const creates = isReading || isShown || request.subsystem || !onlyOverwrites(judged) ? null : createsOnHost(forced);
    const isCreating = creates !== null && host.prelude === null;
    const times = isShown || isCreating ? timesCovered(this.parts.action.command, names, request) : 0;
    if (isCreating && times > 0) {
      return this.record(ask.id, asked, 'creates', times, CREATED, creates);
    }
    const why =
      isShown && times === 0 ? 'it differs from what was approved' : (reason ?? 'it is not known to be read-only');
    const answer = await this.record(ask.id, asked, isReading ? 'read-only' : 'approved', times, why);
    if (isReading || answer.verdict === 'refuse') return answer;
    await this.keepEvidence(ask.id, asked);
    // An earlier change must be confirmed before the next one starts.
    await Promise.all(this.ending.values());
    const failed =
      (await this.prepare(host)) ?? (request.subsystem ? null : await this.reverts.arm(ask.id, host, forced));
    if (failed === null) return answer;
    await this.end(ask.id, NOT_BEGUN);
    return refusal(`not run on ${host.name}: ${forced}`, failed);
  }

  /** Records a request and then signs a certificate for it, only as the session's runner. */
  private async record(
    id: string,
    asked: Asked,
    wish: HostVerdict,
    times: number,
    why: string,
    creates: readonly string[] = [],
  ): Promise<HostAnswer> {
    const { action, context } = this.parts;
    const { session } = context;
    const { host, forced: command } = asked;
    const place = { host: host.name, command, actionId: action.id };
    let answer = refusal(...refusedTexts(asked, why));
    const checked = wish === 'approved' || wish === 'creates' ? await this.checked(asked, wish, creates) : asked;
    await context.write(async (tx) => {
      const isSpent =
        (wish === 'approved' || wish === 'creates') && (await countApproved(tx, { ...place, except: id })) >= times;
      const verdict = isSpent ? 'refused' : wish;
      const reason = isSpent && times > 0 ? 'it was approved and has already run' : why;
      const row = { id, ...place, verdict, reason: verdict === 'refused' ? reason : null, ...sessionOf(context) };
      const serial = await insertHostCommand(tx, row);
      const facts = { command, serial, verdict, actionId: action.id, goalId: session.goalId, reason: row.reason };
      const what = verdict === 'refused' ? 'host.refused' : 'host.signed';
      await appendAudit(tx, { actor: session.owner, action: what, subject: host.name, facts });
      if (verdict === 'refused') answer = refusal(...refusedTexts(asked, reason));
      else if (serial !== null) answer = { verdict: 'run', signIn: this.signIn(checked, id, serial) };
      return [];
    });
    return answer;
  }

  /**
   * Adds checks to a request, so that it runs nothing if a script on the host differs from the approved one, or if
   * something exists where it creates files.
   */
  private async checked(asked: Asked, wish: HostVerdict, creates: readonly string[]): Promise<Asked> {
    const { request, host, forced } = asked;
    if (request.subsystem) return asked;
    const command =
      wish === 'creates' ? creatingCommand(forced, creates) : checkedCommand(forced, await this.scriptsOn(host));
    return { host, forced: command, request: { ...request, command } };
  }

  private async scriptsOn({ name, address }: HostRow): Promise<readonly HostFile[]> {
    return (await this.parts.scripts()).filter(({ host }) => host === name || host === address);
  }

  /**
   * Stores evidence, because the end of a subject may remove its log and its state. Nothing else waits for this or
   * fails because of it.
   */
  private async keepEvidence(id: string, { request, host, forced }: Asked): Promise<void> {
    const texts = [forced, ...(await this.scriptsOn(host)).map(({ head }) => head)];
    const subjects = request.subsystem ? [] : uniqueSubjects(texts.flatMap(evidenceSubjects));
    if (subjects.length === 0) return;
    const { action, context, hosts, signal } = this.parts;
    const signIn = (command: string): HostSignIn =>
      this.signIn({ request: { ...request, command, subsystem: false, stdin: false }, host, forced: command }, id, 0);
    const { text, failed } = await captureEvidence(hosts.bridge, signIn, subjects, signal);
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

  /**
   * Runs the prelude of a host, once for an action.
   *
   * @returns why that failed; null if it worked
   */
  private prepare(host: HostRow): Promise<string | null> {
    // Two commands of one action may arrive at once. The second waits for the snapshot of the first.
    const taking = this.preludes.get(host.name) ?? this.runPrelude(host);
    this.preludes.set(host.name, taking);
    return taking;
  }

  private async runPrelude(host: HostRow): Promise<string | null> {
    const { action, ports, hosts, signal } = this.parts;
    const { name, prelude } = host;
    if (prelude === null || (await hasPrelude(ports.db.statements, action.id, name))) return null;
    const forced = preludeFor(prelude, action.id);
    const request = { host: name, user: null, port: null, command: forced, subsystem: false, stdin: false };
    const id = randomUUID();
    const answer = await this.record(id, { request, host, forced }, 'prelude', 1, 'it could not be signed');
    if (answer.verdict === 'refuse') return answer.message;
    const { exitCode, output, log } = await hosts.bridge.try(answer.signIn, signal);
    await this.end(id, exitCode);
    return exitCode === 0 ? null : `what has to run before it failed: ${forced}\n${log}${output}`.trim();
  }

  private signIn({ request, host, forced }: Asked, id: string, serial: number): HostSignIn {
    const { command, subsystem, stdin } = request;
    const made = signInAs(this.parts.hosts.authority, host, forced, { serial, id: `${this.parts.action.id} ${id}` });
    return { ...made, command, subsystem, stdin };
  }

  private async find({
    host: named,
    user,
    port,
    command,
    subsystem,
  }: SshRequest): Promise<HostRow | { refused: string }> {
    const given = this.parts.context.hosts;
    const all = await listHosts(this.parts.ports.db.statements);
    const host = all.find(({ name, address }) => given.includes(name) && (name === named || address === named));
    if (host === undefined)
      return { refused: `${named} is not a host of this session. Its hosts are ${given.join(', ')}` };
    if (user !== null && user !== host.user)
      return { refused: `commands run as ${host.user} on ${host.name}, not as ${user}` };
    if (port !== null && port !== host.port) return { refused: `${host.name} is reached on port ${host.port}` };
    if (host.keys.length === 0) {
      return {
        refused: `${host.name} is not trusted yet. An admin must compare its key: aish host trust ${host.name}`,
      };
    }
    return subsystem && command !== 'sftp' ? { refused: `there is no subsystem ${command}` } : host;
  }

  private async end(id: string, exitCode: number | null): Promise<void> {
    const { context } = this.parts;
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
    await this.reverts.settle(id);
  }
}

function uniqueSubjects(subjects: readonly EvidenceSubject[]): readonly EvidenceSubject[] {
  const byName = new Map(subjects.map((subject) => [JSON.stringify(subject), subject]));
  return [...byName.values()].slice(0, SUBJECTS_MAX);
}

function sessionOf({ session: { sessionId, goalId } }: ActionContext) {
  return { sessionId, goalId };
}

function refusal(...lines: readonly string[]): HostAnswer {
  return { verdict: 'refuse', message: lines.join('\n').slice(0, 16_000) };
}

/** Returns the text for the model: the refused request, the reason, and how to ask for it. */
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
