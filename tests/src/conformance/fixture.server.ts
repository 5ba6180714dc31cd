import { readFileSync } from 'node:fs';
import {
  McpServer,
  ResourceTemplate,
  acceptedContent,
  completable,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  type ContentBlock,
  type GetPromptResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { addTasks } from './fixture.tasks.js';

// These are the tools, resources and prompts that the conformance suite expects of a server, by name.
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const MIRRORED = { 'x-mcp-header': 'Region' };
const codec = createRequestStateCodec({ key: 'only-for-the-conformance-suite-32b' });
const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

const ask = (message: string, name: string, type: 'string' | 'boolean' = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { [name]: type === 'string' ? { type } : { type } },
      required: [name],
    },
  });
const sample = inputRequired.createMessage({
  messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }],
  maxTokens: 100,
});

const SCHEMA_2020 = JSON.parse(
  readFileSync(new URL('../../src/conformance/schema-2020-12.json', import.meta.url), 'utf8'),
) as Parameters<typeof fromJsonSchema>[0];

/** A server with the suite's fixtures, created for each request. */
export function fixtureServer(): McpServer {
  const server = new McpServer(
    { name: 'aish-conformance', version: '1' },
    {
      capabilities: { logging: {}, completions: {}, resources: { subscribe: true } },
      requestState: { verify: (state, context) => codec.verify(state, context) },
    },
  );
  addTools(server);
  addQuestions(server);
  addResources(server);
  addPrompts(server);
  addTasks(server);
  return server;
}

function addTools(server: McpServer): void {
  const tool = server.registerTool.bind(server);
  tool('test_simple_text', { description: 'Of the suite' }, () => text('This is a simple text response for testing.'));
  tool('test_image_content', { description: 'Of the suite' }, () => ({
    content: [{ type: 'image', data: PNG, mimeType: 'image/png' }],
  }));
  tool('test_audio_content', { description: 'Of the suite' }, () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  }));
  tool('test_embedded_resource', { description: 'Of the suite' }, () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }));
  tool('test_multiple_content_types', { description: 'Of the suite' }, () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }));
  tool('test_error_handling', { description: 'Of the suite' }, () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  }));
  tool('test_tool_with_logging', { description: 'Of the suite' }, async (context) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await context.mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } });
      await pause();
    }
    return text('logged');
  });
  tool('test_tool_with_progress', { description: 'Of the suite' }, async (context) => {
    const { _meta: meta } = context.mcpReq;
    for (const progress of [0, 50, 100]) {
      const params = { progressToken: meta?.progressToken ?? 0, progress, total: 100 };
      if (meta?.progressToken !== undefined) await context.mcpReq.notify({ method: 'notifications/progress', params });
      await pause();
    }
    return text('done');
  });
  tool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: fromJsonSchema(SCHEMA_2020) },
    () => text('ok'),
  );
  tool(
    'test_custom_header_server',
    {
      description: 'Of the suite',
      inputSchema: fromJsonSchema<{ region: string }>({
        type: 'object',
        properties: { region: { type: 'string', ...MIRRORED } },
        required: ['region'],
      }),
    },
    ({ region }) => text(region),
  );
}

function addQuestions(server: McpServer): void {
  const tool = server.registerTool.bind(server);
  const given = (context: ServerContext, name: string) => context.mcpReq.inputResponses?.[name];
  tool('test_input_required_result_elicitation', { description: 'Of the suite' }, (context) => {
    const answer = acceptedContent<{ name?: string }>(context.mcpReq.inputResponses, 'user_name');
    if (typeof answer?.name === 'string') return text(`Hello, ${answer.name}!`);
    return inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } });
  });
  tool('test_input_required_result_sampling', { description: 'Of the suite' }, (context) =>
    given(context, 'capital_question') === undefined
      ? inputRequired({ inputRequests: { capital_question: sample } })
      : text('answered'),
  );
  tool('test_input_required_result_list_roots', { description: 'Of the suite' }, (context) =>
    given(context, 'client_roots') === undefined
      ? inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
      : text('answered'),
  );
  const confirm = async () =>
    inputRequired({
      requestState: await codec.mint({ n: 1 }),
      inputRequests: { confirm: ask('Please confirm', 'ok', 'boolean') },
    });
  tool('test_input_required_result_request_state', { description: 'Of the suite' }, (context) =>
    given(context, 'confirm') === undefined || context.mcpReq.requestState() === undefined
      ? confirm()
      : text('state-ok'),
  );
  tool('test_input_required_result_tampered_state', { description: 'Of the suite' }, (context) =>
    given(context, 'confirm') === undefined ? confirm() : text('state-ok'),
  );
  tool('test_input_required_result_multiple_inputs', { description: 'Of the suite' }, async (context) =>
    given(context, 'user_name') === undefined
      ? inputRequired({
          requestState: await codec.mint({ n: 1 }),
          inputRequests: {
            user_name: ask('What is your name?', 'name'),
            greeting: sample,
            client_roots: inputRequired.listRoots(),
          },
        })
      : text('answered'),
  );
  tool('test_input_required_result_multi_round', { description: 'Of the suite' }, async (context) => {
    const name = context.mcpReq.requestState<{ n: number }>()?.n ?? 0;
    if (name === 2 && given(context, 'step2') !== undefined) return text('done');
    const [step, question] =
      name === 1 ? ['step2', 'Step 2: What is your favourite colour?'] : ['step1', 'Step 1: What is your name?'];
    return inputRequired({
      requestState: await codec.mint({ n: name === 1 ? 2 : 1 }),
      inputRequests: { [step]: ask(question, 'name') },
    });
  });
  tool('test_streaming_elicitation', { description: 'Of the suite' }, () =>
    inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } }),
  );
  tool('test_missing_capability', { description: 'Of the suite' }, () =>
    inputRequired({ inputRequests: { greeting: sample } }),
  );
  tool('test_logging_tool', { description: 'Of the suite' }, async (context) => {
    await context.mcpReq.log('info', 'logged only when asked for');
    return text('done');
  });
  // The tool asks only for input that the client can give.
  tool('test_input_required_result_capabilities', { description: 'Of the suite' }, (context) => {
    const { 'io.modelcontextprotocol/clientCapabilities': can } = (context.mcpReq.envelope ?? {}) as Record<
      string,
      { elicitation?: object; sampling?: object; roots?: object } | undefined
    >;
    const inputRequests = {
      ...(can?.elicitation === undefined ? {} : { user_name: ask('What is your name?', 'name') }),
      ...(can?.sampling === undefined ? {} : { greeting: sample }),
      ...(can?.roots === undefined ? {} : { client_roots: inputRequired.listRoots() }),
    };
    return Object.keys(inputRequests).length === 0 || context.mcpReq.inputResponses !== undefined
      ? text('nothing to ask')
      : inputRequired({ inputRequests });
  });
  server.registerPrompt('test_input_required_result_prompt', { description: 'Of the suite' }, (context) => {
    if (given(context, 'user_context') === undefined) {
      return inputRequired({ inputRequests: { user_context: ask('What context should the prompt use?', 'context') } });
    }
    return { messages: [{ role: 'user', content: { type: 'text', text: 'with context' } }] };
  });
}

function addResources(server: McpServer): void {
  const plain = (uri: string, words: string) => ({ contents: [{ uri, mimeType: 'text/plain', text: words }] });
  server.registerResource('static-text', 'test://static-text', { mimeType: 'text/plain' }, (uri) =>
    plain(uri.href, 'This is the content of the static text resource.'),
  );
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'image/png', blob: PNG }],
  }));
  server.registerResource('watched', 'test://watched-resource', {}, (uri) =>
    plain(uri.href, 'Watched resource content'),
  );
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
}

function addPrompts(server: McpServer): void {
  const says = (...content: ContentBlock[]): GetPromptResult => ({
    messages: content.map((each) => ({ role: 'user', content: each })),
  });
  const saying = (words: string): ContentBlock => ({ type: 'text', text: words });
  server.registerPrompt('test_simple_prompt', { description: 'Of the suite' }, () =>
    says(saying('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'Of the suite',
      argsSchema: z.object({
        arg1: completable(z.string(), (value) => ['paris', 'park', 'party'].filter((word) => word.startsWith(value))),
        arg2: z.string(),
      }),
    },
    ({ arg1, arg2 }) => says(saying(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Of the suite', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      says(
        {
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
        saying('Please process the embedded resource above.'),
      ),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'Of the suite' }, () =>
    says({ type: 'image', data: PNG, mimeType: 'image/png' }, saying('Please analyze the image above.')),
  );
}
