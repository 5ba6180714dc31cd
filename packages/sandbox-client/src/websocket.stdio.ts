import { AishError, PROBLEMS, type ProblemCode } from '@aish/contracts/problems';
import { STDIO_LINE_MAX_CHARS, StdioFrame, type StdioRequest } from '@aish/contracts/stdio';
import { WebSocket, type RawData } from 'ws';
import { StdioPrograms, type StdioEnd, type StdioHandlers, type StdioProgram } from './stdio.port.js';

const HANDSHAKE_TIMEOUT_MS = 10_000;
/** The time limit in milliseconds. Creating a container takes a moment, and longer on a busy machine. */
const START_TIMEOUT_MS = 60_000;
const CLOSE_TIMEOUT_MS = 5_000;
const LOST: StdioEnd = { exitCode: null, outOfMemory: false, detail: 'the connection to the sandbox was lost' };

/** Runs programs in the sandbox service's containers, over one WebSocket each. */
export class WebSocketStdio extends StdioPrograms {
  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {
    super();
  }

  override async start(request: StdioRequest, handlers: StdioHandlers, signal: AbortSignal): Promise<StdioProgram> {
    const socket = new WebSocket(`${this.baseUrl.replace(/^http/, 'ws')}/v1/stdio`, {
      headers: { authorization: `Bearer ${this.token}` },
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: STDIO_LINE_MAX_CHARS * 4,
      perMessageDeflate: false,
      followRedirects: false,
    });
    const program = new Program(socket, handlers);
    const giveUp = (): void => socket.terminate();
    const late = setTimeout(giveUp, START_TIMEOUT_MS);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    try {
      await program.opened;
      socket.send(JSON.stringify(request));
      await program.started;
      return program;
    } catch (error) {
      socket.terminate();
      if (signal.aborted) throw new AishError('aborted', 'Cancelled', {}, { cause: error });
      throw error;
    } finally {
      clearTimeout(late);
      signal.removeEventListener('abort', giveUp);
    }
  }
}

class Program implements StdioProgram {
  readonly opened: Promise<void>;
  readonly started: Promise<void>;
  readonly ended: Promise<StdioEnd>;
  private end: StdioEnd = LOST;

  constructor(
    private readonly socket: WebSocket,
    private readonly handlers: StdioHandlers,
  ) {
    let failure: AishError | null = null;
    this.opened = new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.on('error', (error) => {
        failure ??= new AishError('sandbox_unreachable', 'The sandbox service does not respond', {}, { cause: error });
        reject(failure);
      });
    });
    let onStarted: () => void = () => undefined;
    let onFailed: (error: AishError) => void = () => undefined;
    this.started = new Promise((resolve, reject) => {
      onStarted = resolve;
      onFailed = reject;
    });
    this.ended = new Promise((resolve) => {
      socket.once('close', () => {
        onFailed(failure ?? new AishError('sandbox_interrupted', `The program did not start: ${this.end.detail}`));
        resolve(this.end);
      });
    });
    // The caller who waits for one of these promises gets the error. Nobody waits for both.
    this.opened.catch(() => undefined);
    this.started.catch(() => undefined);
    socket.on('message', (data) => {
      const frame = frameOf(data);
      if (frame?.type === 'started') onStarted();
      if (frame?.type === 'line') this.handlers.onLine(frame.text);
      if (frame?.type === 'stderr') this.handlers.onStderr(frame.text);
      if (frame?.type === 'exit') this.end = endOf(frame);
      if (frame?.type === 'error') {
        const { code, detail = code } = frame.problem;
        failure = new AishError(codeOf(code), detail);
        this.end = { ...LOST, detail };
        onFailed(failure);
      }
    });
  }

  send(line: string): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type: 'line', text: line }));
  }

  async close(): Promise<void> {
    this.socket.close(1000);
    const late = setTimeout(() => this.socket.terminate(), CLOSE_TIMEOUT_MS);
    await this.ended;
    clearTimeout(late);
  }
}

function endOf({ exitCode, outOfMemory }: Extract<StdioFrame, { type: 'exit' }>): StdioEnd {
  return { exitCode, outOfMemory, detail: outOfMemory ? 'out of memory' : `exit code ${exitCode ?? 'unknown'}` };
}

function frameOf(data: RawData): StdioFrame | null {
  try {
    const text = Array.isArray(data)
      ? Buffer.concat(data).toString('utf8')
      : Buffer.from(data as Buffer).toString('utf8');
    const parsed = StdioFrame.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    // The message comes from a newer sandbox, and this version does not know it.
    return null;
  }
}

function codeOf(code: string): ProblemCode {
  return Object.hasOwn(PROBLEMS, code) ? (code as ProblemCode) : 'sandbox_interrupted';
}
