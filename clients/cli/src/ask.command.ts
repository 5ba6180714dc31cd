import type { Session } from '@aish/contracts/chat';
import { takesAnswer } from '@aish/contracts/decisions';
import { SessionEvent, LiveBody, type EventBody } from '@aish/contracts/events';
import { AishError, isAishError } from '@aish/contracts/problems';
import { Trust } from '@aish/contracts/trust';
import type { EventSourceMessage } from 'eventsource-parser';
import type { ApiClient } from '@aish/client/api.client';
import { forShown, giveVerdict } from '@aish/client/goals.api';
import { setCarryOver } from '@aish/client/sandbox.api';
import { changeSession, createSession, showSession, stopSession } from '@aish/client/sessions.api';
import { formatDifference, formatSurroundings } from '@aish/views/decision.format';
import { formatNews, type ToolNews } from '@aish/views/tool-news.format';
import { StreamCleaner, oneLine } from '@aish/views/sanitise';
import { askAnswer } from './ask-answer.js';
import { askVerdict } from './ask-verdict.js';
import { command, any, choice, flag, option, repeated } from './command.js';
import { EXIT, type ExitCode } from '@aish/client/exit-codes';
import { note, readAll, writeJson, type Io } from '@aish/client/io';
import { goalReference, sessionReference } from './reference.js';
import { tellOfSecrets } from '@aish/client/secrets-note';

export const ask = command({
  name: 'ask',
  about: 'ask the model something and print its answer as it comes; what stands on stdin goes with it',
  args: { question: any('the question; without words all of it is read from stdin') },
  options: {
    session: option('session', 'go on with this session instead of beginning one', {
      short: '-s',
      read: sessionReference,
      suggests: 'session',
    }),
    goal: option('goal', 'ask about this goal, which has ended, in its own session', {
      short: '-g',
      read: goalReference,
      suggests: 'goal',
    }),
    space: option('name', 'the space that a new session works in, whose reach it has (default general)'),
    preset: option('name', 'model preset of a new session'),
    continue: flag('the output of commands goes to the model at once'),
    trust: choice(
      'trust',
      'undoable: what can be taken back runs without a question, and the model goes on by itself (default ask)',
      Trust.options,
    ),
    folder: repeated('name', 'give its commands this folder of the host, by its name there; can be repeated'),
    host: repeated(
      'name',
      'let its commands use this machine over SSH, by its name in aish host list; can be repeated',
    ),
    fresh: flag('each command begins in /workspace, without the variables that the one before exported'),
  },
  json: 'print each event and each piece of live text as one JSON object per line',
  examples: [
    'aish ask "what is a tarpit?"',
    'git diff | aish ask "write a commit message for this"',
    'aish ask -s 12 "and shorter?"',
    'aish ask -g 4 "why did you leave out the last folder?"',
    'aish ask --trust undoable "sort these notes into folders by year"',
    'aish ask --folder media "which films have no subtitles?"',
  ],
  exits: { 5: 'the answer was stopped or broke off', 6: 'it waits for a verdict and stdin is no terminal' },
  run: async ({ args, options, io, connect, exit }) => {
    const { client } = connect();
    const text = await questionOf(args.question, io);
    const reach = {
      ...(options.folder === undefined ? {} : { hostFolders: [...options.folder] }),
      ...(options.host === undefined ? {} : { hosts: [...options.host] }),
      ...(options.trust === undefined ? {} : { trust: options.trust }),
    };
    if (options.space !== undefined && (options.session ?? options.goal) !== undefined) {
      throw new AishError('invalid_body', '--space is for a new session; what is there stays in its own');
    }
    const known =
      options.goal === undefined ? options.session : (await client.showGoal(options.goal, io.signal)).sessionId;
    let session: Session;
    if (known === undefined) {
      const settings = {
        ...(options.space === undefined ? {} : { space: options.space }),
        ...(options.preset === undefined ? {} : { preset: options.preset }),
        ...(options.continue === undefined ? {} : { autoContinue: true }),
        ...reach,
      };
      session = await createSession(client.transport, settings, io.signal);
    } else if (Object.keys(reach).length === 0) session = await showSession(client.transport, known, io.signal);
    else session = await changeSession(client.transport, known, reach, io.signal);
    if (options.fresh !== undefined) await setCarryOver(client.transport, session.id, false, io.signal);
    const [code] = await Promise.all([
      new Asked(client, session, io, options.json).run(text),
      tellOfSecrets(io, 'What you ask', text),
    ]);
    return exit(code);
  },
});

/** Words and stdin both: the words are the question, stdin what it is about. */
async function questionOf(words: readonly string[], io: Io): Promise<string> {
  const question = words.join(' ');
  const piped = io.stdin.isTTY === true && question !== '' ? '' : await readAll(io);
  const text = [question === '-' ? '' : question, piped.trimEnd()].filter((part) => part !== '').join('\n\n');
  if (text === '') throw new AishError('invalid_body', 'Ask something: aish ask "…", or pipe it in');
  return text;
}

/** Lines shown of what one call says of itself. */
const NEWS_MAX = 100;

/** One exchange as a command line sees it: the answer on stdout, all else on stderr. */
class Asked {
  private readonly cleaner = new StreamCleaner();
  private isAtLineStart = true;
  private printed = 0;
  private newsShown = 0;
  private end: ExitCode = EXIT.notDone;

  constructor(
    private readonly client: ApiClient,
    private readonly session: Session,
    private readonly io: Io,
    private readonly json: boolean,
  ) {}

  async run(text: string): Promise<ExitCode> {
    const { io, session } = this;
    const request = { method: 'POST', path: `/v1/sessions/${session.id}/messages`, body: { text } } as const;
    const onAbort = (): void => void this.stop();
    io.signal.addEventListener('abort', onAbort, { once: true });
    try {
      for await (const message of this.client.transport.events(request, io.signal)) {
        if (message === 'open') continue;
        const halted = await this.handle(message);
        if (halted !== null) return halted;
      }
    } finally {
      io.signal.removeEventListener('abort', onAbort);
    }
    if (io.stdout.isTTY === true) note(io, `session ${session.number}; go on: aish ask -s ${session.number} "…"`);
    return this.end;
  }

  /** Ctrl-C stops the exchange, not only the reading of it. */
  private async stop(): Promise<void> {
    try {
      await stopSession(this.client.transport, this.session.id);
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
    if (!event.success) return null; // of a newer version
    if (this.json) writeJson(this.io, event.data, 0);
    return this.event(event.data.body);
  }

  private live(body: LiveBody): void {
    if (this.json) return writeJson(this.io, body, 0);
    if (body.type === 'answer.delta') {
      this.printed += body.text.length;
      this.write(this.cleaner.push(body.text));
    } else if (body.type === 'answer.retry') {
      if (body.reason.startsWith('again')) this.printed = 0;
      this.say(`(${oneLine(body.reason)})`);
    } else if (body.type === 'tool.log' || body.type === 'tool.progress') this.news(body);
  }

  /** Of interest to who looks on, and to nobody afterwards. */
  private news(body: ToolNews): void {
    if (this.io.stdout.isTTY !== true || this.newsShown >= NEWS_MAX) return;
    this.newsShown += 1;
    this.say(`  ${formatNews(body)}`);
  }

  private async event(body: EventBody): Promise<ExitCode | null> {
    switch (body.type) {
      case 'answer.started':
        this.printed = 0;
        return null;
      case 'answer.ended':
        // What was not heard live is printed now.
        if (!this.json) this.write(this.cleaner.push(body.text.slice(this.printed)));
        this.settle();
        if (body.fallbackFrom !== null) this.say(`(${body.fallbackFrom} could not answer; ${body.preset} did)`);
        for (const text of body.notes) this.say(`(${oneLine(text)})`);
        return null;
      case 'action.skipped':
        this.say(`not run: ${oneLine(body.reason)}`);
        return null;
      case 'action.started':
        this.newsShown = 0;
        this.say(`${body.kind === 'tool' ? 'tool' : '$'} ${oneLine(body.command)}`);
        return null;
      case 'action.finished':
        if (body.outcome !== null) this.say(body.outcome.output.trimEnd());
        return null;
      case 'decision.requested':
        return this.decide(body);
      case 'exchange.ended':
        this.end = body.end === 'answered' ? EXIT.ok : EXIT.notDone;
        if (body.trouble !== null) this.say(`${body.trouble.code}: ${oneLine(body.trouble.detail)}`);
        else if (body.end !== 'answered') this.say(`(${body.end})`);
        return null;
      case 'chat.created':
      case 'chat.changed':
      case 'message.received':
      case 'action.classified':
      case 'action.lost':
      case 'action.snapshot':
      case 'action.undone':
      case 'decision.given':
      case 'decision.approved':
      case 'decision.taken_back':
      case 'decision.withdrawn':
      case 'goal.created':
      case 'goal.changed':
      case 'goal.edited':
      case 'goal.continued':
      case 'goal.check':
      case 'goal.trust':
      case 'goal.noticed':
      case 'grant.used':
      case 'grant.revoked':
      case 'step.started':
      case 'step.answered':
      case 'network.changed':
      case 'secrets.changed':
      case 'network.connection':
        return null;
    }
  }

  private async decide(body: Extract<EventBody, { type: 'decision.requested' }>): Promise<ExitCode | null> {
    this.say(`d-${body.number}: ${oneLine(body.reason)}: ${oneLine(body.action)}`);
    for (const each of formatSurroundings(body.surroundings ?? null)) this.say(`    ${each}`);
    for (const each of formatDifference(body.difference ?? null)) this.say(`    ${each}`);
    if (takesAnswer(body.kind)) return this.answer(body);
    if (this.io.stdin.isTTY !== true || this.json) {
      this.say(`it waits for a verdict: aish decide d-${body.number} proceed (or skip, or abort)`);
      return EXIT.halted;
    }

    const asking = askVerdict(this.io);
    const verdict = await asking.answer;
    asking.stop();
    this.io.stderr.write('\n');
    if (verdict === 'interrupted') return EXIT.interrupted;
    await this.client.giveVerdict(body.decisionId, verdict, null, this.io.signal);
    return null;
  }

  /** The question of a server, or what a model needs: at a terminal its values are asked for one by one. */
  private async answer({ decisionId, number, kind }: Extract<EventBody, { type: 'decision.requested' }>) {
    if (this.io.stdin.isTTY !== true || this.json) {
      const how = kind === 'need' ? 'give (or skip, or abort)' : `accept --answer '{…}' (or decline, or cancel)`;
      this.say(`it waits for an answer: aish decide d-${number} ${how}`);
      return EXIT.halted;
    }
    const { transport } = this.client;
    const decision = await this.client.showDecision(decisionId, this.io.signal);
    const given = await askAnswer(decision, this.io);
    if (given === null) return EXIT.interrupted;
    await giveVerdict(transport, decisionId, forShown(decision, given), this.io.signal);
    return null;
  }

  private write(text: string): void {
    if (text === '') return;
    this.io.stdout.write(text);
    this.isAtLineStart = text.endsWith('\n');
  }

  private settle(): void {
    if (!this.isAtLineStart && !this.json) this.write('\n');
  }

  private say(text: string): void {
    this.settle();
    if (text !== '') note(this.io, text);
  }
}
