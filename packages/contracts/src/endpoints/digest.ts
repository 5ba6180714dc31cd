import { endpoint } from '../endpoint.js';
import { Digest, ShowDigest } from '../digest.js';

export const digestApi = {
  show: endpoint('GET /v1/digest', {
    scope: 'observe',
    summary: 'What happened in the last days: goals, HALTs, files, hosts, tokens',
    query: ShowDigest,
    answer: Digest,
  }),
};
