import { setTimeout as sleep } from 'node:timers/promises';
import { sameFindings } from '@aish/contracts/approvals';
import { isOpen } from '@aish/contracts/change-windows';
import { isLastQuestion } from '@aish/contracts/decision-rules';
import { isAishError, type AishError } from '@aish/contracts/problems';
import type { CommandSurroundings } from '@aish/contracts/surroundings';
import { approvalOf, runsHeld, wasApproved, type LetThrough } from '@aish/database/let-through.repository';
import { listRefusals, type SessionRefusal } from '@aish/database/refusals.repository';
import { findSpaceOf } from '@aish/database/spaces.repository';
import { boundFiles } from '@aish/safety';
import { snapshotBefore } from '@aish/sandbox-client';
import type { Action, ActionEffect, ActionEvent, Ending, Judgement } from './action.js';
import { callTool, type Call } from './call.js';
import {
  ONLY_HELD,
  SAFE_ANYWHERE,
  lookAround,
  recoverCommand,
  runCommand,
  type Away,
  type Command,
  type Terms,
} from './command.js';
import type { ActionContext, ActionPorts } from './context.js';
import { SshAuthorizer } from './hosts/ssh.authorizer.js';
import { whyNotTogether } from './hosts/on-hosts.js';
import { afterHeld, settleHeld } from './held.js';
import { judge, judgeByWords } from './judge.js';
import { needsPerson } from './life/begin.js';
import { noteBans } from './bans.js';
import { refusedElsewhere } from './refused-places.js';
import {
  asSentence,
  attemptAt,
  attemptOf,
  lastQuestionLine,
  pathsLetBy,
  refusalsToHold,
  refusedBefore,
} from './refusals.js';
import { CHANGED, JUDGED_OTHERWISE, NOT_SHOWN, TOOL_CHANGED, WINDOW_CLOSED } from './surroundings.js';

/** What came of an effect. */
export interface Performed {
  readonly event: ActionEvent;
  /** How long the one who refused wants to be left alone. */
  readonly retryAfterMs?: number;
  /** Names of tools that the model has just found, for the next request. */
  readonly found: readonly string[];
}

/**
 * Judges, runs and recovers actions: the one place where what machines of sessions decide is done in the world. One for
 * each time that a session is driven; a crash loses nothing that the rows do not have.
 */
export class ActionEngine {
  /** Actions that the gate was seen to call safe: no person was asked about them. */
  private readonly cleared = new Set<string>();
  /** Of commands that may begin without a person, as what. Of those that a person let through the rows know. */
  private readonly terms = new Map<string, Terms>();
  /** Actions that were let through and may not begin as that, and why a person is asked again. */
  private readonly outdated = new Map<string, string>();

  constructor(private readonly ports: ActionPorts) {}

  /** Carries one effect out. @throws AishError `aborted`, and what nobody foresaw. */
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
    const command = actions.find((action) => action.kind === 'command')?.command;
    const around = command === undefined ? null : await lookAround(command, context, this.ports.sandbox, signal);
    if (around !== null && 'type' in around)
      return (await this.askAway(actions, context, signal)) ?? performed(around, from);
    const judgeIn = (place: typeof around) =>
      Promise.all(
        actions.map((action) =>
          judge({ action, around: place, again: this.outdated.get(action.id) ?? null }, context, this.ports, signal),
        ),
      );
    let judgements = await judgeIn(around);
    const bound = command === undefined ? null : await this.bound(command, judgements, context, signal);
    if (bound !== null && 'type' in bound)
      return (await this.askAway(actions, context, signal)) ?? performed(bound, from);
    if (bound !== null) judgements = await judgeIn(bound);
    const quoted = command === undefined ? judgements : await this.withRefusals(command, judgements, context);
    for (const judgement of quoted) this.keepTerms(judgement);
    return classified(quoted, from);
  }

  /** What a command begins in, with the files that a person is asked for; null where nobody is asked, or none decides. */
  private async bound(
    command: string,
    judgements: readonly Judgement[],
    context: ActionContext,
    signal: AbortSignal,
  ): Promise<CommandSurroundings | Away | null> {
    const isAsked = judgements.some((judgement) => needsPerson(judgement) && !isHeldOnly(judgement, context));
    const files = isAsked ? boundFiles(command) : [];
    return files.length === 0 ? null : lookAround(command, context, this.ports.sandbox, signal, files);
  }

  /** A question about what a person refused before quotes them, also when that has dropped out of the window. */
  private async withRefusals(
    command: string,
    judgements: readonly Judgement[],
    { session, hosts, hostFolders }: ActionContext,
  ): Promise<readonly Judgement[]> {
    const refusals = await listRefusals(this.ports.db.statements, session.sessionId);
    if (refusals.length === 0) return judgements;
    return judgements.map((judgement) => {
      const { surroundings, classification, confirm = classification.reason } = judgement;
      // No layer shows changes elsewhere, so a refusal covers the place itself, for every command that reaches it.
      const isClosed = hosts.length === 0 && surroundings?.undoable === true;
      const elsewhere = isClosed ? null : refusedElsewhere(command, hostFolders, refusals);
      if (elsewhere !== null) {
        const asked = confirm === null ? elsewhere : `${elsewhere} ${asSentence(confirm)}`;
        return { ...judgement, grant: null, confirm: asked };
      }
      const attempted = attemptOf(command, surroundings?.folder, refusals);
      const quote = refusedBefore(attempted, refusals);
      // What is asked about only afterwards quotes them then.
      if (quote === null || (!needsPerson(judgement) && surroundings?.undoable === true)) return judgement;
      const attempt = attemptAt(attempted, refusals);
      const last = isLastQuestion({ attempt }) ? lastQuestionLine(attempt) : null;
      const said = [quote, confirm === null ? null : asSentence(confirm)].filter((each) => each !== null).join(' ');
      return { ...judgement, attempt, confirm: last === null ? said : `${said.replace(/[^.]$/, '$&.')} ${last}` };
    });
  }

  /** With the sandbox away: a goal asks about a command whose words are enough to ask, once. Null: it waits. */
  private async askAway(
    [action]: readonly Action[],
    context: ActionContext,
    signal: AbortSignal,
  ): Promise<Performed | null> {
    const from = performance.now();
    if (context.session.goalId === null || action?.kind !== 'command') return null;
    if ((await approvalOf(this.ports.db.statements, action.id)) !== null) return null;
    const judgement = await judgeByWords(action, context, this.ports, signal);
    return judgement === null ? null : classified([judgement], from);
  }

  private keepTerms(judgement: Judgement): void {
    const { actionId, classification, grant, surroundings } = judgement;
    const digest = surroundings?.digest ?? null;
    if (classification.verdict === 'safe' || classification.held === true) this.cleared.add(actionId);
    this.terms.delete(actionId);
    if (!needsPerson(judgement)) {
      this.terms.set(actionId, termsUnasked(judgement));
    } else if (grant !== null) {
      const isBound = surroundings?.files !== undefined;
      this.terms.set(actionId, { surroundings: digest, isBound, carried: grant.carried });
    }
  }

  /** Null when nobody knows in what it was approved: by an earlier version, or under a grant before a crash. */
  private async termsOf({ id }: Command, approval: LetThrough | null): Promise<Terms | null> {
    const known = this.terms.get(id);
    if (known !== undefined) return known;
    const { db } = this.ports;
    if (approval !== null) return approval.surroundings === null ? null : approval;
    if (await this.wasApproved(id)) return null;
    return (await runsHeld(db.statements, id)) ? ONLY_HELD : SAFE_ANYWHERE;
  }

  /** Null where no person let this very action through. */
  private async letThrough({ id }: Action): Promise<LetThrough | null> {
    return this.terms.has(id) ? null : approvalOf(this.ports.db.statements, id);
  }

  /**
   * What was let through for the change window is judged again as that opens.
   * @returns why a person is asked again; null: it may run
   */
  private async outdatedSince(
    action: Action,
    approval: LetThrough,
    context: ActionContext,
    signal: AbortSignal,
  ): Promise<string | Away | null> {
    const { db, sandbox } = this.ports;
    const space = await findSpaceOf(db.statements, 'sessions', context.session.sessionId);
    if (space === null || !isOpen(space.windows, new Date())) return WINDOW_CLOSED;
    const files = action.kind === 'command' && approval.isBound ? boundFiles(action.command) : [];
    const around = action.kind === 'command' ? await lookAround(action.command, context, sandbox, signal, files) : null;
    if (around !== null && 'type' in around) return around;
    const { classification, binding } = await judge({ action, around, again: null }, context, this.ports, signal);
    if ((binding ?? null) !== approval.binding) return action.kind === 'command' ? CHANGED : TOOL_CHANGED;
    return sameFindings(approval.classification, classification) ? null : JUDGED_OTHERWISE;
  }

  private async wasApproved(id: string): Promise<boolean> {
    return !this.cleared.has(id) && wasApproved(this.ports.db.statements, id);
  }

  /** Actions that have just been written as started: a command, or tool calls, side by side if there are several. */
  private async run(actions: readonly Action[], context: ActionContext, signal: AbortSignal): Promise<Performed> {
    const from = performance.now();
    const [first] = actions;
    if (first?.kind === 'command') {
      const { workspaces, sandbox } = this.ports;
      const never = whyNotTogether(first.command, context.hosts);
      if (never !== null) return performed({ kind: 'refused', actionId: first.id, reason: never }, from);
      const approval = await this.letThrough(first);
      const why = approval?.inWindow === true ? await this.outdatedSince(first, approval, context, signal) : null;
      if (why !== null) return typeof why === 'string' ? this.askAgain(first.id, why, from) : performed(why, from);
      const terms = await this.termsOf(first, approval);
      if (terms === null) return this.askAgain(first.id, NOT_SHOWN, from);
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
      const desk = this.deskFor(first, context, signal);
      const reach = { desk, secrets, refusals: refusalsToHold(refusals) };
      const run = () => runCommand(first, terms, context, sandbox, signal, reach);
      const ran = await afterHeld(run, context, this.ports, signal);
      if (!('kind' in ran) || ran.kind !== 'outdated') return performed(withAttempt(ran, first, refusals), from);
      return this.askAgain(first.id, ran.why, from);
    }
    const calls = actions.filter((action): action is Call => action.kind === 'tool');
    const called = await Promise.all(
      calls.map(async (action) => {
        const approval = await this.letThrough(action);
        // A call that goes on with the answers to its server's questions has begun.
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
    // The first whose turn it is then is asked after first.
    const waits = endings.find((ending) => ending.kind === 'waits');
    return {
      event: {
        type: 'ended',
        endings,
        // A look at what goes on elsewhere is none of a session's time.
        tookMs: waits === undefined ? Math.max(0, performance.now() - from - askedMs) : 0,
        at: Date.now(),
      },
      ...(waits === undefined ? {} : { retryAfterMs: waits.pending.task.pollMs }),
      found: called.flatMap(({ found }) => found),
    };
  }

  /** Null where the command may use no other host. */
  private deskFor(action: Command, context: ActionContext, signal: AbortSignal): SshAuthorizer | null {
    const { hosts, ...ports } = this.ports;
    if (hosts === undefined || context.hosts.length === 0) return null;
    const wasApproved = () => this.wasApproved(action.id);
    return new SshAuthorizer({ action, context, ports, hosts, wasApproved, signal });
  }

  /** Carries out a person's verdict about what a command did. */
  private async settle(action: Action, context: ActionContext, signal: AbortSignal): Promise<Performed> {
    return performed(await settleHeld(action, context, this.ports, signal), performance.now());
  }

  private askAgain(actionId: string, why: string, from: number): Performed {
    this.outdated.set(actionId, why);
    return performed({ kind: 'outdated', actionId, why }, from);
  }

  /** Takes over what was begun before: the sandbox knows a command, running or ended, or nobody does. */
  private async recover(action: Action, context: ActionContext, signal: AbortSignal): Promise<Performed> {
    const from = performance.now();
    if (action.kind === 'command') {
      const desk = this.deskFor(action, context, signal);
      const recovered = await recoverCommand(action, context, this.ports.sandbox, signal, desk);
      const refusals = await listRefusals(this.ports.db.statements, context.session.sessionId);
      return performed(withAttempt(recovered, action, refusals), from);
    }
    if (action.pending?.task !== undefined) {
      // A goal comes back when it is time; a chat stays, and waits here.
      if (context.session.goalId === null) await pause(action.pending.task.pollMs, signal);
      return this.run([action], context, signal);
    }
    // A call that only reads may be made again. Of any other nobody knows what it did.
    if (action.readOnly === true) return this.run([action], context, signal);
    return performed({ kind: 'lost', actionId: action.id }, from);
  }
}

/** Held changes of what a person refused: which attempt they are. */
function withAttempt(ran: Ending | Away, { command }: Command, refusals: readonly SessionRefusal[]): Ending | Away {
  if (!('kind' in ran) || ran.kind !== 'ran' || ran.outcome.held === undefined) return ran;
  const { held } = ran.outcome;
  const attempt = attemptAt({ action: command, paths: pathsLetBy({ ...ran.outcome, held }) }, refusals);
  return attempt === 0 ? ran : { ...ran, attempt };
}

function outdatedCall({ id: actionId }: Call, why: string): Awaited<ReturnType<typeof callTool>> {
  return { ending: { kind: 'outdated', actionId, why }, found: [], askedMs: 0 };
}

function classified(judgements: readonly Judgement[], from: number): Performed {
  // Rules take no time worth counting; a model that is asked does.
  const isAsked = judgements.some(({ classification: { by } }) => by === 'second-opinion');
  return {
    event: { type: 'classified', judgements, tookMs: isAsked ? performance.now() - from : 0, at: Date.now() },
    found: [],
  };
}

/** @throws what `signal` aborts with. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

/**
 * In a closed workspace the changes decide about a command without objections, even if its text needs a confirmation.
 */
function isHeldOnly({ classification, surroundings }: Judgement, { hosts }: ActionContext): boolean {
  return classification.verdict === 'safe' && hosts.length === 0 && surroundings?.undoable === true;
}

/** As what something begins that no person let through. */
function termsUnasked({ classification, variablesGrant, surroundings }: Judgement): Terms {
  if (classification.held === true) return ONLY_HELD;
  if (variablesGrant === undefined) return SAFE_ANYWHERE;
  return { surroundings: surroundings?.digest ?? null, carried: true, hold: 'may' };
}

/** Sealed with another key than this installation's: no command runs without what it was given. */
function unopened(error: unknown): AishError {
  if (isAishError(error, 'invalid_config')) return error;
  throw error;
}

function performed(ran: Ending | Away, from: number): Performed {
  if ('type' in ran) {
    const { retryAfterMs, heldBy: _, ...event } = ran;
    return { event, found: [], ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  return { event: { type: 'ended', endings: [ran], tookMs: performance.now() - from, at: Date.now() }, found: [] };
}
