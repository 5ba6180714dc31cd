import { createTaskSessionFromClient, type TaskEnabledSession } from '@modelcontextprotocol/ext-tasks/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { TASKS_EXTENSION } from '@aish/mcp';
import { z } from 'zod';

const REVISION = '2026-07-28';
const INFO = { name: 'elsewhere', version: '1' };
const KNOWS_TASKS = { elicitation: {}, extensions: { [TASKS_EXTENSION]: {} } };
const Any = z.looseObject({});
const any = z.any().optional();
const Polled = z.looseObject({ status: z.string(), statusMessage: any, inputRequests: any, result: any });

/**
 * Connects the SDK's own client, which does not support tasks. If a call starts a task, the response is read from the
 * raw HTTP response.
 */
export async function connectClient(url: string, token: string, capabilities: object = KNOWS_TASKS) {
  let last: Promise<string> = Promise.resolve('');
  const client = new Client(INFO, { capabilities, versionNegotiation: { mode: { pin: REVISION } } });
  const record: typeof fetch = async (at, init) => {
    const response = await fetch(at, init);
    last = response.clone().text();
    return response;
  };
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit, fetch: record }));
  return {
    client,
    get: (taskId: string) => client.request({ method: 'tasks/get', params: { taskId } }, Polled),
    update: (taskId: string, inputResponses: object) =>
      client.request({ method: 'tasks/update', params: { taskId, inputResponses } }, Any),
    cancel: (taskId: string) => client.request({ method: 'tasks/cancel', params: { taskId } }, Any),
    start: async (text: string) => {
      const call = client.callTool({ name: 'start_goal', arguments: { text } });
      await call.catch(() => undefined);
      return answerIn(await last).result;
    },
  };
}

type Answering = (question: { readonly message: string }) => Readonly<Record<string, string>>;

/**
 * Connects the client by the authors of the extension to an SDK client. It builds its own requests, and this function
 * only carries them to aish and back.
 */
export function taskSession(url: string, token: string, client: Client, answer: Answering): TaskEnabledSession {
  return createTaskSessionFromClient(client, {
    endpointId: 'aish',
    v2RequestFraming: { protocolVersion: REVISION, clientInfo: INFO, clientCapabilities: KNOWS_TASKS },
    rawDispatch: async (request, { signal, context } = {}) => {
      const { method, params } = request as { method: string; params: { name?: string; taskId?: string } };
      const name = params.taskId ?? params.name;
      const headers = new Headers(context?.headers);
      headers.set('authorization', `Bearer ${token}`);
      headers.set('content-type', 'application/json');
      headers.set('accept', 'application/json, text/event-stream');
      headers.set('mcp-protocol-version', REVISION);
      headers.set('mcp-method', method);
      if (name !== undefined) headers.set('mcp-name', name);
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        signal: signal ?? null,
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...(request as object) }),
      });
      const { result, error } = answerIn(await response.text());
      return error === undefined ? { kind: 'result', result } : { kind: 'error', error };
    },
    onInputRequest: (asked) => {
      const content = answer(asked.params as unknown as { message: string });
      const given: unknown = { action: 'accept', content };
      return Promise.resolve(given as never);
    },
  });
}

/** Returns the single message of an HTTP response, which is JSON or an event. */
function answerIn(body: string) {
  return JSON.parse(/^data: (\{.*)$/m.exec(body)?.[1] ?? body);
}
