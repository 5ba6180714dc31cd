import { createHash } from 'node:crypto';
import { ElicitationAnswer, type Elicitation, type PendingInput, type ToolCallOptions } from '@aish/contracts/tools';
import type { ElicitRequestParams, ElicitResult, InputResponses } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { cleanText } from './clean-text.js';
import { LIMITS } from './limits.js';

const NOBODY: ElicitationAnswer = { action: 'cancel' };

/** The content of `state` in a PendingInput. It was stored in the database, but a caller may send anything. */
const State = z.object({
  /** The value that a server of 2026 wants to get back. */
  requestState: z.string().optional(),
  restarts: z.boolean(),
  /** The answers so far. */
  answers: z.record(z.string(), ElicitationAnswer),
});
type State = z.infer<typeof State>;

/** The questions of one call, and how to get their answers. */
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

  /** Returns the start of a resumed call; null if the call is repeated from the start. */
  resumed(): { readonly responses: InputResponses; readonly requestState: string | undefined } | null {
    if (this.before === null || this.before.restarts) return null;
    const answers = Object.entries(this.answers).map(([name, answer]) => [name, toElicitResult(answer)]);
    this.forget();
    return { responses: Object.fromEntries(answers) as InputResponses, requestState: this.before.requestState };
  }

  /**
   * Returns the answer to a question, under the server's name for it or a name made from its text. Null means that the
   * answer comes later, and `pending` says what to do then.
   */
  async answer(params: ElicitRequestParams, signal: AbortSignal, given?: string): Promise<ElicitationAnswer | null> {
    const name = given ?? nameOf(params);
    const known = this.answers[name];
    if (known !== undefined) return known;
    this.asked += 1;
    if (this.options.elicit === undefined || this.asked > LIMITS.questions) return NOBODY;
    const question = toElicitation(params);
    // Servers of 2026 name their questions and are called again with the answers. The others wait while their request
    // stays open.
    const answer = await this.options.elicit(question, signal, given !== undefined);
    if (answer === null) this.unanswered[name] = question;
    else this.answers[name] = answer;
    return answer;
  }

  /** Forgets the answers, because they have been sent. A server may reuse a name for another question. */
  forget(): void {
    this.answers = {};
  }

  /** Returns the open questions; undefined if there are none. */
  pending(restarts: boolean, requestState?: string): PendingInput | undefined {
    if (Object.keys(this.unanswered).length === 0) return undefined;
    const state: State = { restarts, answers: this.answers, ...(requestState === undefined ? {} : { requestState }) };
    return { questions: this.unanswered, state: JSON.stringify(state), restarts };
  }
}

/** Converts a question to the form of the contracts, cleaned and limited in size. */
export function toElicitation(params: ElicitRequestParams): Elicitation {
  const message = cleanText(params.message, LIMITS.questionChars);
  if (params.mode === 'url') {
    return { mode: 'url', message, requestedSchema: null, url: cleanText(params.url, 4_096) };
  }
  return { mode: 'form', message, requestedSchema: { ...params.requestedSchema }, url: null };
}

/** Converts an answer to the server's form. Omitted values get the default of the question. */
export function toElicitResult({ action, content }: ElicitationAnswer, params?: ElicitRequestParams): ElicitResult {
  if (action !== 'accept') return { action };
  const properties = params === undefined || params.mode === 'url' ? {} : params.requestedSchema.properties;
  const proposed = Object.entries(properties).flatMap(([name, schema]) =>
    'default' in schema && schema.default !== undefined ? [[name, schema.default] as const] : [],
  );
  return { action, content: { ...Object.fromEntries(proposed), ...content } };
}

/** Returns the name of a question. Servers of 2025 do not name their questions, so the text is the name. */
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
    // The value does not come from `pending`, so the call is made like a new one, and asks again.
    return null;
  }
}
