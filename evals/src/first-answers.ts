import { randomUUID } from 'node:crypto';
import { Asker, CapabilityStore, HttpBroker, TokenCounter, type ChatChunk, type ChatRequest } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { AishError } from '@aish/contracts/problems';
import type { Turn } from '@aish/contracts/sessions';
import { hostNotice, networkNotice, noticeTurn, secretsNotice } from '@aish/prompt';
import { ModelSlots, askForStep } from '@aish/sessions';
import { Toolbox } from '@aish/tools';
import { machinesOf, type Job } from './job.js';
import { unusable, type Unusable } from './usable.js';

export interface FirstResult {
  readonly job: string;
  readonly seed: number;
  readonly fault: Unusable | null;
  readonly promptTokens: number;
  readonly tokensWritten: number;
  readonly ms: number;
  readonly written: string;
}

/** Records the text that the model writes, even if aish ends the answer early. */
class HearingBroker extends HttpBroker {
  measured = { written: '', pieces: 0, promptTokens: 0, tokensWritten: 0, finishReason: null as string | null };

  override async *chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatChunk, void> {
    const measured = { written: '', pieces: 0, promptTokens: 0, tokensWritten: 0, finishReason: null as string | null };
    this.measured = measured;
    for await (const chunk of super.chat(request, signal)) {
      if (chunk.type === 'text') measured.written += chunk.text;
      // An interrupted answer has no usage, but llama.cpp sends one piece per token.
      if (chunk.type === 'text' || chunk.type === 'reasoning' || chunk.type === 'toolCall') measured.pieces += 1;
      if (chunk.type === 'progress') measured.promptTokens = chunk.total;
      if (chunk.type === 'end') {
        measured.finishReason = chunk.finishReason;
        measured.promptTokens = chunk.usage.promptTokens ?? measured.promptTokens;
        measured.tokensWritten = chunk.usage.completionTokens ?? 0;
      }
      yield chunk;
    }
  }
}

/** Sends a model the first request of goals, with the same prompt and sampling, but without tools and memory. */
export class FirstAnswers {
  private constructor(
    private readonly preset: Preset,
    private readonly broker: HearingBroker,
    private readonly asker: Asker,
  ) {}

  /** Probes the model first. @throws AishError if the endpoint does not respond */
  static async of(preset: Preset): Promise<FirstAnswers> {
    const broker = new HearingBroker();
    const store = { load: () => Promise.resolve(null), save: () => Promise.resolve() };
    const book = new CapabilityStore(broker, store, () => undefined);
    await book.probe(preset);
    return new FirstAnswers(preset, broker, new Asker(broker, book, new TokenCounter(broker)));
  }

  /** @throws AishError if the endpoint does not respond */
  async ask(job: Job, seed: number, signal: AbortSignal): Promise<FirstResult> {
    const results = { keep: () => Promise.resolve(''), readText: () => Promise.resolve(null) };
    const began = performance.now();
    const { event } = await askForStep(
      {
        session: { sessionId: randomUUID(), goalId: randomUUID(), owner: 'jobs' },
        preset: this.preset,
        seed,
        step: 1,
        turns: firstTurns(job),
        resumes: false,
        offered: [],
        wanted: [],
        toolShare: 0,
        memory: () => Promise.resolve(null),
        live: () => undefined,
        stopped: () => Promise.resolve(),
      },
      {
        asker: this.asker,
        toolbox: new Toolbox(() => [], results),
        autoApproves: () => false,
        slots: new ModelSlots(1),
      },
      signal,
    );
    const ms = performance.now() - began;
    const { written, pieces, promptTokens, tokensWritten, finishReason } = this.broker.measured;
    if (event.type !== 'answered') {
      throw new AishError('model_unreachable', 'reason' in event ? event.reason : `The model gave ${event.type}`);
    }
    const faults = event.actions.map(({ fault }) => fault);
    const fault = unusable({ written, cut: event.cut ?? null, finishReason, faults });
    return { job: job.name, seed, fault, promptTokens, tokensWritten: tokensWritten || pieces, ms, written };
  }
}

/** Returns the first turns of a goal of this job. The address is a placeholder, because there is no machine. */
function firstTurns({ goal, gives, ...job }: Job): readonly Turn[] {
  const address = '172.17.0.9';
  const hosts = machinesOf(job).map(({ host }) => ({ name: host, user: 'aish' }));
  const secrets = Object.entries(gives).map(([secret, { port }]) => ({
    name: secret,
    exposed: port === undefined,
    targets: port === undefined ? [] : [{ host: address, port, tls: false }],
  }));
  const ports = Object.values(gives).flatMap(({ port }) => port ?? []);
  const notices = [
    ...(hosts.length === 0 ? [] : [hostNotice(hosts)]),
    ...(ports.length === 0 ? [] : [networkNotice({ mode: 'allow', rules: [{ host: address, ports, private: true }] })]),
    ...(secrets.length === 0 ? [] : [secretsNotice(secrets)]),
  ];
  const text = goal.replaceAll('{address}', address);
  const turns = [
    ...notices.map((each) => noticeTurn(each)),
    { role: 'user', provenance: 'person', content: text } as const,
  ];
  return turns.map((turn, seq) => ({ ...turn, seq }));
}

/** Returns a row for each endpoint with the quality of its first answers. */
export function firstAnswersTable(
  rows: readonly { readonly endpoint: string; readonly results: readonly FirstResult[] }[],
): readonly (readonly string[])[] {
  const sum = (results: readonly FirstResult[], of: (result: FirstResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const head = ['endpoint', 'prompt tokens', 'usable', 'of', 'invents results', 'tokens written', 'seconds'];
  return [
    head,
    ...rows.map(({ endpoint, results }) => [
      endpoint,
      String(Math.round(sum(results, ({ promptTokens }) => promptTokens) / Math.max(1, results.length))),
      String(results.filter(({ fault }) => fault === null).length),
      String(results.length),
      String(results.filter(({ fault }) => fault === 'invented').length),
      String(sum(results, ({ tokensWritten }) => tokensWritten)),
      String(Math.round(sum(results, ({ ms }) => ms) / 1_000)),
    ]),
  ];
}
