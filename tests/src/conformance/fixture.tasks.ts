import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { TaskAnswer, serveTasks, taskCreated, takesTasks, type DetailedTask, type TaskSource } from '@aish/mcp';
import {
  acceptedContent,
  fromJsonSchema,
  inputRequired,
  type CallToolResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';

type Ask = (questions: Readonly<Record<string, string>>) => Promise<void>;
type Job = (ask: Ask, signal: AbortSignal) => Promise<CallToolResult>;

const TTL_MS = 3_600_000;
const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });
const form = (message: string, name: string, type: 'string' | 'boolean') =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { [name]: type === 'string' ? { type } : { type } },
      required: [name],
    },
  });

/** The suite's tasks, which are kept as long as this process lives. Each request gets a new server. */
class FixtureTasks implements TaskSource {
  private readonly tasks = new Map<string, { shown: DetailedTask; ended: AbortController; answered: () => void }>();

  begin(job: Job): CallToolResult {
    const taskId = randomUUID();
    const at = new Date().toISOString();
    const shown = { taskId, status: 'working', createdAt: at, lastUpdatedAt: at, ttlMs: TTL_MS, pollIntervalMs: 200 };
    this.tasks.set(taskId, {
      shown: shown as DetailedTask,
      ended: new AbortController(),
      answered: () => undefined,
    });
    void this.run(taskId, job);
    return taskCreated(shown as DetailedTask);
  }

  get(taskId: string): Promise<DetailedTask | null> {
    return Promise.resolve(this.tasks.get(taskId)?.shown ?? null);
  }

  update(taskId: string, answers: Readonly<Record<string, unknown>>): Promise<boolean> {
    const task = this.tasks.get(taskId);
    if (task === undefined) return Promise.resolve(false);
    if (task.shown.status === 'input_required') {
      const open = Object.entries(task.shown.inputRequests).filter(
        ([key]) => !TaskAnswer.safeParse(answers[key]).success,
      );
      this.turn(taskId, { ...task.shown, inputRequests: Object.fromEntries(open) });
      if (open.length === 0) task.answered();
    }
    return Promise.resolve(true);
  }

  cancel(taskId: string): Promise<boolean> {
    this.tasks.get(taskId)?.ended.abort();
    return Promise.resolve(this.tasks.has(taskId));
  }

  private async run(taskId: string, job: Job): Promise<void> {
    const task = this.tasks.get(taskId);
    if (task === undefined) return;
    const { signal } = task.ended;
    const gone = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const ask: Ask = async (questions) => {
      const inputRequests = Object.fromEntries(
        Object.entries(questions).map(([name, message]) => [randomUUID(), form(message, name, 'boolean')]),
      );
      const answered = new Promise<void>((resolve) => (task.answered = resolve));
      this.turn(taskId, { ...base(task.shown), status: 'input_required', inputRequests });
      await answered;
      this.turn(taskId, { ...base(task.shown), status: 'working' });
    };
    try {
      const result = await Promise.race([job(ask, signal), gone]);
      this.turn(taskId, { ...base(task.shown), status: 'completed', result });
    } catch (error) {
      this.turn(
        taskId,
        signal.aborted
          ? { ...base(task.shown), status: 'cancelled' }
          : { ...base(task.shown), status: 'failed', error: { code: -32_603, message: String(error) } },
      );
    }
  }

  private turn(taskId: string, shown: DetailedTask): void {
    const task = this.tasks.get(taskId);
    if (task !== undefined) task.shown = { ...shown, lastUpdatedAt: new Date().toISOString() };
  }
}

const tasks = new FixtureTasks();

function base({ taskId, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }: DetailedTask) {
  return { taskId, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs };
}

/** Adds the tools that the suite expects of a server with tasks. */
export function addTasks(server: McpServer): void {
  serveTasks(server, tasks, (error) => console.error(error));
  const schema = <T>(properties: Readonly<Record<string, { type: string }>>) =>
    fromJsonSchema<T>({ type: 'object', properties });
  const asTask = (context: ServerContext, job: Job): CallToolResult | Promise<CallToolResult> =>
    takesTasks(context) ? tasks.begin(job) : job(() => Promise.resolve(), new AbortController().signal);

  server.registerTool(
    'greet',
    { description: 'Of the suite', inputSchema: schema<{ name: string }>({ name: { type: 'string' } }) },
    ({ name }) => text(`Hello, ${name}!`),
  );
  server.registerTool(
    'slow_compute',
    {
      description: 'Of the suite',
      inputSchema: schema<{ seconds: number }>({ seconds: { type: 'number' }, label: { type: 'string' } }),
    },
    ({ seconds }, context) =>
      asTask(context, async (_ask, signal) => {
        await wait(seconds * 1_000, undefined, { signal });
        return text('computed');
      }),
  );
  server.registerTool('failing_job', { description: 'Of the suite' }, (context) =>
    asTask(context, () => Promise.resolve({ ...text('it failed'), isError: true })),
  );
  server.registerTool('protocol_error_job', { description: 'Of the suite' }, (context) =>
    asTask(context, () => Promise.reject(new Error('broken'))),
  );
  server.registerTool(
    'confirm_delete',
    { description: 'Of the suite', inputSchema: schema<{ filename: string }>({ filename: { type: 'string' } }) },
    ({ filename }, context) =>
      asTask(context, async (ask) => {
        await ask({ confirm: `Delete ${filename}?` });
        return text(`deleted ${filename}`);
      }),
  );
  server.registerTool('multi_input', { description: 'Of the suite' }, (context) =>
    asTask(context, async (ask) => {
      await ask({ name: 'First?', confirm: 'Second?' });
      return text('both answered');
    }),
  );
  server.registerTool('test_tool_with_task', { description: 'Of the suite' }, (context) => {
    const given = acceptedContent<{ name?: string }>(context.mcpReq.inputResponses, 'user_name');
    return given?.name === undefined
      ? inputRequired({ inputRequests: { user_name: form('What is your name?', 'name', 'string') } })
      : asTask(context, () => Promise.resolve(text(`Hello, ${given.name}!`)));
  });
}
