import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { VERSION } from '@aish/contracts/health';
import { isAishError } from '@aish/contracts/problems';
import type { ApiClient } from '@aish/client/api.client';
import { ApiError } from '@aish/client/api.error';
import { note, type Io } from '@aish/client/io';
import { EditorSession } from './editor-session.js';
import { turnUpdates } from './updates.js';

const TURNS_SHOWN = 500;
const SESSIONS_LISTED = 100;
const SESSIONS_OPEN = 100;

export interface EditorOptions {
  readonly space: string | undefined;
  readonly preset: string | undefined;
}

/**
 * Speaks ACP with an editor until it closes stdin. Its sessions are ordinary chats of aish, so they persist and others
 * can see them.
 */
export async function serveEditor(client: ApiClient, io: Io, { space, preset }: EditorOptions): Promise<void> {
  const acp = await import('@agentclientprotocol/sdk');
  const sessions = new Map<string, EditorSession>();
  let fs = { read: false, write: false };

  const session = (id: string): EditorSession => {
    const found = sessions.get(id);
    if (found === undefined) throw acp.RequestError.sessionNotFound(id);
    return found;
  };
  const open = async (id: string, folder: string): Promise<EditorSession> => {
    const opened = new EditorSession(
      client,
      await client.call(sessionsApi.show, { params: { ref: id } }, io.signal),
      folder,
      fs,
    );
    sessions.set(id, opened);
    const [oldest] = sessions.keys();
    if (sessions.size > SESSIONS_OPEN && oldest !== undefined) sessions.delete(oldest);
    return opened;
  };
  /** Turns errors of the api into messages for the editor. */
  const withEditorErrors = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError && error.isUnauthorised) {
        throw acp.RequestError.authRequired(undefined, 'Sign in first: aish login');
      }
      if (error instanceof ApiError || isAishError(error)) {
        throw acp.RequestError.internalError({ code: error.code }, error.message);
      }
      throw error;
    }
  };

  const app = acp
    .agent({ name: 'aish' })
    .onRequest(acp.methods.agent.initialize, ({ params }) => {
      const { readTextFile: read = false, writeTextFile: write = false } = params.clientCapabilities?.fs ?? {};
      fs = { read, write };
      return {
        protocolVersion: acp.PROTOCOL_VERSION,
        agentInfo: { name: 'aish', title: 'aish', version: VERSION },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { embeddedContext: true },
          sessionCapabilities: { list: {} },
        },
        authMethods: [{ id: 'aish-login', name: 'aish login', description: 'Run `aish login URL` in a terminal' }],
      };
    })
    .onRequest(acp.methods.agent.authenticate, () =>
      withEditorErrors(async () => {
        await client.call(sessionsApi.list, { query: { limit: 1 } }, io.signal);
        return {};
      }),
    )
    .onRequest(acp.methods.agent.session.new, ({ params, client: editor }) =>
      withEditorErrors(async () => {
        // In an editor session the model continues on its own until it has an answer.
        const settings = {
          autoContinue: true,
          ...(space === undefined ? {} : { space }),
          ...(preset === undefined ? {} : { preset }),
        };
        const { id } = await client.call(sessionsApi.create, { body: settings }, io.signal);
        const opened = await open(id, params.cwd);
        opened.announce(editor);
        return { sessionId: id, modes: opened.modes };
      }),
    )
    .onRequest(acp.methods.agent.session.load, ({ params, client: editor }) =>
      withEditorErrors(async () => {
        const { sessionId } = params;
        const opened = await open(sessionId, params.cwd);
        const { items } = await client.call(
          sessionsApi.turns,
          { params: { ref: sessionId }, query: { limit: TURNS_SHOWN } },
          io.signal,
        );
        for (const update of items.flatMap(turnUpdates)) {
          await editor.notify(acp.methods.client.session.update, { sessionId, update });
        }
        opened.announce(editor);
        opened.goOn(editor, io.signal).catch((error: unknown) => note(io, String(error)));
        return { modes: opened.modes };
      }),
    )
    .onRequest(acp.methods.agent.session.list, ({ params }) =>
      withEditorErrors(async () => {
        const { items } = await client.call(
          sessionsApi.list,
          { query: { kind: 'chat', limit: SESSIONS_LISTED } },
          io.signal,
        );
        const cwd = params.cwd ?? process.cwd();
        return { sessions: items.map(({ id, title, updatedAt }) => ({ sessionId: id, cwd, title, updatedAt })) };
      }),
    )
    .onRequest(acp.methods.agent.session.setMode, ({ params }) =>
      withEditorErrors(async () => {
        await session(params.sessionId).setMode(params.modeId, io.signal);
        return {};
      }),
    )
    .onRequest(acp.methods.agent.session.prompt, ({ params, client: editor, signal }) =>
      withEditorErrors(async () => ({
        stopReason: await session(params.sessionId).prompt(params.prompt, editor, AbortSignal.any([signal, io.signal])),
      })),
    )
    .onNotification(acp.methods.agent.session.cancel, ({ params }) => session(params.sessionId).cancel());

  const output = Writable.toWeb(io.stdout as Writable) as WritableStream<Uint8Array>;
  const input = Readable.toWeb(io.stdin as Readable) as ReadableStream<Uint8Array>;
  const connection = app.connect(acp.ndJsonStream(output, input));
  await Promise.race([connection.closed, io.signal.aborted ? undefined : once(io.signal, 'abort')]);
  connection.close();
}
