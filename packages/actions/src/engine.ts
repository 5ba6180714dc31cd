import { setTimeout as sleep } from 'node:timers/promises';
import { sameFindings } from '@aish/contracts/approvals';
import { isOpen } from '@aish/contracts/change-windows';
import { isAishError, type AishError } from '@aish/contracts/problems';
import type { ExecutionContext, HostFile } from '@aish/contracts/execution-context';
import { approvalOf, runsHeld, wasApproved, type ActionApproval } from '@aish/database/action-approvals.repository';
import { listRefusals, type SessionRefusal } from '@aish/database/refusals.repository';
import { findSpaceOf } from '@aish/database/spaces.repository';
import { boundFiles, knownReadOnly } from '@aish/safety';
import { snapshotBefore } from '@aish/sandbox-client';
import type { Action, ActionEffect, ActionEvent, Ending, Judgement } from './action.js';
import { callTool, type Call } from './call.js';
import {
  ONLY_HELD,
  SAFE_ANYWHERE,
  readExecutionContext,
  recoverCommand,
  runCommand,
  type Unavailable,
  type Command,
  type Terms,
} from './command.js';
import type { ActionContext, ActionPorts } from './context.js';
import { SshAuthorizer } from './hosts/ssh.authorizer.js';
import { onlyCreates, type OnlyCreates } from './hosts/only-creates.js';
import { changedScripts, lookAtScripts, withHostFiles } from './hosts/look-at-scripts.js';
import { whyNotTogether } from './hosts/on-hosts.js';
import { dropHeldThenRun, settleHeld } from './held.js';
import { judge, judgeTextOnly } from './judge.js';
import { needsPerson } from './life/begin.js';
import { noteBans } from './bans.js';
import { refusedElsewhere } from './refused-places.js';
import {
  refusedBeforeQuestion,
  attemptAt,
  attemptOf,
  pathsAllowedBy,
  refusalsToHold,
  refusedBefore,
} from './refusals.js';
import {
  CONTEXT_CHANGED,
  CHANGED_ON_HOST,
  JUDGED_OTHERWISE,
  CONTEXT_UNKNOWN,
  TOOL_CHANGED,
  WINDOW_CLOSED,
  withoutSecrets,
} from './execution-context.js';

/** The result of an effect. */
export interface Performed {
  readonly event: ActionEvent;
  /** How long the service that refused asks us to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Names of tools that the model has just found, for the next request. */
  readonly found: readonly string[];
}

/**
 * Judges, runs and recovers actions. Only this class performs the effects that session machines decide on. Each run of
 * a runner has its own engine. A crash loses only data that is not in the database.
 */
export class ActionEngine {
  /** Actions that the gate judged safe, so that no person was asked. */
  private readonly cleared = new Set<string>();
  /** The terms of commands that may start without a person. The terms of approved commands are in the rows. */
  private readonly terms = new Map<string, Terms>();
  /** Approved actions that no longer match their approval, with the reason why a person is asked again. */
  private readonly outdated = new Map<string, string>();

  constructor(private readonly ports: ActionPorts) {}

  /**
   * Performs one effect.
   *
   * @throws AishError `aborted`, and unexpected errors.
   */
  async perform(effect: ActionEffect, context: ActionContext, signal: AbortSignal): Promise<Performed> {
    await context.at(`${effect.type}.before`);
    const performed = await this.performNow(effect, context, signal);
    await context.at(`${effect.type}.after`);
    return performed;
  }

  private performNow(effect: ActionEffect, context: ActionContext, signal: AbortSignal): Promise<Performed> {
    switch (effect.type) {
      case 'classify':
        return this.classify(effect.actions, context, signal);
      case 'run':
        return this.run(effect.actions, context, signal);
      case 'settle':
        return this.settle(effect.action, context, signal);
      case 'recover':
        return this.recover(effect.action, context, signal);
    }
  }

  private async classify(actions: readonly Action[], context: ActionContext, signal: AbortSignal): Promise<Performed> {
    const from = performance.now();
    await noteBans(this.ports.db, context.session);
    // There is at most one command, because only tool calls run in parallel.
    const asked = actions.find((action) => action.kind === 'command');
    const command = asked?.command;
    const executionContext =
      command === undefined ? null : await readExecutionContext(command, context, this.ports.sandbox, signal);
    if (executionContext !== null && 'type' in executionContext)
      return (await this.askWithoutContext(actions, context, signal)) ?? performed(executionContext, from);
    const judgeIn = (place: typeof executionContext, creates: OnlyCreates | null = null) =>
      Promise.all(
        actions.map((action) => {
          const again = this.outdated.get(action.id) ?? null;
          return judge({ action, executionContext: place, again, creates }, context, this.ports, signal);
        }),
      );
    let judgements = await judgeIn(executionContext);
    if (asked !== undefined && judgements.some(needsPerson)) {
      const creates = await onlyCreates(asked, context, this.ports, signal);
      const freed = creates === null ? [] : await judgeIn(executionContext, creates);
      // If a person is asked anyway, they decide about the whole line.
      if (creates !== null && !freed.some(needsPerson)) judgements = freed;
    }
    const bound =
      asked === undefined || executionContext === null
        ? null
        : await this.bound(asked, executionContext, judgements, context, signal);
    if (bound !== null && 'type' in bound)
      return (await this.askWithoutContext(actions, context, signal)) ?? performed(bound, from);
    if (bound !== null) judgements = await judgeIn(bound);
    const quoted = command === undefined ? judgements : await this.withRefusals(command, judgements, context);
    for (const judgement of quoted) this.keepTerms(judgement);
    return classified(quoted, from);
  }

  /**
   * Returns a command's execution context, including the files if a person is asked. Null if nobody is asked or no file
   * matters.
   */
  private async bound(
    action: Command,
    executionContext: ExecutionContext,
    judgements: readonly Judgement[],
    context: ActionContext,
    signal: AbortSignal,
  ): Promise<ExecutionContext | Unavailable | null> {
    const isAsked = judgements.some((judgement) => needsPerson(judgement) && !isHeldOnly(judgement, context));
    if (!isAsked) return null;
    const files = boundFiles(action.command);
    const place =
      files.length === 0
        ? null
        : await readExecutionContext(action.command, context, this.ports.sandbox, signal, files);
    if (place !== null && 'type' in place) return place;
    const seen = place === null ? null : await withoutSecrets(place);
    const hostFiles = await lookAtScripts(action, context, this.ports, signal);
    return hostFiles.length === 0 ? seen : withHostFiles(seen ?? executionContext, hostFiles);
  }

  /**
   * Adds the refusal to a decision about something that was refused before, even if the refusal is no longer in the
   * model's window.
   */
  private async withRefusals(
    command: string,
    judgements: readonly Judgement[],
    { session, hosts, hostFolders }: ActionContext,
  ): Promise<readonly Judgement[]> {
    const refusals = await listRefusals(this.ports.db.statements, session.sessionId);
    const isAgain = refusals.some(({ action }) => action === command.trim());
    // A refusal of changes does not cover commands that only read.
    if (refusals.length === 0 || (!isAgain && knownReadOnly(command))) return judgements;
    return judgements.map((judgement) => {
      const { executionContext, classification, confirm = classification.reason } = judgement;
      // No layer holds changes outside of a closed workspace, so a refusal covers the whole place, for every command
      // that reaches it.
      const isClosed = hosts.length === 0 && executionContext?.undoable === true;
      const elsewhere = isClosed ? null : refusedElsewhere(command, hostFolders, refusals);
      if (elsewhere !== null)
        return { ...judgement, grant: null, ...refusedBeforeQuestion(elsewhere.quote, elsewhere.attempt, confirm) };
      const attempted = attemptOf(command, executionContext?.folder, refusals);
      const quote = refusedBefore(attempted, refusals);
      // If aish asks about a command only afterwards, that later question quotes the refusal.
      if (quote === null || (!needsPerson(judgement) && executionContext?.undoable === true)) return judgement;
      // With a grant, changes to refused paths are held. If they cannot be held, no grant covers them.
      const grant = executionContext?.undoable === true ? judgement.grant : null;
      return { ...judgement, grant, ...refusedBeforeQuestion(quote, attemptAt(attempted, refusals), confirm) };
    });
  }

  /**
   * Asks a goal's person about a command while the sandbox is unavailable, once, if the text alone requires a question.
   * Returns null if the goal must wait.
   */
  private async askWithoutContext(
    [action]: readonly Action[],
    context: ActionContext,
    signal: AbortSignal,
  ): Promise<Performed | null> {
    const from = performance.now();
    if (context.session.goalId === null || action?.kind !== 'command') return null;
    if ((await approvalOf(this.ports.db.statements, action.id)) !== null) return null;
    const judgement = await judgeTextOnly(action, context, this.ports, signal);
    return judgement === null ? null : classified([judgement], from);
  }

  private keepTerms(judgement: Judgement): void {
    const { actionId, classification, grant, executionContext } = judgement;
    const digest = executionContext?.digest ?? null;
    if (classification.verdict === 'safe' || classification.held === true) this.cleared.add(actionId);
    this.terms.delete(actionId);
    if (!needsPerson(judgement)) {
      this.terms.set(actionId, termsUnasked(judgement));
    } else if (grant !== null) {
      const isBound = executionContext?.files !== undefined;
      const { hostFiles = [] } = executionContext ?? {};
      this.terms.set(actionId, { contextDigest: digest, isBound, hostFiles, carried: grant.carried });
    }
  }

  /**
   * Returns the terms of an approved command. Null if the approved context is unknown, because an earlier version
   * asked, or because the command ran under a grant before a crash.
   */
  private async termsOf({ id }: Command, approval: ActionApproval | null): Promise<Terms | null> {
    const known = this.terms.get(id);
    if (known !== undefined) return known;
    const { db } = this.ports;
    if (approval !== null) return approval.contextDigest === null ? null : approval;
    if (await this.wasApproved(id)) return null;
    return (await runsHeld(db.statements, id)) ? ONLY_HELD : SAFE_ANYWHERE;
  }

  /** Returns the approval of exactly this action; null if no person approved it. */
  private async findApproval({ id }: Action): Promise<ActionApproval | null> {
    return this.terms.has(id) ? null : approvalOf(this.ports.db.statements, id);
  }

  /**
   * Judges an action again when the change window opens for which it was approved.
   *
   * @returns why a person is asked again; null if the action may run
   */
  private async outdatedSince(
    action: Action,
    approval: ActionApproval,
    context: ActionContext,
    signal: AbortSignal,
  ): Promise<string | Unavailable | null> {
    const { db, sandbox } = this.ports;
    const space = await findSpaceOf(db.statements, 'sessions', context.session.sessionId);
    if (space === null || !isOpen(space.windows, new Date())) return WINDOW_CLOSED;
    const files = action.kind === 'command' && approval.isBound ? boundFiles(action.command) : [];
    const executionContext =
      action.kind === 'command' ? await readExecutionContext(action.command, context, sandbox, signal, files) : null;
    if (executionContext !== null && 'type' in executionContext) return executionContext;
    const isOnHosts = action.kind === 'command' && approval.hostFiles.length > 0;
    const hostFiles = isOnHosts ? await lookAtScripts(action, context, this.ports, signal) : [];
    const place = executionContext === null ? null : withHostFiles(executionContext, hostFiles);
    const { classification, binding } = await judge(
      { action, executionContext: place, again: null },
      context,
      this.ports,
      signal,
    );
    if ((binding ?? null) !== approval.binding) return action.kind === 'command' ? CONTEXT_CHANGED : TOOL_CHANGED;
    return sameFindings(approval.classification, classification) ? null : JUDGED_OTHERWISE;
  }

  private async isOtherOnHost(
    action: Command,
    { hostFiles = [] }: Terms,
    context: ActionContext,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (hostFiles.length === 0) return false;
    return changedScripts(hostFiles, await lookAtScripts(action, context, this.ports, signal)).length > 0;
  }

  /** Returns the scripts on hosts as the approving person saw them. For a grant, they are unknown after a crash. */
  private async scriptsOf(id: string): Promise<readonly HostFile[]> {
    const known = this.terms.get(id)?.hostFiles;
    return known ?? (await approvalOf(this.ports.db.statements, id))?.hostFiles ?? [];
  }

  private async wasApproved(id: string): Promise<boolean> {
    return !this.cleared.has(id) && wasApproved(this.ports.db.statements, id);
  }

  /** Runs actions that were just recorded as started: a command, or tool calls, in parallel if there are several. */
  private async run(actions: readonly Action[], context: ActionContext, signal: AbortSignal): Promise<Performed> {
    const from = performance.now();
    const [first] = actions;
    if (first?.kind === 'command') {
      const { workspaces, sandbox } = this.ports;
      const never = whyNotTogether(first.command, context.hosts);
      if (never !== null) return performed({ kind: 'refused', actionId: first.id, reason: never }, from);
      const approval = await this.findApproval(first);
      const why = approval?.inWindow === true ? await this.outdatedSince(first, approval, context, signal) : null;
      if (why !== null) return typeof why === 'string' ? this.askAgain(first.id, why, from) : performed(why, from);
      const terms = await this.termsOf(first, approval);
      if (terms === null) return this.askAgain(first.id, CONTEXT_UNKNOWN, from);
      if (await this.isOtherOnHost(first, terms, context, signal))
        return this.askAgain(first.id, CHANGED_ON_HOST, from);
      const place = {
        goalId: context.session.goalId,
        step: context.step,
        workspaceId: context.session.sessionId,
        wasApproved: (id: string) => this.wasApproved(id),
        note: (body: Parameters<Parameters<typeof snapshotBefore>[1]['note']>[0]) =>
          context.write(() => Promise.resolve([body])),
      };
      await snapshotBefore(first, place, workspaces, signal);
      const secrets = await this.ports.secrets(context.session.sessionId).catch(unopened);
      if ('message' in secrets)
        return performed({ kind: 'refused', actionId: first.id, reason: secrets.message }, from);
      const refusals = await listRefusals(this.ports.db.statements, context.session.sessionId);
      const authorizer = this.authorizerFor(first, context, signal);
      const access = { authorizer, secrets, refusals: refusalsToHold(refusals) };
      const run = () => runCommand(first, terms, context, sandbox, signal, access);
      const ran = await dropHeldThenRun(run, context, this.ports, signal);
      if (!('kind' in ran) || ran.kind !== 'outdated')
        return performed(await withNotes(withAttempt(ran, first, refusals), authorizer), from);
      return this.askAgain(first.id, ran.why, from);
    }
    const calls = actions.filter((action): action is Call => action.kind === 'tool');
    const called = await Promise.all(
      calls.map(async (action) => {
        const approval = await this.findApproval(action);
        // A call that continues with answers to its server's questions has already started.
        const isNew = action.pending === undefined && approval?.inWindow === true;
        const why = isNew ? await this.outdatedSince(action, approval, context, signal) : null;
        if (typeof why === 'string') return outdatedCall(action, why);
        return callTool(action, approval?.binding ?? null, context, this.ports, signal);
      }),
    );
    for (const { ending } of called) {
      if (ending.kind === 'outdated') this.outdated.set(ending.actionId, ending.why);
    }
    const askedMs = Math.max(...called.map((each) => each.askedMs));
    const endings = called.map(({ ending }) => ending);
    // The task that is due first is polled first.
    const waits = endings.find((ending) => ending.kind === 'waits');
    return {
      event: {
        type: 'ended',
        endings,
        // Polling a task does not count as the session's time.
        tookMs: waits === undefined ? Math.max(0, performance.now() - from - askedMs) : 0,
        at: Date.now(),
      },
      ...(waits === undefined ? {} : { retryAfterMs: waits.pending.task.pollMs }),
      found: called.flatMap(({ found }) => found),
    };
  }

  /** Returns the authorizer for the command's use of other hosts; null if the command may use none. */
  private authorizerFor(action: Command, context: ActionContext, signal: AbortSignal): SshAuthorizer | null {
    const { hosts, ...ports } = this.ports;
    if (hosts === undefined || context.hosts.length === 0) return null;
    const wasApproved = () => this.wasApproved(action.id);
    return new SshAuthorizer({
      action,
      context,
      ports,
      hosts,
      wasApproved,
      scripts: () => this.scriptsOf(action.id),
      signal,
    });
  }

  /** Carries out a person's verdict on a command's changes. */
  private async settle(action: Action, context: ActionContext, signal: AbortSignal): Promise<Performed> {
    return performed(await settleHeld(action, context, this.ports, signal), performance.now());
  }

  private askAgain(actionId: string, why: string, from: number): Performed {
    this.outdated.set(actionId, why);
    return performed({ kind: 'outdated', actionId, why }, from);
  }

  /**
   * Takes over an action that was started before. If the sandbox knows neither a running nor an ended run of a command,
   * the command is lost.
   */
  private async recover(action: Action, context: ActionContext, signal: AbortSignal): Promise<Performed> {
    const from = performance.now();
    if (action.kind === 'command') {
      const authorizer = this.authorizerFor(action, context, signal);
      await authorizer?.resume();
      const recovered = await recoverCommand(action, context, this.ports.sandbox, signal, authorizer);
      const refusals = await listRefusals(this.ports.db.statements, context.session.sessionId);
      return performed(await withNotes(withAttempt(recovered, action, refusals), authorizer), from);
    }
    if (action.pending?.task !== undefined) {
      // A goal is woken when the poll is due. A chat waits here.
      if (context.session.goalId === null) await pause(action.pending.task.pollMs, signal);
      return this.run([action], context, signal);
    }
    // A call that only reads may be repeated. For any other call, nobody knows how far it got.
    if (action.readOnly === true) return this.run([action], context, signal);
    return performed({ kind: 'lost', actionId: action.id }, from);
  }
}

/** Adds notes about changes on hosts that could have cut their connections. */
async function withNotes(ran: Ending | Unavailable, authorizer: SshAuthorizer | null): Promise<Ending | Unavailable> {
  if (authorizer === null || !('kind' in ran) || (ran.kind !== 'ran' && ran.kind !== 'lost')) return ran;
  const notes = await authorizer.finish();
  return notes.length === 0 ? ran : { ...ran, notes };
}

/** Adds to held changes how many times a refused change was tried. */
function withAttempt(
  ran: Ending | Unavailable,
  { command }: Command,
  refusals: readonly SessionRefusal[],
): Ending | Unavailable {
  if (!('kind' in ran) || ran.kind !== 'ran' || ran.outcome.held === undefined) return ran;
  const { held } = ran.outcome;
  const attempt = attemptAt({ action: command, paths: pathsAllowedBy({ ...ran.outcome, held }) }, refusals);
  return attempt === 0 ? ran : { ...ran, attempt };
}

function outdatedCall({ id: actionId }: Call, why: string): Awaited<ReturnType<typeof callTool>> {
  return { ending: { kind: 'outdated', actionId, why }, found: [], askedMs: 0 };
}

function classified(judgements: readonly Judgement[], from: number): Performed {
  // The time of the rules is too short to count. The time of a model is not.
  const isAsked = judgements.some(({ classification: { by } }) => by === 'second-opinion');
  return {
    event: { type: 'classified', judgements, tookMs: isAsked ? performance.now() - from : 0, at: Date.now() },
    found: [],
  };
}

/** @throws the reason of `signal`. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

/**
 * Whether the changes of a command without objections decide, and not its text. They do in a closed workspace, even if
 * the text needs a confirmation.
 */
function isHeldOnly({ classification, executionContext }: Judgement, { hosts }: ActionContext): boolean {
  return classification.verdict === 'safe' && hosts.length === 0 && executionContext?.undoable === true;
}

/** Returns the terms of an action that no person approved. */
function termsUnasked({ classification, variablesGrant, executionContext }: Judgement): Terms {
  if (classification.held === true) return ONLY_HELD;
  if (variablesGrant === undefined) return SAFE_ANYWHERE;
  return { contextDigest: executionContext?.digest ?? null, carried: true, hold: 'may' };
}

/**
 * Makes the error for a secret that was sealed with another installation's key. No command runs without a secret that
 * it was given.
 */
function unopened(error: unknown): AishError {
  if (isAishError(error, 'invalid_config')) return error;
  throw error;
}

function performed(ran: Ending | Unavailable, from: number): Performed {
  if ('type' in ran) {
    const { retryAfterMs, heldBy: _, ...event } = ran;
    return { event, found: [], ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  return { event: { type: 'ended', endings: [ran], tookMs: performance.now() - from, at: Date.now() }, found: [] };
}
