import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { oneLine } from '@aish/views/sanitise';
import { takesAnswer } from '@aish/contracts/decision-rules';
import type { Decision, GiveVerdict } from '@aish/contracts/decisions';
import { isTerminal, type Goal } from '@aish/contracts/goals';
import type { ApiClient, FeedItem } from '@aish/client/api.client';
import { ApiError } from '@aish/client/api.error';
import { linkAbort, type LinkedAbort } from '@aish/client/linked-abort';
import type { Followed } from '@aish/client/follow';
import { howToAnswer } from '@aish/views/decision.format';
import { formatMoment } from '@aish/views/duration.format';
import { decisionStory } from '@aish/views/goal.story';
import { markedLines } from '@aish/views/marked.lines';
import { toAnsi } from '@aish/views/text/palette';
import { forShown } from '@aish/client/goals.api';
import { askAnswer } from './ask-answer.js';
import { askVerdict, pagesOf } from './ask-verdict.js';
import { EXIT, type ExitCode } from '@aish/client/exit-codes';
import { note, paletteOf, widthOf, writeJson, type Io } from '@aish/client/io';
import { WatchPrinter } from './watch.printer.js';

/** A watch without a connection ends after this time. */
const GIVE_UP_AFTER_MS = 5 * 60_000;

/** Prints a goal's timeline until the goal ends, and asks for verdicts at a terminal. @returns the exit code @throws ApiError */
export async function followGoal(
  client: ApiClient,
  goal: Pick<Goal, 'number' | 'sessionId'>,
  io: Io,
  { json }: { readonly json: boolean },
): Promise<ExitCode> {
  return new Watch(client, io, json).run(goal);
}

/** An open prompt, until the person answers or it is withdrawn. */
interface Asking {
  readonly answer: Promise<GiveVerdict | 'interrupted'>;
  readonly stop: () => void;
}

class Watch {
  private readonly printer: WatchPrinter;
  private readonly leave: LinkedAbort;
  private readonly signal: AbortSignal;
  private asking: Asking | null = null;
  private asked: Decision | null = null;
  private lostAtMs: number | null = null;

  constructor(
    private readonly client: ApiClient,
    private readonly io: Io,
    private readonly json: boolean,
  ) {
    this.leave = linkAbort(io.signal);
    this.signal = this.leave.signal;
    const { stdout } = io;
    const width = (): number => widthOf(stdout);
    this.printer = new WatchPrinter(paletteOf(stdout, io.config), width, undefined, stdout.isTTY === true);
  }

  async run({ number, sessionId }: Pick<Goal, 'number' | 'sessionId'>): Promise<ExitCode> {
    const items = this.client.followSession(sessionId, this.signal);
    try {
      let next = nextOf(items);
      for (;;) {
        const happened = await (this.asking === null ? next : Promise.race([next, this.asking.answer]));
        if (happened === 'interrupted') break;
        if ('verdict' in happened) {
          await this.give(happened);
          continue;
        }
        if (happened.done === true) break; // this comes only after the signal
        const end = await this.handle(happened.value);
        if (end !== null) return end;
        next = nextOf(items);
      }
    } finally {
      this.stopAsking();
      this.leave.unlink();
      this.leave.abort();
      await items.return(undefined); // This closes the connection, which would otherwise keep the process alive.
    }
    note(this.io, `\nGoal ${number} continues. Watch it again: aish watch ${number}`);
    return EXIT.interrupted;
  }

  private async handle(followed: Followed<FeedItem>): Promise<ExitCode | null> {
    if (followed.type === 'lost') return this.lost(followed.error);
    if (followed.type === 'open') {
      this.printer.connected();
      if (this.lostAtMs !== null) note(this.io, 'connected again');
      this.lostAtMs = null;
      return null;
    }
    const { item } = followed;
    if (item.type === 'unknown') {
      note(this.io, `this version of aish does not know the event ${item.name}`);
      return null;
    }
    if (item.type === 'live') {
      if (this.json) writeJson(this.io, item.body, 0);
      else this.io.stdout.write(this.printer.live(item.body));
      return null;
    }
    const { body } = item.event;
    if (body.type === 'decision.given' || body.type === 'decision.withdrawn') this.answered(body.decisionId);
    if (this.json) writeJson(this.io, item.event, 0);
    else this.io.stdout.write(this.printer.event(item.event));
    if (body.type === 'decision.requested') return this.halted(body.decisionId);
    if (body.type === 'goal.changed' && isTerminal(body.state)) return body.state === 'done' ? EXIT.ok : EXIT.notDone;
    return null;
  }

  private lost(error: ApiError | null): null {
    const now = performance.now();
    if (this.lostAtMs === null && error !== null)
      note(this.io, `${this.printer.settle()}connection lost, retrying: ${error.message}`);
    this.lostAtMs ??= now;
    if (error !== null && now - this.lostAtMs > GIVE_UP_AFTER_MS) throw error;
    return null;
  }

  /** Handles a HALT in the stream. The stream also contains old decisions, and only an open one stops here. */
  private async halted(decisionId: string): Promise<ExitCode | null> {
    const decision = await this.client.call(decisionsApi.show, { params: { ref: decisionId } }, this.signal);
    if (decision.state !== 'pending') return null;
    if (this.io.stdin.isTTY !== true || this.json) {
      const how = howToAnswer(decision);
      const { expiresAt, expiryVerdict } = decision;
      if (expiresAt === null || expiryVerdict === null) {
        note(this.io, `d${decision.number} is waiting for a verdict: ${how}`);
        return EXIT.halted;
      }
      // A decision that gets a verdict when it expires does not end the watch.
      note(this.io, `d${decision.number} becomes ${expiryVerdict} at ${formatMoment(expiresAt)}; or ${how}`);
      return null;
    }
    this.ask(decision);
    return null;
  }

  private ask(decision: Decision): void {
    this.asked = decision;
    if (takesAnswer(decision.kind)) this.asking = this.askWords(decision);
    else {
      const { answer, stop } = askVerdict(this.io, this.pagesOf(decision));
      const given = answer.then((verdict) => (verdict === 'interrupted' ? verdict : { verdict }));
      this.asking = { answer: given, stop };
    }
  }

  /** Returns the decision, split into pages if it is longer than the screen. */
  private pagesOf(decision: Decision): readonly string[] {
    const { stdout, config } = this.io;
    const lines = markedLines(decisionStory(decision), widthOf(stdout));
    const palette = paletteOf(stdout, config);
    return pagesOf(
      lines.map((each) => toAnsi(each, palette).trimEnd()),
      stdout.rows ?? Infinity,
    );
  }

  private askWords(decision: Decision): Asking {
    const leave = linkAbort(this.signal);
    const answer = askAnswer(decision, { ...this.io, signal: leave.signal });
    const stop = (): void => {
      leave.unlink();
      leave.abort();
    };
    return { answer: answer.then((given) => given ?? 'interrupted'), stop };
  }

  private async give(given: GiveVerdict): Promise<void> {
    const decision = this.asked;
    this.stopAsking();
    if (decision === null) return;
    try {
      await this.client.call(
        decisionsApi.decide,
        { params: { ref: decision.id }, body: forShown(decision, given) },
        this.signal,
      );
    } catch (error) {
      // Someone else decided first. The stream says who, and how.
      if (error instanceof ApiError && error.code === 'decision_taken') return note(this.io, error.message);
      if (error instanceof ApiError && error.code === 'decision_changed') {
        const fresh = await this.client.call(decisionsApi.show, { params: { ref: decision.id } }, this.signal);
        note(this.io, `${error.message}: ${oneLine(fresh.goalText ?? '')}: ${oneLine(fresh.action)}`);
        return fresh.state === 'pending' ? this.ask(fresh) : undefined;
      }
      if (!(error instanceof ApiError) || error.kind !== 'unreachable') throw error;
      note(this.io, `not sent: ${error.message}`);
      this.ask(decision);
    }
  }

  private answered(decisionId: string): void {
    if (this.asked?.id === decisionId) this.stopAsking();
  }

  private stopAsking(): void {
    if (this.asking === null) return;
    this.asking.stop();
    this.asking = null;
    this.asked = null;
    this.io.stderr.write('\n');
  }
}

function nextOf<T>(items: AsyncGenerator<T>): Promise<IteratorResult<T>> {
  const next = items.next();
  // Nobody awaits this promise while a verdict is being sent. Its error is thrown when someone awaits it later.
  next.catch(() => undefined);
  return next;
}
