import { randomUUID } from 'node:crypto';
import type { Decision } from '@aish/contracts/decisions';
import { invariant } from '@aish/contracts/invariant';
import { isAishError, AishError } from '@aish/contracts/problems';
import { elicitationAnswer } from '@aish/contracts/tools';
import { findChat, insertChat, lockChat } from '@aish/database/chats.repository';
import { decide, listDecisions } from '@aish/database/decisions.repository';
import { listGrants, revokeGrant } from '@aish/database/grants.repository';
import { insertToken } from '@aish/database/tokens.repository';
import { inTransaction } from '@aish/database/transaction';
import { ChatRunner } from '../../chat/chat-runner.js';
import { CHAT_WAITS } from '../../chat/chat-ports.js';
import { grantFrom } from '../../goal/grant.js';
import type { ChatEvent } from '../../machine/chat/events.js';
import { Actor, LosableLocks } from './actor.js';
import { SETTINGS, type Setting } from './setting.js';
import { givenTo, tried, type Act, type Given, type Situation, type Subject } from './subject.js';

const ROUNDS_MAX = { maxToolDepth: 4, maxChatSteps: 6 };
const MESSAGES_MAX = 3;
const SENT = 'message';
/** No timer takes a lock in a simulation, because the timing would depend on the machine. */
const NEVER_MS = 2_000_000_000;
const WAITS = { ...CHAT_WAITS, lockAfterMs: NEVER_MS, retryMinMs: 0, retryMaxMs: 1 };

/** A simulated chat. */
export class ChatSubject implements Subject {
  private readonly runners: { readonly actor: Actor; readonly runner: ChatRunner }[] = [];
  /** The runner of the api, which takes verdicts. It runs no chat. */
  private readonly apiRunner: ChatRunner;
  private sent = 0;

  private constructor(
    private readonly setting: Setting,
    readonly sessionId: string,
    private readonly tokenId: string,
  ) {
    this.apiRunner = this.make(null);
  }

  static async begin(setting: Setting): Promise<ChatSubject> {
    const { world, chance } = setting;
    const [id, tokenId] = [randomUUID(), randomUUID()];
    const settings = {
      autoContinue: chance.is('continues', 0.5),
      confirmCommands: chance.is('confirms', 0.5),
      trust: chance.pick('trust', ['ask', 'undoable']),
      forkedFrom: null,
    };
    await inTransaction(world.db, async (tx) => {
      await insertChat(tx, { id, owner: 'p', title: 't', preset: 'fast', ...settings });
      await insertToken(tx, { id: tokenId, name: tokenId, hash: tokenId, scopes: ['operate'] });
    });
    return new ChatSubject(setting, id, tokenId);
  }

  /** Takes over unfinished work, or sends the first message if there is none. */
  runner(name: string): Actor {
    const isFirst = this.sent === 0;
    if (isFirst) this.sent += 1;
    const actor: Actor = this.actor(name, async (runner) => {
      if (isFirst) return (await this.send(runner)) === SENT;
      await runner.resume(this.sessionId);
      return actor.boundary !== 'lock.held' && actor.boundary !== null;
    });
    return actor;
  }

  async situation(): Promise<Situation> {
    const chat = await findChat(this.setting.world.db.statements, this.sessionId);
    if (chat?.state === 'idle') return this.sent === 0 ? 'goes on' : 'rests';
    return chat?.state === 'deciding' ? 'asks' : 'goes on';
  }

  readonly answer: Act = async () => {
    const { world, chance } = this.setting;
    const [asked] = await listDecisions(world.db.statements, { sessionId: this.sessionId, state: 'pending', limit: 9 });
    if (asked === undefined) return 'nothing is asked';
    const reply = await this.give(asked);
    return chance.is('two answers', 0.2) ? `${reply}; ${await this.give(asked)}` : reply;
  };

  readonly goOn: Act = () => Promise.resolve('a chat is never paused');

  readonly acts: readonly [Act, ...Act[]] = [
    this.answer,
    this.answer,
    this.answer,
    () => this.message(),
    () => this.message(),
    () => this.stop(),
    async () => `stop waiting: ${await this.apiRunner.stopWaiting(this.sessionId, 'p')}`,
    () => this.revoke(),
  ];

  differs(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  async beyond(): Promise<readonly string[]> {
    const chat = await findChat(this.setting.world.db.statements, this.sessionId);
    const most = Math.max(ROUNDS_MAX.maxToolDepth, ROUNDS_MAX.maxChatSteps);
    return (chat?.rounds ?? 0) > most ? [`bounds: ${chat?.rounds} rounds were gone`] : [];
  }

  close(): void {
    this.runners.length = 0;
  }

  /** @param begin returns whether the runner runs the chat from then on. */
  private actor(name: string, begin: (runner: ChatRunner) => Promise<boolean>): Actor {
    const actor: Actor = new Actor(name, new LosableLocks(this.setting.world.ports.locks), async () => {
      let reportLeft = (): void => undefined;
      const left = new Promise<void>((resolve) => (reportLeft = resolve));
      const runner = this.make(actor, reportLeft);
      this.runners.push({ actor, runner });
      if (await begin(runner)) await left;
      await runner.shutdown();
    });
    return actor;
  }

  private make(actor: Actor | null, reportLeft = (): void => undefined): ChatRunner {
    const { world, ports, onError } = this.setting;
    return new ChatRunner(
      {
        ...ports,
        ...(actor === null ? {} : { locks: actor.locks }),
        autoApproves: (label) => label === 'lab.read_sign',
        outlet: { events: () => undefined, live: () => undefined },
        background: () => () => Promise.resolve(null),
        onError: (error) => (isAishError(error, 'lock_lost') ? undefined : onError(error)),
        at: async (boundary) => {
          try {
            await actor?.at(boundary);
          } finally {
            if (boundary === 'lock.freed') reportLeft();
          }
        },
      },
      {
        ...SETTINGS,
        ...ROUNDS_MAX,
        presets: [world.preset],
        waits: WAITS,
        followUps: { autoContinue: true, confirmCommands: false },
        confirmReads: false,
        readsGoOn: true,
      },
    );
  }

  private async send(runner: ChatRunner): Promise<string> {
    const context = { sessionId: this.sessionId, owner: 'p', goalId: null };
    const text = `do it, ${this.setting.name}`;
    return tried(SENT, () => runner.send(context, text, this.tokenId), 'busy');
  }

  private newcomer: Actor | null = null;

  /** Returns the runner of a message that somebody has just sent. */
  takeNewcomer(): Actor | null {
    const { newcomer } = this;
    this.newcomer = null;
    return newcomer;
  }

  private async message(): Promise<string> {
    if (this.sent === 0 || this.sent >= MESSAGES_MAX) return 'nobody says anything';
    this.sent += 1;
    let result = '';
    const actor = this.actor(`m${this.sent}`, async (runner) => {
      result = await this.send(runner);
      return result === SENT;
    });
    await actor.step();
    this.newcomer = actor;
    return result;
  }

  private async stop(): Promise<string> {
    const running = this.runners.find(({ actor }) => !actor.isOver);
    if (running === undefined) return 'nobody runs it';
    void running.runner.stop(this.sessionId, 'p');
    return `stop ${running.actor.name}`;
  }

  private async revoke(): Promise<string> {
    const { statements } = this.setting.world.db;
    const [grant] = await listGrants(statements, this.sessionId);
    if (grant === undefined) return 'nothing is granted';
    await revokeGrant(statements, this.sessionId, grant.id, 'p');
    return `revoke ${grant.scope}`;
  }

  private give(asked: Decision): Promise<string> {
    const given = givenTo(asked, false, this.setting.chance);
    const what = `${given.by} says ${given.verdict}${given.granted === null ? '' : ` (${given.granted})`} to ${asked.kind} ${asked.action}`;
    return tried(what, () => this.take(asked, given), 'decision_taken', 'invalid_body');
  }

  /** Takes a verdict in the same way as the api. */
  private async take(asked: Decision, given: Given): Promise<void> {
    const { sessionId } = this;
    const { id: decisionId, number } = asked;
    const { verdict, message, granted, answer, give, by } = given;
    await inTransaction(this.setting.world.db, async (tx) => {
      invariant((await lockChat(tx, sessionId)) !== null, 'it is there');
      const first = await decide(tx, decisionId, {
        verdict,
        message,
        granted,
        by,
        ...(answer === null ? {} : { answer }),
      });
      if (!first) throw new AishError('decision_taken', 'Somebody else was first');
      if (granted !== null) await grantFrom(tx, asked, { chatId: sessionId }, granted, { by });
      const verdictFields = { decisionId, number, verdict, message, granted, carried: false, by };
      await this.apiRunner.decide(tx, sessionId, eventOf(asked, given, (await give?.()) ?? null), [
        { type: 'decision.given', goalId: null, ...verdictFields },
      ]);
    });
  }
}

function eventOf(
  { kind, actionId }: Decision,
  { verdict, message, answer: values, by }: Given,
  access: readonly string[] | null,
): Extract<ChatEvent, { type: 'decided' | 'needDecided' }> {
  if (actionId === null) return { type: 'needDecided', verdict, access, message, by };
  const answer = kind === 'elicitation' ? elicitationAnswer(verdict, values) : null;
  return { type: 'decided', actionId, verdict, message, answer, edited: null, by };
}
