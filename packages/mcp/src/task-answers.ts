import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { TASKS_EXTENSION } from './tasks.js';

const TASK_ID_MAX_CHARS = 1_024;

const base = {
  // Kept and sent as it is: one that a database or a header does not take is none.
  taskId: z
    .string()
    .max(TASK_ID_MAX_CHARS)
    .regex(/^\P{C}+$/u),
  statusMessage: z.string().optional(),
  pollIntervalMs: z.number().optional(),
};

/** A task as it is when a server has made it. */
export const Created = z.looseObject({ ...base, status: z.string() });
export type Created = z.infer<typeof Created>;

/** A task as it is when it is asked after. */
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
 * Lets answers through that are tasks. The SDK refuses their `resultType`: it sees an empty answer that has the task
 * under the extension's name, which is no answer to anything but the call of a tool.
 */
export function letTasksThrough(transport: Transport): void {
  let deliver: Transport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => deliver,
    set: (listener: Transport['onmessage']) => {
      deliver = listener && ((message, extra) => listener(asAnswer(message), extra));
    },
  });
}

/** The task that an answer to a call is, as its server wrote it; undefined for any other answer. */
export function taskIn({ _meta: meta }: { readonly _meta?: Readonly<Record<string, unknown>> | undefined }): unknown {
  return meta?.[TASKS_EXTENSION];
}

function asAnswer<M extends JSONRPCMessage>(message: M): M {
  if (!('result' in message) || message.result['resultType'] !== 'task') return message;
  const { _meta, ...task } = message.result;
  return { ...message, result: { resultType: 'complete', content: [], _meta: { ..._meta, [TASKS_EXTENSION]: task } } };
}
