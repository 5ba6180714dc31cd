import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { TASKS_EXTENSION } from './tasks.js';

const TASK_ID_MAX_CHARS = 1_024;

const base = {
  // The ID is stored and sent unchanged, so an ID that a database or a header does not accept is invalid.
  taskId: z
    .string()
    .max(TASK_ID_MAX_CHARS)
    .regex(/^\P{C}+$/u),
  statusMessage: z.string().optional(),
  pollIntervalMs: z.number().optional(),
};

/** A new task of a server. */
export const Created = z.looseObject({ ...base, status: z.string() });
export type Created = z.infer<typeof Created>;

/** A task in the answer to a poll. */
export const Polled = z.discriminatedUnion('status', [
  z.looseObject({ ...base, status: z.enum(['working', 'cancelled']) }),
  z.looseObject({
    ...base,
    status: z.literal('input_required'),
    inputRequests: z.record(z.string(), z.looseObject({ method: z.string(), params: z.unknown() })),
  }),
  z.looseObject({ ...base, status: z.literal('completed'), result: z.unknown() }),
  z.looseObject({ ...base, status: z.literal('failed'), error: z.looseObject({ message: z.string() }) }),
]);
export type Polled = z.infer<typeof Polled>;

/**
 * Passes on answers that are tasks. The SDK refuses their `resultType`, so it gets an empty answer with the task under
 * the extension's name. Only a tool call can have such an answer.
 */
export function passTaskAnswers(transport: Transport): void {
  let deliver: Transport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => deliver,
    set: (listener: Transport['onmessage']) => {
      deliver = listener && ((message, extra) => listener(asAnswer(message), extra));
    },
  });
}

/** Returns the task in an answer to a call, as its server wrote it; undefined for any other answer. */
export function taskIn({ _meta: meta }: { readonly _meta?: Readonly<Record<string, unknown>> | undefined }): unknown {
  return meta?.[TASKS_EXTENSION];
}

function asAnswer<M extends JSONRPCMessage>(message: M): M {
  if (!('result' in message) || message.result['resultType'] !== 'task') return message;
  const { _meta, ...task } = message.result;
  return { ...message, result: { resultType: 'complete', content: [], _meta: { ..._meta, [TASKS_EXTENSION]: task } } };
}
