import { endpoint } from '../endpoint.js';
import { SubscribePush, WebPush } from '../web.js';

export const webPushApi = {
  show: endpoint('GET /v1/web/push', {
    scope: 'observe',
    summary: 'Whether this browser gets notices, and what it subscribes with',
    answer: WebPush,
  }),
  subscribe: endpoint('PUT /v1/web/push', {
    scope: 'observe',
    summary: 'Send notices to this browser, until it is signed out',
    body: SubscribePush,
    answer: WebPush,
  }),
  unsubscribe: endpoint('DELETE /v1/web/push', {
    scope: 'observe',
    summary: 'Send no more notices to this browser',
  }),
};
