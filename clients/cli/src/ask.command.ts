import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { chatApi, sessionSandboxApi, sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { Session } from '@aish/contracts/chat';
import { takesAnswer } from '@aish/contracts/decision-rules';
import { SessionEvent, LiveBody, type EventBody } from '@aish/contracts/events';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { EventSourceMessage } from 'eventsource-parser';
import type { ApiClient } from '@aish/client/api.client';
import { forShown } from '@aish/client/goals.api';
import { howToAnswer } from '@aish/views/decision.format';
import { newsPiece, type Piece } from '@aish/views/entry.pieces';
import { goalRequest } from '@aish/views/goal.options';
import { hasEnded } from '@aish/views/goal.state';
import { span } from '@aish/views/line';
import { MarkedStream, gutter } from '@aish/views/marked.lines';
import type { ToolNews } from '@aish/views/tool-news.format';
import { StreamCleaner, oneLine } from '@aish/views/sanitise';
import { toAnsi } from '@aish/views/text/palette';
import { askAnswer } from './ask-answer.js';
import { askVerdict } from './ask-verdict.js';
import { behaviour, any, flag, option } from './command.js';
import { EXIT, type ExitCode } from '@aish/client/exit-codes';
import { goalOptions } from './goal-options.js';
import { note, paletteOf, readAll, widthOf, writeJson, type Io } from '@aish/client/io';
import { goalReference, sessionReference } from './reference.js';
import { warnOfSecrets } from '@aish/client/secrets-note';
import { WatchPrinter } from './watch.printer.js';

export const ask = behaviour({
  args: { question: any('the question (default: read from stdin)') },
  options: {
    session: option('session', 'continue this session instead of starting one', {
      short: '-s',
      read: sessionReference,
      suggests: 'session',
    }),
    goal: option('goal', 'ask about this ended goal, in its own session', {
      short: '-g',
      read: goalReference,
      suggests: 'goal',
    }),
    continue: flag('send the output of commands to the model at once'),
    ...goalOptions('space', 'preset', 'trust', 'folder', 'host', 'fresh'),
  },
  json: 'print events and live text as JSON, one object per line',
  examples: [
    'aish ask "what is a tarpit?"',
    'git diff | aish ask "write a commit message for this"',
    'aish ask -s 12 "and shorter?"',
    'aish ask -g 4 "why did you skip the last folder?"',
    'aish ask --trust undoable "sort these notes into folders by year"',
    'aish ask --folder media "which films have no subtitles?"',
  ],
  exits: { 5: 'the answer was stopped or is incomplete', 6: 'a verdict is needed and stdin is not a terminal' },
  run: async ({ args, options, io, connect, exit }) => {
    const { client } = connect();
    const text = await questionOf(args.question, io);
    const { trust, hostFolders, hosts, space, preset } = goalRequest(options);
    const access = { trust, hostFolders, hosts };
    if (options.space !== undefined && (options.session ?? options.goal) !== undefined) {
      throw new AishError('invalid_body', '--space works only for a new session; an existing session keeps its space');
    }
    const known = options.goal === undefined ? options.session : await endedSession(client, options.goal, io.signal);
    let session: Session;
    if (known === undefined) {
      const settings = { space, preset, autoContinue: options.continue, ...access };
      session = await client.call(sessionsApi.create, { body: settings }, io.signal);
    } else if (Object.values(access).every((each) => each === undefined))
      session = await client.call(sessionsApi.show, { params: { ref: known } }, io.signal);
    else session = await client.call(sessionsApi.change, { params: { ref: known }, body: access }, io.signal);
    if (options.fresh !== undefined)
      await client.call(sessionSandboxApi.set, { params: { id: session.id }, body: { carryOver: false } }, io.signal);
    const [code] = await Promise.all([
      new Asked(client, session, io, options.json).run(text),
      warnOfSecrets(io, 'Your question', text),
    ]);
    return exit(code);
  },
});

/** Returns the question. If there are both words and stdin, the words are the question and stdin is its subject. */
async function questionOf(words: readonly string[], io: Io): Promise<string> {
  const question = words.join(' ');
  const piped = io.stdin.isTTY === true && question !== '' ? '' : await readAll(io);
  const text = [question === '-' ? '' : question, piped.trimEnd()].filter((part) => part !== '').join('\n\n');
  if (text === '') throw new AishError('invalid_body', 'Ask something: aish ask "…", or pipe it in');
  return text;
}

/** The maximum number of progress lines that are printed for one call. */
const NEWS_MAX = 100;

/** Returns the session of a goal that a person can ask about. @throws AishError `busy` if the goal has not ended */
async function endedSession(client: ApiClient, goal: string, signal: AbortSignal): Promise<string> {
  const { number, state, sessionId } = await client.call(goalsApi.show, { params: { ref: goal } }, signal);
  if (hasEnded(state)) return sessionId;
  throw new AishError('busy', `Goal ${number} has not ended. Send a message to its model: aish steer ${number} "…"`);
}

/**
 * Returns whether a piece is printed in addition to the answer: a fallback model gave the answer, it was cut off, or
 * aish adds a notice.
 */
const isWarning = (piece: Piece): boolean =>
  piece.as === 'text' && piece.spans.some(({ text, style }) => style === 'warn' && text !== '');

/**
 * Runs one exchange on the command line. The answer goes to stdout, and everything else goes to stderr. A program gets
 * the answer unchanged. At a terminal the gutter marks text that aish did not write.
 */
class Asked {
  private readonly cleaner = new StreamCleaner();
  private readonly answer: MarkedStream;
  private readonly printer: WatchPrinter;
  private streamedChars = 0;
  private newsShown = 0;
  private end: ExitCode = EXIT.notDone;

  constructor(
    private readonly client: ApiClient,
    private readonly session: Session,
    private readonly io: Io,
    private readonly json: boolean,
  ) {
    const { stdout, stderr, config } = io;
    const lead = stdout.isTTY === true ? gutter(0) : '';
    const text = toAnsi([span(lead, 'dim')], paletteOf(stdout, config));
    this.answer = new MarkedStream({ text, cells: lead.length }, () => widthOf(stdout));
    const width = (): number => widthOf(stderr);
    this.printer = new WatchPrinter(paletteOf(stderr, config), width, undefined, stderr.isTTY === true);
    this.printer.connected();
  }

  async run(text: string): Promise<ExitCode> {
    const { io, session } = this;
    const request = { method: 'POST', path: `/v1/sessions/${session.id}/messages`, body: { text } } as const;
    const onAbort = (): void => void this.stop();
    io.signal.addEventListener('abort', onAbort, { once: true });
    try {
      for await (const message of this.client.events(request, io.signal)) {
        if (message === 'open') continue;
        const halted = await this.handle(message);
        if (halted !== null) return halted;
      }
    } finally {
      io.signal.removeEventListener('abort', onAbort);
    }
    if (io.stdout.isTTY === true) note(io, `session ${session.number}; to continue: aish ask -s ${session.number} "…"`);
    return this.end;
  }

  /** Stops the exchange itself at Ctrl-C, not only its display. */
  private async stop(): Promise<void> {
    try {
      await this.client.call(chatApi.stop, { params: { ref: this.session.id } });
    } catch (error) {
      note(this.io, `not stopped: ${isAishError(error) || error instanceof Error ? error.message : String(error)}`);
    }
  }

  private async handle(message: EventSourceMessage): Promise<ExitCode | null> {
    const data: unknown = JSON.parse(message.data);
    if (message.id === undefined) {
      const live = LiveBody.safeParse(data);
      if (live.success) this.live(live.data);
      return null;
    }
    const event = SessionEvent.safeParse(data);
    if (!event.success) return null; // an event from a newer version
    if (this.json) writeJson(this.io, event.data, 0);
    return this.event(event.data);
  }

  private live(body: LiveBody): void {
    if (this.json) return writeJson(this.io, body, 0);
    if (body.type === 'answer.delta') {
      this.streamedChars += body.text.length;
      this.write(body.text);
    } else if (body.type === 'answer.retry') {
      if (body.reason.startsWith('again')) this.streamedChars = 0;
      this.say(`(${oneLine(body.reason)})`);
    } else if (body.type === 'answer.progress') {
      if (this.streamedChars === 0) this.io.stderr.write(this.printer.live(body));
    } else if (body.type === 'tool.log' || body.type === 'tool.progress') this.news(body);
    else this.print(this.printer.live(body));
  }

  /** Prints progress, which is only useful while it happens and is not kept. */
  private news(body: ToolNews): void {
    if (this.io.stdout.isTTY !== true || this.newsShown >= NEWS_MAX) return;
    this.newsShown += 1;
    this.print(this.printer.lines([newsPiece(body)]));
  }

  private async event(event: SessionEvent): Promise<ExitCode | null> {
    const { body } = event;
    if (body.type === 'message.received') return null;
    if (body.type === 'answer.started') this.streamedChars = 0;
    if (body.type === 'action.started') this.newsShown = 0;
    if (body.type === 'exchange.ended') this.end = body.end === 'answered' ? EXIT.ok : EXIT.notDone;
    // This prints the part that did not arrive live.
    if (body.type === 'answer.ended' && !this.json) this.write(body.text.slice(this.streamedChars));
    const isAnswer = body.type === 'answer.ended';
    this.print(this.printer.event(event, isAnswer ? isWarning : undefined), isAnswer || undefined);
    return body.type === 'decision.requested' ? this.decide(body) : null;
  }

  private async decide(body: Extract<EventBody, { type: 'decision.requested' }>): Promise<ExitCode | null> {
    const { io, client } = this;
    if (io.stdin.isTTY !== true || this.json) {
      this.say(`${takesAnswer(body.kind) ? 'an answer' : 'a verdict'} is needed: ${howToAnswer(body)}`);
      return EXIT.halted;
    }
    if (takesAnswer(body.kind)) {
      // aish asks for the values of the decision one by one.
      const decision = await client.call(decisionsApi.show, { params: { ref: body.decisionId } }, io.signal);
      const given = await askAnswer(decision, io);
      if (given === null) return EXIT.interrupted;
      await client.call(
        decisionsApi.decide,
        { params: { ref: body.decisionId }, body: forShown(decision, given) },
        io.signal,
      );
      return null;
    }
    const asking = askVerdict(io);
    const verdict = await asking.answer;
    asking.stop();
    io.stderr.write('\n');
    if (verdict === 'interrupted') return EXIT.interrupted;
    await client.call(decisionsApi.decide, { params: { ref: body.decisionId }, body: { verdict } }, io.signal);
    return null;
  }

  private write(text: string): void {
    if (text === '') return;
    const cleared = this.printer.settle();
    if (cleared !== '') this.io.stderr.write(cleared);
    this.io.stdout.write(this.answer.push(this.cleaner.push(text)));
  }

  /** Prints a text below the answer, after ending the answer's line. */
  private print(text: string, isEnd = text !== ''): void {
    const end = isEnd ? this.answer.end() : '';
    if (end !== '') this.io.stdout.write(end);
    if (text !== '') this.io.stderr.write(text);
  }

  private say(text: string): void {
    this.print(`${this.printer.settle()}${text}\n`);
  }
}
