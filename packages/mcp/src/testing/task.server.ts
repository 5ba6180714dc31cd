import { randomUUID } from 'node:crypto';
import { McpServer, inputRequired, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server';
import {
  questionForm,
  serveTasks,
  takesTasks,
  taskCreated,
  type DetailedTask,
  type Task,
  type TaskSource,
} from '../tasks.js';
import { FixtureServer, statelessHandler } from './fixture.server.js';
import { eventually } from './registry.fixture.js';

const ASKED_WITHIN_MS = 60_000;

/** The fields of a task that change with a turn, for each state of the task. */
type Change<T> = T extends Task ? Omit<T, Exclude<keyof Task, 'status' | 'statusMessage'>> : never;

/**
 * A server of 2026-07-28 whose tools `build` and `look` become tasks, which last until a test ends them. `build`
 * changes something, `look` only reads. It serves HTTP on a free port, and can be stopped and started again with its
 * tasks.
 */
export class TaskServer implements TaskSource {
  /** IDs of started tasks, oldest first. */
  readonly begun: string[] = [];
  /** Tasks that a client has cancelled. */
  readonly cancelled: string[] = [];
  /** Answers that arrived, oldest first. */
  readonly answers: Readonly<Record<string, unknown>>[] = [];
  /** The times of all polls in milliseconds. */
  readonly polls: number[] = [];
  /** The polling interval that the server proposes to clients. */
  pollIntervalMs = 1_000;
  private readonly tasks = new Map<string, DetailedTask>();
  private http: FixtureServer | null = null;
  private port = 0;

  static async start(): Promise<TaskServer> {
    const server = new TaskServer();
    await server.serve();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  async serve(): Promise<void> {
    this.http = await FixtureServer.start(
      statelessHandler(() => this.tools()),
      this.port,
    );
    this.port = this.http.port;
  }

  async stop(): Promise<void> {
    await this.http?.stop();
    this.http = null;
  }

  /**
   * Returns the task at this position of `begun`, once it is polled again. A client that polls a task has recorded it.
   */
  async asked(place: number): Promise<string> {
    const { length } = this.polls;
    await eventually(() => this.begun.length > place && this.polls.length > length, ASKED_WITHIN_MS);
    return this.begun[place] ?? '';
  }

  end(taskId: string, text: string, isError = false): void {
    const result: CallToolResult = { content: [{ type: 'text', text }], isError };
    this.turn(taskId, { status: 'completed', result });
  }

  fail(taskId: string, message: string): void {
    this.turn(taskId, { status: 'failed', error: { code: -32_603, message } });
  }

  say(taskId: string, statusMessage: string): void {
    this.turn(taskId, { status: 'working', statusMessage });
  }

  /** Asks for a colour, in a question with this name. */
  ask(taskId: string, name: string, message: string): void {
    const form = questionForm(message, { type: 'object', properties: { colour: { type: 'string' } } });
    this.turn(taskId, { status: 'input_required', inputRequests: { [name]: form } });
  }

  /** Asks for something that aish does not offer. */
  askForModel(taskId: string): void {
    const request = inputRequired.createMessage({ messages: [], maxTokens: 1 });
    this.turn(taskId, { status: 'input_required', inputRequests: { model: request } });
  }

  forget(taskId: string): void {
    this.tasks.delete(taskId);
  }

  get(taskId: string): Promise<DetailedTask | null> {
    this.polls.push(performance.now());
    return Promise.resolve(this.tasks.get(taskId) ?? null);
  }

  update(taskId: string, answers: Readonly<Record<string, unknown>>): Promise<boolean> {
    this.answers.push(answers);
    return Promise.resolve(this.tasks.has(taskId));
  }

  cancel(taskId: string): Promise<boolean> {
    this.cancelled.push(taskId);
    if (this.tasks.has(taskId)) this.turn(taskId, { status: 'cancelled' });
    return Promise.resolve(this.tasks.has(taskId));
  }

  private turn(taskId: string, change: Change<DetailedTask>): void {
    const { createdAt, ttlMs, pollIntervalMs } = this.tasks.get(taskId) as Task;
    const lastUpdatedAt = new Date().toISOString();
    this.tasks.set(taskId, { taskId, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs, ...change });
  }

  private tools(): McpServer {
    const server = new McpServer({ name: 'tasks', version: '1' });
    serveTasks(server, this, () => undefined);
    const begin = (context: ServerContext): CallToolResult => {
      if (!takesTasks(context)) return { content: [{ type: 'text', text: 'done at once' }] };
      const taskId = randomUUID();
      const at = new Date().toISOString();
      const { pollIntervalMs } = this;
      const task: DetailedTask = {
        taskId,
        status: 'working',
        createdAt: at,
        lastUpdatedAt: at,
        ttlMs: null,
        pollIntervalMs,
      };
      this.tasks.set(taskId, task);
      this.begun.push(taskId);
      return taskCreated(task);
    };
    server.registerTool('build', { description: 'Builds the house' }, begin);
    server.registerTool('look', { description: 'Looks at it', annotations: { readOnlyHint: true } }, begin);
    return server;
  }
}
