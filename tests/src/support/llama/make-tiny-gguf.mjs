#!/usr/bin/env node
// Writes a tiny GGUF model with seeded random weights, for talking to a real
// llama-server in tests. No dependencies; the same arguments give the same
// bytes on every machine.
//
//   node make-tiny-gguf.mjs OUT.gguf [--seed N] [--ctx N] [--template KIND|FILE]
//                           [--layers N] [--name NAME]
//
// What the model is:
//   * architecture "llama", 1 layer with 1 head, 64 wide, f32, 0.3 MB: about
//     5000 tokens/s on one core. More layers (--layers 40) give a slow model,
//     for tests that must catch a stream half way.
//   * vocabulary: one token for each of the 256 bytes plus a few specials, and
//     no merges, so a text of N UTF-8 bytes is exactly N tokens. Token counts
//     in tests can be computed instead of guessed.
//   * weights: random, except for four residual channels that only the token
//     embedding writes and only the output reads: 0 is a constant and carries a
//     bias for each token; 1 marks a newline, 2 marks </tool_call> and 3 marks
//     "}", to steer what follows them. Left alone, the model writes lower-case
//     letters and spaces and stops by itself after a few dozen tokens; it never
//     writes invalid UTF-8. It calls no tool unless told to by logit_bias, and
//     stops after the call. For exact text use a grammar (forcing-proxy.ts).
//   * chat template KIND: "chatml" (default; ChatML with Hermes-style
//     <tool_call> JSON), "think" (the same, with <think> reasoning), "strict"
//     (no tools, and raises unless user/assistant alternate), or a path to a
//     Jinja file.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const argv = process.argv.slice(2);
const opts = { seed: 1, ctx: 32768, template: 'chatml', layers: 1, name: 'tiny-random' };
let out = null;
for (let i = 0; i < argv.length; i++) {
  const a = argv[i];
  if (a.startsWith('--')) {
    const key = a.slice(2);
    if (!(key in opts) || i + 1 >= argv.length) usage(`unknown or incomplete option ${a}`);
    const v = argv[++i];
    opts[key] = typeof opts[key] === 'number' ? Number(v) : v;
    if (typeof opts[key] === 'number' && !Number.isSafeInteger(opts[key])) usage(`${a} wants an integer`);
  } else if (out === null) out = a;
  else usage(`unexpected argument ${a}`);
}
if (out === null) usage('no output file');

function usage(why) {
  process.stderr.write(
    `make-tiny-gguf: ${why}\nusage: make-tiny-gguf.mjs OUT.gguf [--seed N] [--ctx N] [--template chatml|think|strict|FILE] [--layers N] [--name NAME]\n`,
  );
  process.exit(2);
}

// ---------------------------------------------------------------- templates

const TOOLS_PREAMBLE = String.raw`{%- if tools %}
    {{- '<|im_start|>system\n' }}
    {%- if messages[0].role == 'system' %}
        {{- messages[0].content + '\n\n' }}
    {%- endif %}
    {{- '# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>' }}
    {%- for tool in tools %}
        {{- '\n' }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- '\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>{"name": <function-name>, "arguments": <args-json-object>}</tool_call><|im_end|>\n' }}
{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\n' + messages[0].content + '<|im_end|>\n' }}
{%- endif %}
`;

const messageLoop = (assistantBody) => String.raw`{%- for message in messages %}
    {%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
    {%- elif message.role == 'assistant' %}
        {{- '<|im_start|>assistant\n' }}
${assistantBody}        {%- if message.tool_calls %}
            {%- for tool_call in message.tool_calls %}
                {%- if tool_call.function %}
                    {%- set tool_call = tool_call.function %}
                {%- endif %}
                {%- if (loop.first and message.content) or (not loop.first) %}
                    {{- '\n' }}
                {%- endif %}
                {{- '<tool_call>{"name": "' + tool_call.name + '", "arguments": ' }}
                {%- if tool_call.arguments is string %}
                    {{- tool_call.arguments }}
                {%- else %}
                    {{- tool_call.arguments | tojson }}
                {%- endif %}
                {{- '}</tool_call>' }}
            {%- endfor %}
        {%- endif %}
        {{- '<|im_end|>\n' }}
    {%- elif message.role == 'tool' %}
        {%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}
            {{- '<|im_start|>user' }}
        {%- endif %}
        {{- '\n<tool_response>\n' + message.content + '\n</tool_response>' }}
        {%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}
            {{- '<|im_end|>\n' }}
        {%- endif %}
    {%- endif %}
{%- endfor %}
`;

const CONTENT = String.raw`        {%- if message.content %}
            {{- message.content }}
        {%- endif %}
`;

const THINK_CONTENT = String.raw`        {%- if message.reasoning_content %}
            {{- '<think>\n' + message.reasoning_content + '\n</think>\n\n' }}
        {%- endif %}
        {%- if message.content %}
            {{- message.content }}
        {%- endif %}
`;

const TEMPLATES = {
  chatml:
    TOOLS_PREAMBLE +
    messageLoop(CONTENT) +
    String.raw`{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %}
`,
  think:
    TOOLS_PREAMBLE +
    messageLoop(THINK_CONTENT) +
    String.raw`{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\n\n</think>\n\n' }}
    {%- endif %}
{%- endif %}
`,
  strict: String.raw`{%- set ns = namespace(n=0) %}
{%- for message in messages %}
    {%- if message.role == 'system' %}
        {%- if not loop.first %}
            {{- raise_exception('system message is only allowed first') }}
        {%- endif %}
        {{- '<|im_start|>system\n' + message.content + '<|im_end|>\n' }}
    {%- else %}
        {%- if (message.role == 'user') != (ns.n % 2 == 0) %}
            {{- raise_exception('conversation roles must alternate user/assistant/user/assistant/...') }}
        {%- endif %}
        {%- set ns.n = ns.n + 1 %}
        {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %}
`,
};

const template = Object.hasOwn(TEMPLATES, opts.template)
  ? TEMPLATES[opts.template]
  : readFileSync(opts.template, 'utf8');

// --------------------------------------------------------------- vocabulary

// The printable stand-in for each byte, as in byte-level BPE vocabularies.
function byteChars() {
  const chars = new Array(256);
  let next = 256;
  for (let b = 0; b < 256; b++) {
    const plain = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
    chars[b] = String.fromCodePoint(plain ? b : next++);
  }
  return chars;
}

const NORMAL = 1,
  CONTROL = 3,
  USER_DEFINED = 4;
const tokens = byteChars();
const tokenTypes = tokens.map(() => NORMAL);
function special(text, type) {
  tokens.push(text);
  tokenTypes.push(type);
  return tokens.length - 1;
}
const EOT = special('<|endoftext|>', CONTROL);
special('<|im_start|>', CONTROL);
const IM_END = special('<|im_end|>', CONTROL);
const CALL = special('<tool_call>', USER_DEFINED);
const CALL_END = special('</tool_call>', USER_DEFINED);
special('<think>', USER_DEFINED);
special('</think>', USER_DEFINED);
while (tokens.length % 8) special(`<|reserved_${tokens.length}|>`, CONTROL);
const nVocab = tokens.length;

// Returns the logit bias of each token, which is read from the constant residual channel.
function bias(id) {
  if (id === IM_END) return 3.2;
  if (id === CALL) return -45;
  if (id >= 256) return -30;
  const c = String.fromCharCode(id);
  if (c === ' ') return 5;
  if ('etaoinshrdlu'.includes(c)) return 4;
  if (c >= 'a' && c <= 'z') return 3;
  if (c === '.' || c === ',' || c === '\n') return 1.5;
  if ('"}]'.includes(c)) return 2; // makes JSON under a grammar end
  if (id >= 33 && id <= 126) return -1;
  return -30;
}

// ------------------------------------------------------------------ weights

const nEmbd = 64,
  nHead = 1,
  nHeadKv = 1,
  nFf = 128,
  nLayer = opts.layers;
const headDim = nEmbd / nHead;
const MARK = 8; // the value of residual channels 0 to 3 if they are set
const nMark = 4;

let state = opts.seed >>> 0;
function uniform() {
  // mulberry32
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
function normal(std) {
  // a sum of uniforms needs only exact arithmetic and no libm
  let s = -6;
  for (let i = 0; i < 12; i++) s += uniform();
  return s * std;
}
// ne0 is the contiguous (input) dimension, and ne1 is the number of rows (outputs).
function matrix(ne0, ne1, std, fix) {
  const a = new Float32Array(ne0 * ne1);
  for (let r = 0; r < ne1; r++)
    for (let c = 0; c < ne0; c++) {
      const v = normal(std);
      const f = fix ? fix(r, c) : undefined;
      a[r * ne0 + c] = f === undefined ? v : f;
    }
  return a;
}
const ones = (n) => new Float32Array(n).fill(1);

const tensors = [];
const add = (name, dims, data) => tensors.push({ name, dims, data });
const embd = matrix(nEmbd, nVocab, 1, (r, c) => {
  if (c >= nMark) return undefined;
  return c === 0 || r === [0, 10, CALL_END, '}'.charCodeAt(0)][c] ? MARK : 0;
});
add('token_embd.weight', [nEmbd, nVocab], embd);
for (let l = 0; l < nLayer; l++) {
  const p = `blk.${l}.`;
  const std = 1 / Math.sqrt(nEmbd);
  const out = 1 / Math.sqrt(nLayer); // keeps the residual equally large with any number of layers
  const quiet = (r) => (r < nMark ? 0 : undefined); // leaves the marked channels alone
  add(`${p}attn_norm.weight`, [nEmbd], ones(nEmbd));
  add(`${p}attn_q.weight`, [nEmbd, nHead * headDim], matrix(nEmbd, nHead * headDim, std));
  add(`${p}attn_k.weight`, [nEmbd, nHeadKv * headDim], matrix(nEmbd, nHeadKv * headDim, std));
  add(`${p}attn_v.weight`, [nEmbd, nHeadKv * headDim], matrix(nEmbd, nHeadKv * headDim, std));
  add(`${p}attn_output.weight`, [nHead * headDim, nEmbd], matrix(nHead * headDim, nEmbd, std * out, quiet));
  add(`${p}ffn_norm.weight`, [nEmbd], ones(nEmbd));
  add(`${p}ffn_gate.weight`, [nEmbd, nFf], matrix(nEmbd, nFf, std));
  add(`${p}ffn_up.weight`, [nEmbd, nFf], matrix(nEmbd, nFf, std));
  add(`${p}ffn_down.weight`, [nFf, nEmbd], matrix(nFf, nEmbd, out / Math.sqrt(nFf), quiet));
}
add('output_norm.weight', [nEmbd], ones(nEmbd));
// The last RMS norm divides the channels by about this much.
const rms = Math.sqrt((MARK * MARK + (nEmbd - nMark) * 1.5) / nEmbd);
const output = matrix(nEmbd, nVocab, 0.2, (r, c) => {
  if (c === 0) return (bias(r) * rms) / MARK;
  if (c === 1) return r === CALL ? (35 * rms) / MARK : 0;
  if (c === 2) return r === IM_END ? (35 * rms) / MARK : 0;
  // This steers the model out of </tool_call>.
  if (c === 3) return ' \n,<'.includes(String.fromCharCode(r)) ? (-60 * rms) / MARK : 0;
  return undefined;
});
// This makes the same token twice in a row rare.
for (let i = 0; i < output.length; i++) if (i % nEmbd >= nMark) output[i] -= 0.08 * embd[i];
add('output.weight', [nEmbd, nVocab], output);

// ---------------------------------------------------------------- GGUF file

const U32 = 4,
  I32 = 5,
  F32 = 6,
  BOOL = 7,
  STRING = 8,
  ARRAY = 9;
const parts = [];
let length = 0;
function put(buf) {
  parts.push(buf);
  length += buf.length;
}
function u32(n) {
  const b = Buffer.alloc(4);
  b.writeUInt32LE(n);
  put(b);
}
function i32(n) {
  const b = Buffer.alloc(4);
  b.writeInt32LE(n);
  put(b);
}
function u64(n) {
  const b = Buffer.alloc(8);
  b.writeBigUInt64LE(BigInt(n));
  put(b);
}
function f32(x) {
  const b = Buffer.alloc(4);
  b.writeFloatLE(x);
  put(b);
}
function str(s) {
  const b = Buffer.from(s, 'utf8');
  u64(b.length);
  put(b);
}
const writers = { [U32]: u32, [I32]: i32, [F32]: f32, [BOOL]: (v) => put(Buffer.from([v ? 1 : 0])), [STRING]: str };

const kv = [
  ['general.architecture', STRING, 'llama'],
  ['general.name', STRING, opts.name],
  ['general.description', STRING, `seeded random weights for protocol tests, seed ${opts.seed}`],
  ['general.file_type', U32, 0],
  ['llama.vocab_size', U32, nVocab],
  ['llama.context_length', U32, opts.ctx],
  ['llama.embedding_length', U32, nEmbd],
  ['llama.block_count', U32, nLayer],
  ['llama.feed_forward_length', U32, nFf],
  ['llama.attention.head_count', U32, nHead],
  ['llama.attention.head_count_kv', U32, nHeadKv],
  ['llama.attention.layer_norm_rms_epsilon', F32, 1e-5],
  ['llama.rope.dimension_count', U32, headDim],
  ['llama.rope.freq_base', F32, 10000],
  ['tokenizer.ggml.model', STRING, 'gpt2'],
  ['tokenizer.ggml.pre', STRING, 'gpt-2'],
  ['tokenizer.ggml.tokens', [STRING], tokens],
  ['tokenizer.ggml.token_type', [I32], tokenTypes],
  ['tokenizer.ggml.merges', [STRING], []],
  ['tokenizer.ggml.bos_token_id', U32, EOT],
  ['tokenizer.ggml.eos_token_id', U32, IM_END],
  ['tokenizer.ggml.padding_token_id', U32, EOT],
  ['tokenizer.ggml.add_bos_token', BOOL, false],
  ['tokenizer.chat_template', STRING, template],
];

put(Buffer.from('GGUF'));
u32(3);
u64(tensors.length);
u64(kv.length);
for (const [key, type, value] of kv) {
  str(key);
  if (Array.isArray(type)) {
    u32(ARRAY);
    u32(type[0]);
    u64(value.length);
    for (const v of value) writers[type[0]](v);
  } else {
    u32(type);
    writers[type](value);
  }
}
const ALIGN = 32;
const pad = (n) => (ALIGN - (n % ALIGN)) % ALIGN;
let offset = 0;
for (const t of tensors) {
  str(t.name);
  u32(t.dims.length);
  for (const d of t.dims) u64(d);
  u32(0); // GGML_TYPE_F32
  u64(offset);
  offset += t.data.byteLength + pad(t.data.byteLength);
}
put(Buffer.alloc(pad(length)));
for (const t of tensors) {
  const b = Buffer.alloc(t.data.length * 4);
  for (let i = 0; i < t.data.length; i++) b.writeFloatLE(t.data[i], i * 4);
  put(b);
  put(Buffer.alloc(pad(b.length)));
}
const tmp = `${out}.${process.pid}.tmp`;
writeFileSync(tmp, Buffer.concat(parts));
renameSync(tmp, out);
process.stderr.write(`${out}: ${length} bytes, ${nVocab} tokens, template ${opts.template}, seed ${opts.seed}\n`);
