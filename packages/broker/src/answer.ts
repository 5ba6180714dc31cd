import type { Usage } from '@aish/contracts/goals';
import type { ChatChunk, FinishReason } from './broker.port.js';

export interface AnswerToolCall {
  readonly index: number;
  readonly id: string | null;
  readonly name: string;
  /** The JSON as the model wrote it. It is incomplete if the answer ended with `length`. */
  readonly arguments: string;
}

/** One complete answer. `finishReason` is null until its `end` arrives. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly AnswerToolCall[];
  readonly finishReason: FinishReason | null;
  readonly model: string | null;
  readonly usage: Usage | null;
}

export const EMPTY_ANSWER: Answer = {
  text: '',
  reasoning: '',
  toolCalls: [],
  finishReason: null,
  model: null,
  usage: null,
};

/** Returns the answer with one more chunk. */
export function addChunk(answer: Answer, chunk: ChatChunk): Answer {
  switch (chunk.type) {
    case 'text':
      return { ...answer, text: answer.text + chunk.text };
    case 'reasoning':
      return { ...answer, reasoning: answer.reasoning + chunk.text };
    case 'toolCall':
      return { ...answer, toolCalls: addToolCall(answer.toolCalls, chunk) };
    case 'end':
      return { ...answer, finishReason: chunk.finishReason, model: chunk.model, usage: chunk.usage };
    case 'progress':
    case 'retry':
      break;
  }
  return answer;
}

/** Collects all chunks into one answer. Errors of the chunks are thrown. */
export async function collectAnswer(chunks: Iterable<ChatChunk> | AsyncIterable<ChatChunk>): Promise<Answer> {
  let answer = EMPTY_ANSWER;
  for await (const chunk of chunks) answer = addChunk(answer, chunk);
  return answer;
}

function addToolCall(
  calls: readonly AnswerToolCall[],
  piece: ChatChunk & { type: 'toolCall' },
): readonly AnswerToolCall[] {
  const { index } = piece;
  const before = calls.find((call) => call.index === index) ?? { index, id: null, name: '', arguments: '' };
  const after: AnswerToolCall = {
    index,
    id: piece.id ?? before.id,
    name: piece.name ?? before.name,
    arguments: before.arguments + piece.argumentsDelta,
  };
  return [...calls.filter((call) => call.index !== index), after].toSorted((a, b) => a.index - b.index);
}
