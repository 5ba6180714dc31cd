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

/** Keeps what the model writes, also where aish leaves the answer before its end. */
class HearingBroker extends HttpBroker {
  heard = { written: '', pieces: 0, promptTokens: 0, tokensWritten: 0, finishReason: null as string | null };

  override async *chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatChunk, void> {
    const heard = { written: '', pieces: 0, promptTokens: 0, tokensWritten: 0, finishReason: null as string | null };
    this.heard = heard;
    for await (const chunk of super.chat(request, signal)) {
      if (chunk.type === 'text') heard.written += chunk.text;
      // An answer that is left has no usage: llama.cpp sends a piece for each token.
      if (chunk.type === 'text' || chunk.type === 'reasoning' || chunk.type === 'toolCall') heard.pieces += 1;
      if (chunk.type === 'progress') heard.promptTokens = chunk.total;
      if (chunk.type === 'end') {
        heard.finishReason = chunk.finishReason;
        heard.promptTokens = chunk.usage.promptTokens ?? heard.promptTokens;
        heard.tokensWritten = chunk.usage.completionTokens ?? 0;
      }
      yield chunk;
    }
  }
}

/** Asks a model what goals would ask it first: the same prompt, the same sampling, no tools, nothing remembered. */
export class FirstAnswers {
  private constructor(
    private readonly preset: Preset,
    private readonly broker: HearingBroker,
    private readonly asker: Asker,
  ) {}

  /** Finds out first how the model is asked. @throws AishError of an endpoint that does not answer. */
  static async of(preset: Preset): Promise<FirstAnswers> {
    const broker = new HearingBroker();
    const store = { load: () => Promise.resolve(null), save: () => Promise.resolve() };
    const book = new CapabilityStore(broker, store, () => undefined);
    await book.probe(preset);
    return new FirstAnswers(preset, broker, new Asker(broker, book, new TokenCounter(broker)));
  }

  /** @throws AishError of an endpoint that does not answer. */
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
    const { written, pieces, promptTokens, tokensWritten, finishReason } = this.broker.heard;
    if (event.type !== 'answered') {
      throw new AishError('model_unreachable', 'reason' in event ? event.reason : `The model gave ${event.type}`);
    }
    const faults = event.actions.map(({ fault }) => fault);
    const fault = unusable({ written, cut: event.cut ?? null, finishReason, faults });
    return { job: job.name, seed, fault, promptTokens, tokensWritten: tokensWritten || pieces, ms, written };
  }
}

/** What a goal of this job begins with. The address of its machine is any: none is made. */
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
    { role: 'user', provenance: 'person', content: text } as const,
    ...notices.map((each) => noticeTurn(each)),
  ];
  return turns.map((turn, seq) => ({ ...turn, seq }));
}

/** A row for each endpoint: what its first answers were worth. */
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
