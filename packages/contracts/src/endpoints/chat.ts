import { endpoint } from '../endpoint.js';
import { SendMessage, StopResult } from '../chat.js';
import { SessionReference } from '../goals.js';
import { z } from 'zod';

const After = z.object({ after: z.union([z.literal('latest'), z.coerce.number().int().min(0)]).optional() });

export const chatApi = {
  message: endpoint('POST /v1/sessions/:ref/messages', {
    scope: 'operate',
    summary: 'Say something; answers with server-sent events until the exchange has ended',
    params: { ref: SessionReference },
    body: SendMessage,
    answer: 'text/event-stream',
  }),
  stop: endpoint('POST /v1/sessions/:ref/stop', {
    scope: 'operate',
    summary: 'Stop what a chat is doing; what came of the answer is kept',
    params: { ref: SessionReference },
    answer: StopResult,
  }),
  events: endpoint('GET /v1/sessions/:ref/events', {
    scope: 'observe',
    summary: 'What happens in a session, as server-sent events; resumes after Last-Event-ID',
    params: { ref: SessionReference },
    query: After,
    answer: 'text/event-stream',
  }),
  notices: endpoint('GET /v1/notices', {
    scope: 'observe',
    summary: 'A word whenever anything changes anywhere, as server-sent events; not replayed',
    answer: 'text/event-stream',
  }),
};
