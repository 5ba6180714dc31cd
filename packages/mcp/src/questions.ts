import { createHash } from 'node:crypto';
import { ElicitationAnswer, type Elicitation, type PendingInput, type ToolCallOptions } from '@aish/contracts/tools';
import type { ElicitRequestParams, ElicitResult, InputResponses } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { cleanText } from './clean-text.js';
import { LIMITS } from './limits.js';

const NOBODY: ElicitationAnswer = { action: 'cancel' };

/** What `state` of a PendingInput holds. It went through the database, but a caller may send anything. */
const State = z.object({
  /** What a server of 2026 wants to be told again. */
  requestState: z.string().optional(),
  restarts: z.boolean(),
  /** Answers that were given already. */
  answers: z.record(z.string(), ElicitationAnswer),
});
type State = z.infer<typeof State>;

/** The questions of one call, and where their answers come from. */
export class Questions {
  private readonly before: State | null;
  private answers: Record<string, ElicitationAnswer>;
  private readonly unanswered: Record<string, Elicitation> = {};
  private asked = 0;

  constructor(private readonly options: ToolCallOptions) {
    const { resume } = options;
    this.before = resume === undefined ? null : readState(resume.state);
    this.answers = { ...this.before?.answers, ...resume?.answers };
  }

  /** What a resumed call starts with; null when the call is made again from the start. */
  resumed(): { readonly responses: InputResponses; readonly requestState: string | undefined } | null {
    if (this.before === null || this.before.restarts) return null;
    const answers = Object.entries(this.answers).map(([name, answer]) => [name, toElicitResult(answer)]);
    this.forget();
    return { responses: Object.fromEntries(answers) as InputResponses, requestState: this.before.requestState };
  }

  /**
   * The answer to a question, under the name that its server gave it or that is made from what it says. Null: it comes
   * later; `pending` says then what to do.
   */
  async answer(params: ElicitRequestParams, signal: AbortSignal, given?: string): Promise<ElicitationAnswer | null> {
    const name = given ?? nameOf(params);
    const known = this.answers[name];
    if (known !== undefined) return known;
    this.asked += 1;
    if (this.options.elicit === undefined || this.asked > LIMITS.questions) return NOBODY;
    const question = toElicitation(params);
    // Servers of 2026 name their questions and are asked again with the answers; the others wait on their open request.
    const answer = await this.options.elicit(question, signal, given !== undefined);
    if (answer === null) this.unanswered[name] = question;
    else this.answers[name] = answer;
    return answer;
  }

  /** The answers have been sent; a server may use a name again for another question. */
  forget(): void {
    this.answers = {};
  }

  /** What is left to be answered; undefined when nothing is. */
  pending(restarts: boolean, requestState?: string): PendingInput | undefined {
    if (Object.keys(this.unanswered).length === 0) return undefined;
    const state: State = { restarts, answers: this.answers, ...(requestState === undefined ? {} : { requestState }) };
    return { questions: this.unanswered, state: JSON.stringify(state), restarts };
  }
}

/** A question in the words of the contracts: cleaned and bounded. */
export function toElicitation(params: ElicitRequestParams): Elicitation {
  const message = cleanText(params.message, LIMITS.questionChars);
  if (params.mode === 'url') {
    return { mode: 'url', message, requestedSchema: null, url: cleanText(params.url, 4_096) };
  }
  return { mode: 'form', message, requestedSchema: { ...params.requestedSchema }, url: null };
}

/** An answer as the server wants it: what a person left out has the value that the question proposes. */
export function toElicitResult({ action, content }: ElicitationAnswer, params?: ElicitRequestParams): ElicitResult {
  if (action !== 'accept') return { action };
  const properties = params === undefined || params.mode === 'url' ? {} : params.requestedSchema.properties;
  const proposed = Object.entries(properties).flatMap(([name, schema]) =>
    'default' in schema && schema.default !== undefined ? [[name, schema.default] as const] : [],
  );
  return { action, content: { ...Object.fromEntries(proposed), ...content } };
}

/** Servers of 2025 give their questions no name: what is asked is the name. */
function nameOf(params: ElicitRequestParams): string {
  return createHash('sha256')
    .update(JSON.stringify(toElicitation(params)))
    .digest('hex')
    .slice(0, 16);
}

function readState(text: string): State | null {
  try {
    const parsed = State.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    // Not what `pending` gave out: the call is made as if it were new, and asks again.
    return null;
  }
}
