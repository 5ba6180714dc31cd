import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientConnection,
  type ContentBlock,
  type InitializeResponse,
  type RequestPermissionRequest,
  type SessionNotification,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { ROOT } from './service.process.js';

/** An editor that is built on the protocol's SDK, with `aish acp` as its agent. */
export class Editor {
  readonly updates: SessionUpdate[] = [];
  readonly questions: RequestPermissionRequest[] = [];
  readonly written: { readonly path: string; readonly content: string }[] = [];
  /** Returns the person's choice. Null means no choice until the editor cancels. */
  choose: (question: RequestPermissionRequest) => string | null = () => 'proceed';

  private constructor(
    private readonly agent: ChildProcess,
    private readonly files: Readonly<Record<string, string>>,
  ) {}

  connection!: ClientConnection;
  initialized!: InitializeResponse;

  static async start(
    at: { readonly url: string; readonly tokenFile: string },
    files: Readonly<Record<string, string>> = {},
  ): Promise<Editor> {
    const agent = spawn(process.execPath, [`${ROOT}clients/cli/bin/aish.mjs`, 'acp'], {
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        AISH_URL: at.url,
        AISH_TOKEN_FILE: at.tokenFile,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const editor = new Editor(agent, files);
    const output = Writable.toWeb(agent.stdin) as WritableStream<Uint8Array>;
    const input = Readable.toWeb(agent.stdout) as ReadableStream<Uint8Array>;
    editor.connection = editor.app().connect(ndJsonStream(output, input));
    editor.initialized = await editor.connection.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
    });
    return editor;
  }

  private app() {
    return client({ name: 'editor' })
      .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
        this.questions.push(params);
        const optionId = this.choose(params);
        if (optionId !== null) return { outcome: { outcome: 'selected', optionId } };
        if (!signal.aborted) await once(signal, 'abort');
        return { outcome: { outcome: 'cancelled' } };
      })
      .onRequest(methods.client.fs.readTextFile, ({ params }) => ({ content: this.files[params.path] ?? '' }))
      .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
        this.written.push({ path: params.path, content: params.content });
        return {};
      })
      .onNotification(methods.client.session.update, ({ params }: { params: SessionNotification }) => {
        this.updates.push(params.update);
      });
  }

  async prompt(sessionId: string, text: string, ...more: ContentBlock[]) {
    const prompt: ContentBlock[] = [{ type: 'text', text }, ...more];
    try {
      return await this.connection.agent.request(methods.agent.session.prompt, { sessionId, prompt });
    } finally {
      // The SDK resolves an answer before the handlers of preceding messages in the same chunk have run.
      await turn();
    }
  }

  /** Everything that the agent has said, as text. */
  get said(): string {
    return this.updates
      .map((update) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '',
      )
      .join('');
  }

  of<K extends SessionUpdate['sessionUpdate']>(kind: K) {
    return this.updates.filter(
      (update): update is Extract<SessionUpdate, { sessionUpdate: K }> => update.sessionUpdate === kind,
    );
  }

  async stop(): Promise<void> {
    this.connection.close();
    if (this.agent.exitCode !== null) return;
    const closed = once(this.agent, 'close');
    this.agent.stdin?.end();
    const hang = setTimeout(() => this.agent.kill('SIGKILL'), 20_000);
    await closed;
    clearTimeout(hang);
  }
}
