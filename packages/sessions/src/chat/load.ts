import { loadRecent, loadStep } from '@aish/actions';
import { ChatState } from '@aish/contracts/chat';
import { isTerminal } from '@aish/contracts/goals';
import { NeedLine } from '@aish/contracts/needs';
import { AishError } from '@aish/contracts/problems';
import { checkRole } from '@aish/contracts/space-roles';
import { Trust, limitTrust } from '@aish/contracts/trust';
import { followUpTurn } from '@aish/prompt';
import { acceptMessage, type Accepted, type Message } from '@aish/database/accept-message.repository';
import { findChat, openFollowUp, type ChatRow } from '@aish/database/chats.repository';
import type { Database } from '@aish/database/client';
import { findSpaceOf } from '@aish/database/spaces.repository';
import { mustHold } from '@aish/database/tokens.repository';
import { inTransaction } from '@aish/database/transaction';
import { appendTurn } from '@aish/database/turns.repository';
import type { Tx } from '@aish/database/tx';
import type { ChatMachine } from '../machine/chat/state.js';
import type { ChatSettings } from './chat-ports.js';

/** The maximum number of characters of a title in the list of sessions. */
const TITLE_MAX_CHARS = 60;

/** Accepts messages for chats that are idle. */
export class MessageIntake {
  /**
   * @param overtake ends a chat's open question, because a new message counts as "no".
   *
   * @returns false if there was no question.
   */
  constructor(
    private readonly db: Database,
    private readonly followUps: ChatSettings['followUps'],
    private readonly overtake: (sessionId: string, by: string) => Promise<boolean>,
  ) {}

  /** @throws AishError `unauthorized`; `forbidden`; `not_found`; `busy` while the chat works on another message. */
  async accept(sessionId: string, message: Message): Promise<Accepted> {
    const accepted = await acceptMessage(this.db, sessionId, message);
    if (accepted !== null) return accepted;
    await this.mustBeLet(sessionId, message.tokenId);
    const chat = await findChat(this.db.statements, sessionId);
    if (chat === null) return this.acceptAboutGoal(sessionId, message);
    if (chat.state === 'deciding' && (await this.overtake(sessionId, message.by))) {
      const next = await acceptMessage(this.db, sessionId, message);
      if (next !== null) return next;
    }
    throw new AishError('busy', 'This session is working on another message. Wait for it or stop it', {
      state: chat.state,
    });
  }

  /** @throws AishError `unauthorized`; `forbidden` */
  private async mustBeLet(sessionId: string, tokenId: string): Promise<void> {
    const token = await mustHold(this.db.statements, tokenId);
    const space = await findSpaceOf(this.db.statements, 'sessions', sessionId);
    if (space !== null) checkRole(space, token, 'use');
  }

  /** Accepts the first message to the session of a goal that has ended. */
  private async acceptAboutGoal(sessionId: string, message: Message): Promise<Accepted> {
    const state = await inTransaction(this.db, async (tx) => {
      const found = await openFollowUp(tx, sessionId, this.followUps);
      if (found !== null && isTerminal(found)) await appendTurn(tx, sessionId, followUpTurn(found));
      return found;
    });
    if (state === null) throw new AishError('not_found', `There is no chat ${sessionId}`);
    if (!isTerminal(state)) {
      throw new AishError('busy', `The goal of this session is ${state}. You can chat about it after it has ended`, {
        state,
      });
    }
    const accepted = await acceptMessage(this.db, sessionId, message);
    if (accepted !== null) return accepted;
    await this.mustBeLet(sessionId, message.tokenId);
    throw new AishError('busy', 'This session is working on another message');
  }
}

/** Makes the title of a session from its first message. */
export function titleOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= TITLE_MAX_CHARS
    ? line || 'new chat'
    : `${line.slice(0, TITLE_MAX_CHARS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

type ChatBounds = Pick<ChatSettings, 'maxToolDepth' | 'maxChatSteps' | 'trustMax' | 'readsGoOn'>;

/** Builds the machine of a chat from its rows. */
export async function loadChat(tx: Tx, row: ChatRow, bounds: ChatBounds): Promise<ChatMachine> {
  const step = await loadStep(tx, row.session_id);
  if (step === null) return machineOf(row, bounds);
  const { n, answered, goalLine, actions } = step;
  const line = NeedLine.safeParse(goalLine);
  // An action for an earlier message is not a repetition, because a person asked for it again.
  const recent = await loadRecent(tx, row.session_id, n - row.rounds + 1);
  return {
    ...machineOf(row, bounds),
    recent,
    step: { n, answered, goalLine: line.success ? line.data : null, actions },
  };
}

/** Returns the machine of a chat whose newest step has just begun. */
export function machineAtStart(row: ChatRow, step: number, bounds: ChatBounds): ChatMachine {
  return { ...machineOf(row, bounds), step: { n: step, answered: false, goalLine: null, actions: [] } };
}

function machineOf(row: ChatRow, bounds: ChatBounds): ChatMachine {
  const trust = limitTrust(bounds.trustMax, Trust.parse(row.trust));
  return {
    state: ChatState.parse(row.state),
    exchange: row.exchange,
    rounds: row.rounds,
    maxRounds: trust === 'undoable' ? Math.max(bounds.maxToolDepth, bounds.maxChatSteps) : bounds.maxToolDepth,
    autoContinue: row.auto_continue,
    readsGoOn: bounds.readsGoOn,
    confirmCommands: row.confirm_commands,
    trust,
    recent: [],
    step: null,
  };
}
