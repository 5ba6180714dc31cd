import { endpoint } from '../endpoint.js';
import { Health } from '../health.js';

export const healthApi = {
  check: endpoint('GET /v1/health', {
    scope: 'nothing',
    summary: 'Whether aish works; needs no token. 503 when the database is down',
    answer: Health,
  }),
};
