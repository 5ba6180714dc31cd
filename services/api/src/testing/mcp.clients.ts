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

/** The SDK's own client, which knows no tasks: what a call answers is read off the wire, where it begins one. */
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
 * The client of the extension's own authors, on a connected client of the SDK. It puts its requests together by itself; this
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

/** The one message of an answer over HTTP, as JSON or as an event. */
function answerIn(body: string) {
  return JSON.parse(/^data: (\{.*)$/m.exec(body)?.[1] ?? body);
}
