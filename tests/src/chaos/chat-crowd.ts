import { slowWords } from '../support/plan.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { TurnList } from '@aish/contracts/chat';
import type { Database } from '@aish/database/client';
import type { Reply } from '@aish/demo-model';
import { ChatClient } from '../support/chat.client.js';
import { eventually } from '../support/eventually.js';

/**
 * A message of the crowd. `accepted` means that a part of its stream arrived, so the message must survive every later
 * kill.
 */
interface Sent {
  readonly sessionId: string;
  readonly text: string;
  accepted: boolean;
}

export interface JudgedChats {
  readonly faults: readonly string[];
  readonly counts: Readonly<Record<'chats' | 'whole' | 'interrupted' | 'failed', number>>;
}

/** With this many words, most of the crowd is always in the middle of an answer. */
const WORDS = 60;
const WORD_MS = 80;

/** Returns the model's answer to a message of the crowd. It contains only words of that message. */
export function crowdAnswer(message: string): Extract<Reply, { text: string }> {
  return { text: `${message}: ${slowWords(WORDS)}`.trim(), delayMs: WORD_MS, chunkChars: 5 };
}

/** Simulates people who chat continuously. After an answer, or a broken stream, each of them begins the next chat. */
export class ChatCrowd {
  private readonly sent: Sent[] = [];
  private isLeaving = false;
  private people: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly db: Database,
    private readonly chat: ChatClient,
  ) {}

  begin(streams: number): void {
    this.people = Promise.all(Array.from({ length: streams }, (_, n) => this.talk(n)));
  }

  /** Waits until each person has the end of their last answer. */
  async leave(): Promise<void> {
    this.isLeaving = true;
    await this.people;
  }

  private async talk(person: number): Promise<void> {
    for (let n = 1; !this.isLeaving; n += 1) {
      try {
        const { id: sessionId } = await this.chat.create();
        const sent: Sent = { sessionId, text: `talk ${person}-${n}`, accepted: false };
        this.sent.push(sent);
        for await (const _ of this.chat.send(sessionId, sent.text)) sent.accepted = true;
      } catch {
        await sleep(200); // a service is being killed, and accepted messages are checked at the end
      }
    }
  }

  /** Checks that each accepted message is in its session, once, with its answer or the reason why there is none. */
  async judge(): Promise<JudgedChats> {
    const counts = { chats: this.sent.length, whole: 0, interrupted: 0, failed: 0 };
    const faults: string[] = [];
    for (const { sessionId, text, accepted } of this.sent) {
      await eventually(`${text} is over`, async () => (await this.chat.show(sessionId)).state === 'idle');
      const { items } = await this.chat.api.json(TurnList, 'GET', `/v1/sessions/${sessionId}/turns`);
      const asked = items.filter(({ role, content }) => role === 'user' && content === text);
      if (asked.length === 0 && !accepted) continue;
      if (asked.length !== 1) faults.push(`${text}: it is there ${asked.length} times`);
      const answers = items.filter(({ role }) => role === 'assistant');
      const [answer] = answers;
      const expected = crowdAnswer(text).text;
      const end = await this.endOf(sessionId);
      if (answers.length > 1) faults.push(`${text}: ${answers.length} answers`);
      if (answer?.content === expected) counts.whole += 1;
      else if (answer !== undefined && !expected.startsWith(answer.content))
        faults.push(`${text}: the answer is "${answer.content.slice(0, 80)}"`);
      else if (end === 'interrupted' || end === 'failed') counts[end] += 1;
      else faults.push(`${text}: ${answer === undefined ? 'no answer' : 'half an answer'}, and the exchange is ${end}`);
    }
    return { counts, faults };
  }

  private async endOf(sessionId: string): Promise<string | undefined> {
    const { rows } = await this.db.pool.query<{ end: string }>(
      "select payload->>'end' as end from events where session_id = $1 and type = 'exchange.ended'",
      [sessionId],
    );
    return rows.length === 1 ? rows[0]?.end : `ended ${rows.length} times`;
  }
}
