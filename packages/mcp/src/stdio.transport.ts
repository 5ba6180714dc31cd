import { AishError } from '@aish/contracts/problems';
import type { StdioHandlers, StdioProgram } from '@aish/sandbox-client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { parseJSONRPCMessage } from '@modelcontextprotocol/client';
import { cleanText } from './clean-text.js';

/** Carries MCP messages to a program in a container. */
export class ContainerTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  // The SDK recognizes a transport over stdin and stdout by these two properties. For such a transport, silence means
  // an old server.
  readonly stderr = null;
  readonly pid = null;
  private program: StdioProgram | null = null;
  private reason: AishError | null = null;

  constructor(
    private readonly begin: (handlers: StdioHandlers) => Promise<StdioProgram>,
    private readonly onStderr: (text: string) => void,
  ) {}

  /** Why the program has ended, in more detail than the SDK's error. */
  get failure(): AishError | null {
    return this.reason;
  }

  async start(): Promise<void> {
    if (this.program !== null) throw new AishError('internal', 'This transport has already been started');
    const handlers = {
      onLine: (line: string) => this.take(line),
      onStderr: (text: string) => this.onStderr(text),
    };
    let program: StdioProgram;
    try {
      program = await this.begin(handlers);
    } catch (error) {
      this.reason = error instanceof AishError ? error : null;
      throw error;
    }
    this.program = program;
    void this.watch(program);
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.program === null) return Promise.reject(new AishError('mcp_not_connected', 'The program has not started'));
    this.program.send(JSON.stringify(message));
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await this.program?.close();
  }

  private async watch(program: StdioProgram): Promise<void> {
    const { detail } = await program.ended;
    this.reason = new AishError('stdio_ended', `The program has ended: ${detail}`);
    this.onerror?.(this.reason);
    this.onclose?.();
  }

  private take(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(JSON.parse(line));
    } catch {
      // Programs may print unrelated text to stdout. The next line may be a message again.
      this.onerror?.(new AishError('mcp_bad_answer', `Not a message: ${cleanText(line, 200)}`));
      return;
    }
    this.onmessage?.(message);
  }
}
