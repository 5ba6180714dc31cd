import { LS, NO_ACTION, toolCallReply, inChatToo, testFaults, text, type Fault } from './testing/fault.bench.js';

const json = JSON.stringify;
const ARGS = '{"command":"ls -la"}';

/**
 * Faults that people report about local models, from issues of llama.cpp, vLLM, Ollama, opencode, cline, goose,
 * qwen-code, aider.
 */
const FAULTS: readonly Fault[] = [
  // These answers contain calls in unusual forms.
  {
    what: 'a call of Muse',
    reply: text(
      '<atem:function_calls>\n<atem:invoke name="bash">\n<atem:parameter name="command">ls -la</atem:parameter>\n</atem:invoke>\n</atem:function_calls>',
    ),
    ...inChatToo,
  },
  {
    what: 'a call of Muse in its frame, after thoughts',
    reply: text(
      '<|start|>assistant to=self<|message|>I look.<|eom|><|start|>assistant to=bash<|message|><atem:function_calls><atem:invoke name="bash"><atem:parameter name="command">ls -la</atem:parameter></atem:invoke></atem:function_calls><|eom|>',
    ),
    ...inChatToo,
  },
  {
    what: 'a call of MiniMax',
    reply: text(
      '<minimax:tool_call>\n<invoke name="bash">\n<parameter name="command">ls -la</parameter>\n</invoke>\n</minimax:tool_call>',
    ),
    ...inChatToo,
  },
  {
    what: 'a call as Anthropic writes it',
    reply: text(
      'I look.\n<function_calls>\n<invoke name="bash">\n<parameter name="command">ls -la</parameter>\n</invoke>\n</function_calls>',
    ),
    ...inChatToo,
  },
  {
    what: 'a call of DeepSeek R1',
    reply: text(
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>bash\n\`\`\`json\n${ARGS}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    ),
    ...inChatToo,
  },
  {
    what: 'a call of DeepSeek V3.1',
    reply: text(
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>bash<｜tool▁sep｜>${ARGS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    ),
    ...inChatToo,
  },
  {
    what: 'a call of Kimi K2',
    reply: text(
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>${ARGS}<|tool_call_end|><|tool_calls_section_end|>`,
    ),
    ...inChatToo,
  },
  {
    what: 'a call of Seed-OSS',
    reply: text(
      '<seed:tool_call>\n<function=bash>\n<parameter=command>ls -la</parameter>\n</function>\n</seed:tool_call>',
    ),
    ...inChatToo,
  },
  {
    what: 'a call of Nemotron',
    reply: text(`<TOOLCALL>[{"name":"bash","arguments":${ARGS}}]</TOOLCALL>`),
    ...inChatToo,
  },
  { what: 'a call of Granite', reply: text(`<|tool_call|>[{"name":"bash","arguments":${ARGS}}]`), ...inChatToo },
  { what: 'a call of Phi-4', reply: text(`functools[{"name":"bash","arguments":${ARGS}}]`), ...inChatToo },
  {
    what: 'a call of Command R',
    reply: text(`<|START_ACTION|>[{"tool_call_id":"0","tool_name":"bash","parameters":${ARGS}}]<|END_ACTION|>`),
    ...inChatToo,
  },
  {
    what: 'a call of Qwen2.5-Coder in the tags of its tools',
    reply: text(`<tools>\n{"name":"bash","arguments":${ARGS}}\n</tools>`),
    ...inChatToo,
  },
  { what: 'a call of Gemma 3', reply: text('```tool_code\nbash(command="ls -la")\n```'), ...inChatToo },
  { what: 'a call of Llama 4', reply: text('[bash(command="ls -la")]'), ...inChatToo },
  { what: 'a call of Llama 3 that nothing closes', reply: text(`<function=bash>${ARGS}`), ...inChatToo },
  {
    what: 'a call of Qwen3-Coder whose opening tag is missing',
    reply: text('I look.\n\n<function=bash>\n<parameter=command>\nls -la\n</parameter>\n</function>\n</tool_call>'),
    ...inChatToo,
  },
  {
    what: 'a call of GLM that is closed twice',
    reply: text('<tool_call>bash<arg_key>command</arg_key><arg_value>ls -la</arg_value></tool_call></tool_call>'),
    ...inChatToo,
  },
  {
    what: 'a call of Cline',
    reply: text(
      'I look.\n<execute_command>\n<command>ls -la</command>\n<requires_approval>false</requires_approval>\n</execute_command>',
    ),
    ...inChatToo,
  },
  { what: 'ReAct with JSON', reply: text(`Thought: I look.\nAction: bash\nAction Input: ${ARGS}`), ...inChatToo },
  {
    what: 'ReAct with the bare command',
    reply: text('Thought: I look.\nAction: bash\nAction Input: ls -la'),
    ...inChatToo,
  },
  {
    what: 'ReAct with an invented result',
    reply: text('Action: bash\nAction Input: ls -la\nObservation: a b c\nThought: I know.\nFinal Answer: three'),
    ...inChatToo,
  },
  {
    what: 'a call in OpenAI’s list',
    reply: text(json({ tool_calls: [{ id: 'c', type: 'function', function: { name: 'bash', arguments: ARGS } }] })),
    ...inChatToo,
  },
  {
    what: 'a call between sentences',
    reply: text(`I look.\n\`\`\`json\n{"name":"bash","arguments":${ARGS}}\n\`\`\`\nThis shows the files.`),
    ran: LS,
  },
  {
    what: 'arguments with line breaks in a text',
    reply: toolCallReply('bash', '{"command":"ls -la\n"}'),
    ...inChatToo,
  },
  { what: 'arguments in a fence', reply: toolCallReply('bash', `\`\`\`json\n${ARGS}\n\`\`\``), ...inChatToo },
  { what: 'an empty object before the arguments', reply: toolCallReply('bash', `{}${ARGS}`), ...inChatToo },
  { what: 'a list of one command', reply: toolCallReply('bash', '{"command":["ls -la"]}'), ...inChatToo },
  { what: 'a list with a shell', reply: toolCallReply('shell', '{"command":["bash","-lc","ls -la"]}'), ...inChatToo },
  { what: 'a call without arguments at all', reply: toolCallReply('bash', '{}'), notice: /no tool bash/ },
  { what: 'a call with the name in capitals', reply: toolCallReply('Bash', ARGS), ...inChatToo },
  { what: 'a call with an unknown prefix', reply: toolCallReply('default_api.bash', ARGS), ...inChatToo },
  {
    what: 'a call of a shell that the limit cuts',
    reply: {
      text: '',
      toolCalls: [{ name: 'bash', arguments: '{"command":"rm -rf /workspace/o"}' }],
      finish: 'length',
    },
    notice: /cut inside a command/,
  },
  { what: 'a call of a tool that lists files', reply: toolCallReply('list_files', '{"path":"."}'), ...inChatToo },
  {
    what: 'the end as a call',
    reply: toolCallReply('attempt_completion', '{"result":"GOAL: complete"}'),
    notice: /in words/,
  },
  // These answers contain commands in another form.
  { what: 'a command in a tag', reply: text('<bash>ls -la</bash>'), ran: LS },
  { what: 'a command in a tag on its own line', reply: text('I look.\n<command>ls -la</command>'), ran: LS },
  { what: 'a prompt before the command', reply: text('CMD: $ ls -la'), ...inChatToo },
  { what: 'a space before the colon', reply: text('CMD : ls -la'), ...inChatToo },
  { what: 'a wide colon', reply: text('CMD：ls -la'), ...inChatToo },
  { what: 'the command on the next line', reply: text('CMD:\nls -la'), ...inChatToo },
  { what: 'a heading before the command', reply: text('### CMD: ls -la'), ...inChatToo },
  { what: 'a quote before the command', reply: text('> CMD: ls -la'), ...inChatToo },
  { what: 'CMD in bold with its command in backquotes', reply: text('**CMD:** `ls -la`'), ...inChatToo },
  { what: 'CMD in a fence with another language', reply: text('```cmd\nCMD: ls -la\n```'), ...inChatToo },
  { what: 'a fence that is never closed', reply: text('```bash\nls -la'), notice: NO_ACTION },
  {
    what: 'one fence with a prompt and its result',
    reply: text('```\n$ ls -la\ntotal 0\na b\n```'),
    notice: NO_ACTION,
  },
  { what: 'a plan in JSON', reply: text(json({ thoughts: 'I look', plan: ['ls'], done: false })), notice: NO_ACTION },
  { what: 'a command in an object', reply: text(json({ analysis: 'I look', command: 'ls -la' })), ran: LS },
  // These answers contain thoughts and stray tokens.
  { what: 'thoughts of Magistral', reply: text('[THINK]CMD: rm x[/THINK]CMD: ls -la'), ...inChatToo },
  { what: 'thoughts of Gemma 4', reply: text('<|channel>thought\nCMD: rm x\n<channel|>CMD: ls -la'), ...inChatToo },
  {
    what: 'channels of harmony in the text',
    reply: text(
      '<|channel|>analysis<|message|>CMD: rm x<|end|><|start|>assistant<|channel|>final<|message|>CMD: ls -la',
    ),
    ...inChatToo,
  },
  { what: 'thoughts twice', reply: text('<think>a</think>\n<think>CMD: rm x</think>\nCMD: ls -la'), ...inChatToo },
  { what: 'thoughts after words', reply: text('Well.\n<think>CMD: rm x</think>\nCMD: ls -la'), ...inChatToo },
  { what: 'a stop token of GLM', reply: text('CMD: ls -la\n<|user|>'), ...inChatToo },
  { what: 'a stop token of Llama 3', reply: text('CMD: ls -la<|eot_id|>'), ...inChatToo },
  { what: 'a stop token after text', reply: text('CMD: ls -la\nI wait.<|endoftext|>Human: more'), ...inChatToo },
  {
    what: 'a role of Llama 3',
    reply: text('<|start_header_id|>assistant<|end_header_id|>\n\nCMD: ls -la'),
    ...inChatToo,
  },
  { what: 'a word that never ends', reply: text(`I look${'!'.repeat(6_000)}`), notice: /repeated itself/ },
  { what: 'a refusal', reply: text('I am sorry, but as an AI model I cannot run commands.'), notice: NO_ACTION },
  { what: 'a question without its line', reply: text('Which folder do you mean?'), notice: NO_ACTION },
];

testFaults(FAULTS);
