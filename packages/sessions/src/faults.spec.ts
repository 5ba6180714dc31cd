import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openWorld, type World } from '@aish/actions/testing';
import { listTurns } from '@aish/database/turns.repository';
import { beginGoal } from './testing/begin-goal.js';
import { LS, NO_ACTION, toolCallReply, inChatToo, testFaults, text, type Fault } from './testing/fault.bench.js';

const FAULTS: readonly Fault[] = [
  // These answers are empty or incomplete.
  { what: 'an empty answer', reply: text(''), notice: /Your answer was empty|held no action/ },
  { what: 'an answer of white space', reply: text(' \n\n'), notice: NO_ACTION },
  { what: 'only thoughts', reply: { text: '', reasoning: 'I should look at the files.' }, notice: /gave no answer/ },
  {
    what: 'thoughts until the limit',
    reply: { text: '', reasoning: 'Hmm. ', finish: 'length' },
    notice: /gave no answer/,
  },
  { what: '<think> that is never closed', reply: text('<think>I could\nCMD: rm x\n'), notice: /gave no answer/ },
  {
    what: 'thoughts in the text before the answer',
    reply: text('<think>CMD: rm x</think>\nCMD: ls -la'),
    ...inChatToo,
  },
  { what: 'thoughts that only end in the text', reply: text('I look.\n</think>\n\nCMD: ls -la'), ...inChatToo },
  {
    what: 'a command that the limit cuts',
    reply: { text: 'CMD: rm -rf /workspace/o', finish: 'length' },
    notice: /cut inside a command/,
  },
  {
    what: 'a here-document that the limit cuts',
    reply: { text: "CMD: cat > a <<'EOF'\nhalf", finish: 'length' },
    notice: /cut inside a command/,
  },
  {
    what: 'a here-document that is never closed',
    reply: text("CMD: cat > a <<'EOF'\nall of it"),
    notice: /never closed/,
  },
  // These answers call tools.
  {
    what: 'a call of a shell that nobody described',
    reply: toolCallReply('bash', '{"command":"ls -la"}'),
    ...inChatToo,
  },
  { what: 'a shell call with broken JSON', reply: toolCallReply('bash', '{"command":"ls'), notice: /no tool bash/i },
  { what: 'arguments as a string', reply: toolCallReply('run', '"{\\"command\\":\\"ls -la\\"}"'), ...inChatToo },
  { what: 'arguments with an extra comma', reply: toolCallReply('run', '{"command":"ls -la",}'), ...inChatToo },
  { what: 'a tool that does not exist', reply: toolCallReply('fs__read', '{"path":"a"}'), notice: /no tool fs__read/ },
  {
    what: 'a call without its arguments',
    reply: toolCallReply('lab__read_sign', '{"sign":'),
    notice: /was not made|not valid JSON/,
  },
  {
    what: 'two calls of a shell',
    reply: text(
      '<tool_call>{"name":"sh","arguments":{"cmd":"ls -la"}}</tool_call>\n<tool_call>{"name":"sh","arguments":{"cmd":"pwd"}}</tool_call>',
    ),
    ran: ['ls -la', 'pwd'],
    ranInChat: ['ls -la', 'pwd'],
  },
  {
    what: 'a call of Hermes as text',
    reply: text('<tool_call>\n{"name":"bash","arguments":{"command":"ls -la"}}\n</tool_call>'),
    ...inChatToo,
  },
  {
    what: 'a call of Qwen as XML',
    reply: text('<tool_call>\n<function=bash>\n<parameter=command>\nls -la\n</parameter>\n</function>\n</tool_call>'),
    ...inChatToo,
  },
  {
    what: 'a call of Mistral',
    reply: text('[TOOL_CALLS] [{"name":"bash","arguments":{"command":"ls -la"}}]'),
    ...inChatToo,
  },
  { what: 'a call of a newer Mistral', reply: text('[TOOL_CALLS]bash[ARGS]{"command":"ls -la"}'), ...inChatToo },
  {
    what: 'a call of Llama',
    reply: text('<|python_tag|>{"name":"bash","parameters":{"command":"ls -la"}}'),
    ...inChatToo,
  },
  {
    what: 'a call of Llama without its mark',
    reply: text('{"name":"bash","parameters":{"command":"ls -la"}}'),
    ...inChatToo,
  },
  {
    what: 'a call of harmony',
    reply: text('<|channel|>commentary to=functions.bash <|constrain|>json<|message|>{"command":"ls -la"}<|call|>'),
    ...inChatToo,
  },
  { what: 'a call of Gemma', reply: text('<|tool_call>call:bash{command:<|"|>ls -la<|"|>}<tool_call|>'), ...inChatToo },
  {
    what: 'a call of GLM',
    reply: text('<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>ls -la</arg_value>\n</tool_call>'),
    ...inChatToo,
  },
  { what: 'a call of LFM', reply: text('<|tool_call_start|>[bash(command="ls -la")]<|tool_call_end|>'), ...inChatToo },
  { what: 'a call of functions.NAME', reply: text('functions.bash({"command":"ls -la"})'), ...inChatToo },
  {
    what: 'a call as JSON in a fence',
    reply: text('```json\n{"name":"run","arguments":{"command":"ls -la"}}\n```'),
    ...inChatToo,
  },
  {
    what: 'a call in thoughts alone',
    reply: { text: '', reasoning: 'I look.\n<tool_call>{"name":"bash","arguments":{"command":"ls -la"}}</tool_call>' },
    ...inChatToo,
  },
  {
    what: 'a call that is only thought about',
    reply: { text: '', reasoning: 'Not <tool_call>{"name":"bash","arguments":{"command":"rm x"}}</tool_call>, no.' },
    notice: /gave no answer/,
  },
  {
    what: 'the description of a tool',
    reply: text('{"name":"lab__ring_bell","parameters":{"type":"object","properties":{}}}'),
    notice: /repeated the description/,
  },
  // These answers contain commands in another form.
  { what: 'a code fence', reply: text('```bash\nls -la\n```'), ran: LS },
  { what: 'a code fence between sentences', reply: text('I look first.\n\n```\nls -la\n```\nThen I go on.'), ran: LS },
  {
    what: 'a fence of two commands',
    reply: text('```bash\nls -la\nrm x\n```'),
    notice: /code fence only if it is the only one[\s\S]*held no action/,
  },
  {
    what: 'a fence of Python',
    reply: text('```python\nprint(1)\n```'),
    notice: /code fence only if it is the only one[\s\S]*held no action/,
  },
  { what: 'a bold CMD', reply: text('**CMD:** ls -la'), ...inChatToo },
  { what: 'cmd in lower case', reply: text('cmd: ls -la'), ...inChatToo },
  { what: 'a sentence with the command', reply: text('Let me run: `ls -la`'), ran: LS },
  { what: 'a command in backquotes', reply: text('CMD: `ls -la`'), ...inChatToo },
  { what: 'CMD in a fence', reply: text('```\nCMD: ls -la\n```'), ...inChatToo },
  { what: 'CRLF', reply: text('I look.\r\nCMD: ls -la\r\n'), ...inChatToo },
  { what: 'a byte order mark', reply: text('\uFEFFCMD: ls -la'), ...inChatToo },
  // These answers contain text that does not belong there.
  { what: 'a stop token in the text', reply: text('CMD: ls -la<|im_end|>\n<|im_start|>user\nCMD: rm x'), ...inChatToo },
  { what: 'the model’s own role', reply: text('assistant:\nCMD: ls -la'), ...inChatToo },
  {
    what: 'an invented turn of the user',
    reply: text('CMD: ls -la\nuser: it printed b\nCMD: rm b'),
    ...inChatToo,
  },
  {
    what: 'an invented result',
    reply: text('CMD: ls -la\n[exec] $ ls -la\nexit code 0\n| b\nCMD: rm b'),
    ...inChatToo,
    notice: /Never write a result/,
  },
  {
    what: 'a line that is repeated',
    reply: text(`CMD: ls -la\n${'I wait for it.\n'.repeat(500)}`),
    ...inChatToo,
    notice: /repeated itself/,
  },
  { what: 'prose in another language', reply: text('Ich werde mir zuerst die Dateien ansehen.'), notice: NO_ACTION },
  { what: 'prose only', reply: text('I will look at the files first.'), notice: NO_ACTION },
  {
    what: 'the prompt again',
    reply: text('To run a shell command, write it on a line of its own.'),
    notice: NO_ACTION,
  },
  // These answers end a goal.
  {
    what: 'GOAL: complete in a sentence',
    reply: text('I will write "GOAL: complete" when I am done.'),
    notice: NO_ACTION,
  },
  { what: 'the goal as a heading', reply: text('Goal: Complete the backup\nFirst I look.'), notice: NO_ACTION },
  { what: 'GOAL: complete without an answer', reply: text('GOAL: complete'), notice: /Answer the goal in words/ },
  {
    what: 'GOAL: complete before its command',
    reply: text('GOAL: complete\nCMD: ls -la'),
    ...inChatToo,
    notice: /Answer the goal in words/,
  },
  { what: 'a check that cannot fail', reply: text('GOAL: check true'), notice: /proves nothing/ },
];

testFaults(FAULTS);

describe('thoughts', () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
    world.last = 'GOAL: complete\nDone.';
  }, 120_000);
  afterAll(() => world?.close());

  it.each([
    ['the endpoint separates them from the answer', { text: 'CMD: ls -la', reasoning: 'I look first.' }],
    ['they are part of the text', { text: '<think>I look first.</think>\nCMD: ls -la' }],
  ])('a goal saves the thoughts of its model and does not send them back if %s', async (_, reply) => {
    world.answers = [reply];
    const goal = await beginGoal(world);
    await goal.run();
    const turns = await listTurns(world.db.statements, goal.sessionId);
    const [answer] = turns.filter(({ role }) => role === 'assistant');
    expect(answer).toMatchObject({ content: 'CMD: ls -la', meta: { reasoning: 'I look first.' } });
    expect(JSON.stringify(world.model.requests.at(-1)?.messages)).not.toContain('I look first.');
  });

  it.each([
    ['none', [undefined, undefined]],
    ['last', [undefined, 'Second.']],
    ['all', ['First.', 'Second.']],
  ] as const)('a model gets back the earlier thoughts that its capabilities ask for: %s', async (which, sent) => {
    await world.capabilityStore.learn(world.preset, { thoughts: which }, 'thoughts');
    world.answers = [
      { text: 'CMD: ls', reasoning: 'First.' },
      { text: 'CMD: pwd', reasoning: 'Second.' },
    ];
    const goal = await beginGoal(world);
    await goal.run();
    const messages: readonly unknown[] = world.model.requests.at(-1)?.messages ?? [];
    const answers = messages.filter((each) => JSON.stringify(each).includes('"role":"assistant"'));
    expect(answers).toMatchObject(
      sent.map((reasoning) => (reasoning === undefined ? {} : { reasoning_content: reasoning })),
    );
    expect(JSON.stringify(messages).match(/reasoning_content/g)?.length ?? 0).toBe(sent.filter(Boolean).length);
  });
});
