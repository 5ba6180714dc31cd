import { afterEach, describe, expect, it } from '@jest/globals';
import { demoScript } from './demo.script.js';
import { startScriptedModel, type ScriptedModel, type ScriptedModelOptions } from './scripted.model.js';

const started: ScriptedModel[] = [];
afterEach(async () => {
  for (const model of started.splice(0)) await model.close();
});
async function start(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await startScriptedModel(options);
  started.push(model);
  return model;
}

const messages = [{ role: 'user', content: 'hi' }];
function post(model: ScriptedModel, body: object | string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${model.url}/v1/chat/completions`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify({ messages, stream: true, ...body }),
    signal: signal ?? null,
  });
}

interface Frame {
  readonly choices: readonly { readonly finish_reason: string | null; readonly delta: Record<string, string | null> }[];
  readonly [key: string]: unknown;
}
const framesOf = (text: string): readonly (Frame | '[DONE]')[] =>
  text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => block.replace(/^data: /, ''))
    .map((data) => (data === '[DONE]' ? data : (JSON.parse(data) as Frame)));

/** Waits until the server has noticed an action of the client. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let i = 0; i < 800 && !isTrue(); i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isTrue()).toBe(true);
}

describe('startScriptedModel', () => {
  it('if configured, the scripted model cuts its reasoning and text at the token limit of the request', async () => {
    const script = () => ({ reasoning: 'a'.repeat(20), text: 'b'.repeat(20) });
    const answerOf = async (model: ScriptedModel, limit: number) => {
      const frames = framesOf(await (await post(model, { max_tokens: limit })).text());
      const choices = frames.flatMap((frame) => (frame === '[DONE]' ? [] : frame.choices));
      const written = (key: string) => choices.map(({ delta }) => delta[key] ?? '').join('').length;
      return [written('reasoning_content'), written('content'), choices.at(-1)?.finish_reason];
    };
    const model = await start({ script, cutsAtLimit: true });
    expect(await answerOf(model, 3)).toEqual([12, 0, 'length']);
    expect(await answerOf(model, 7)).toEqual([20, 8, 'length']);
    expect(await answerOf(model, 10)).toEqual([20, 20, 'stop']);
    expect(await answerOf(await start({ script }), 3)).toEqual([20, 20, 'stop']);
  });

  it('the scripted model streams like llama.cpp', async () => {
    const model = await start({ script: () => ({ text: 'é✓😀 ok', chunkChars: 2 }), model: 'm' });
    const response = await post(model, { return_progress: true, stream_options: { include_usage: true } });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const frames = framesOf(await response.text());
    expect(frames.at(-1)).toBe('[DONE]');
    const chunks = frames.slice(0, -1) as readonly Frame[];
    expect(chunks.map((frame) => frame.choices[0]?.delta ?? null)).toEqual([
      { role: 'assistant', content: null },
      { role: 'assistant', content: null },
      { role: 'assistant', content: null },
      { content: 'é✓' },
      { content: '😀 ' },
      { content: 'ok' },
      {},
      null,
    ]);
    expect(chunks.filter((frame) => frame['prompt_progress'] !== undefined).length).toBe(2);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      model: 'm',
      object: 'chat.completion.chunk',
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
      timings: { prompt_n: 1 },
    });
    // The model has no cache, and an invented number would be counted as tokens that were read again.
    expect(JSON.stringify(chunks)).not.toMatch(/cache_n|cached_tokens/);
  });

  it('the scripted model answers in one piece if the request does not stream', async () => {
    const model = await start({ script: () => ({ text: 'hello' }) });
    const body = await (await post(model, { stream: false })).json();
    expect(body).toMatchObject({
      choices: [{ message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
    });
  });

  it('the script gets the messages and the number of the request, and requests are recorded', async () => {
    const model = await start({ script: (asked, n) => ({ text: `${n}:${asked.at(-1)?.content}` }) });
    const texts: string[] = [];
    for (let i = 0; i < 2; i += 1) {
      const frames = framesOf(await (await post(model, { temperature: i })).text());
      texts.push(
        frames.map((frame) => (frame === '[DONE]' ? '' : (frame.choices[0]?.delta['content'] ?? ''))).join(''),
      );
    }
    expect(texts).toEqual(['0:hi', '1:hi']);
    expect(model.requests).toMatchObject([
      { messages, body: { temperature: 0, stream: true } },
      { messages, body: { temperature: 1 } },
    ]);
    await until(() => model.requests.every((request) => request.state === 'answered'));
  });

  it('the scripted model keeps the last 1000 requests', async () => {
    const model = await start({ script: () => ({ status: 400, body: {} }) });
    for (let i = 0; i < 1_010; i += 1) await (await post(model, { seed: i })).text();
    expect([model.requests.length, model.requests[0]?.body['seed']]).toEqual([1_000, 10]);
  });

  it('the scripted model answers /health and /v1/models, and 404 for an unknown path', async () => {
    const model = await start({ script: () => ({ text: '' }), model: 'demo' });
    expect(await (await fetch(`${model.url}/health`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${model.url}/v1/models`)).json()).toMatchObject({
      data: [{ id: 'demo', owned_by: 'aish' }],
    });
    expect((await fetch(`${model.url}/nope`)).status).toBe(404);
  });

  it('the scripted model can return an error status, cut off a stream, or hang before or during it', async () => {
    const replies = [
      { status: 503, body: { error: { message: 'Loading model' } } },
      { raw: 'data: {"choices":[' },
      { hang: 'beforeHeaders' },
      { hang: 'midStream', text: 'abc' },
    ] as const;
    const model = await start({ script: (_, n) => replies[n] ?? { text: '' } });
    const refused = await post(model, {});
    expect([refused.status, await refused.json()]).toEqual([503, { error: { message: 'Loading model' } }]);
    const cut = (await post(model, {})).body?.getReader();
    expect(Buffer.from((await cut?.read())?.value ?? []).toString()).toBe('data: {"choices":[');
    await expect(cut?.read()).rejects.toThrow('terminated');
    await expect(post(model, {}, AbortSignal.timeout(100))).rejects.toThrow(/timeout/);
    const stuck = await post(model, {}, AbortSignal.timeout(300));
    expect(stuck.status).toBe(200);
    await expect(stuck.text()).rejects.toThrow(/timeout/);
    await until(() => model.requests.slice(1).every((request) => request.state === 'left'));
    expect(model.requests[0]?.state).toBe('answered');
  });

  it('the scripted model notices a disconnected client, and stops', async () => {
    const model = await start({ script: () => ({ text: 'x'.repeat(100_000), delayMs: 10 }) });
    const leaving = new AbortController();
    const response = await post(model, {}, leaving.signal);
    await response.body?.getReader().read();
    expect(model.requests[0]?.state).toBe('open');
    leaving.abort();
    await until(() => model.requests[0]?.state === 'left');
  });

  it('the scripted model refuses an invalid or oversized request, and reports a script that throws', async () => {
    const model = await start({
      script: () => {
        throw new Error('no more lines');
      },
    });
    expect((await post(model, '{"messages":')).status).toBe(400);
    expect((await post(model, '{}')).status).toBe(400);
    expect((await post(model, { pad: 'x'.repeat(17 * 1024 * 1024) })).status).toBe(413);
    const thrown = await post(model, {});
    expect([thrown.status, await thrown.text()]).toEqual([500, expect.stringContaining('no more lines')]);
  });

  it('the scripted model answers without delay if tokensPerSecond is infinite', async () => {
    const model = await start({ script: demoScript, tokensPerSecond: Infinity });
    expect(await (await post(model, {})).text()).toContain('[DONE]');
  });

  it('the scripted model can be closed while requests are open', async () => {
    const model = await startScriptedModel({ script: () => ({ hang: 'midStream' }) });
    const response = await post(model, {});
    await model.close();
    await expect(response.text()).rejects.toThrow('terminated');
  });
});
