import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { now } from '../statistics.js';

/**
 * This is an OpenAI-compatible endpoint that writes one token at once, and then one per interval. Each token is the
 * time of its writing, so that the reader can compute its age. The endpoint prints its port, and runs until it is
 * killed.
 */
const tokens = Number(process.argv[2]);
const pauseMs = 1_000 / Number(process.argv[3]);

const frame = (fields: object): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-relay', object: 'chat.completion.chunk', created: 0, model: 'relay', ...fields })}\n\n`;
const token = (): string =>
  frame({ choices: [{ index: 0, finish_reason: null, delta: { content: `${now().toFixed(3)} ` } }] });
const usage = { prompt_tokens: 10, completion_tokens: tokens, total_tokens: 10 + tokens };
const END =
  frame({ choices: [{ index: 0, finish_reason: 'stop', delta: {} }] }) +
  frame({ choices: [], usage }) +
  'data: [DONE]\n\n';

const server = http.createServer((request, response) => {
  if (request.url?.endsWith('/models') === true) {
    response.setHeader('content-type', 'application/json').end('{"object":"list","data":[{"id":"relay"}]}');
    return;
  }
  if (request.url?.endsWith('/chat/completions') !== true) {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"not found"}}');
    return;
  }
  let body = '';
  request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
  request.on('end', () => {
    const { tools } = JSON.parse(body) as { tools?: readonly unknown[] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.socket?.setNoDelay(true);
    if (tools !== undefined) {
      response.end(END); // this answers the probe of a model, which is not measured
      return;
    }
    response.write(token());
    let sent = 1;
    const timer = setInterval(() => {
      response.write(token());
      sent += 1;
      if (sent < tokens) return;
      clearInterval(timer);
      response.end(END);
    }, pauseMs);
    response.on('close', () => clearInterval(timer));
  });
});
server.listen(0, '127.0.0.1', () => console.log(String((server.address() as AddressInfo).port)));
