import { endpoint } from '../endpoint.js';
import { NetworkConnectionList, NetworkPolicy } from '../network.js';
import { z } from 'zod';

const Id = z.uuid().toLowerCase();

export const networkApi = {
  policy: endpoint('GET /v1/sessions/:id/network', {
    scope: 'observe',
    summary: 'What commands of a session may reach',
    params: { id: Id },
    answer: NetworkPolicy,
  }),
  set: endpoint('PUT /v1/sessions/:id/network', {
    scope: 'admin',
    summary: 'Say what commands of a session may reach; open connections are cut',
    params: { id: Id },
    body: NetworkPolicy,
    answer: NetworkPolicy,
  }),
  connections: endpoint('GET /v1/sessions/:id/network/connections', {
    scope: 'observe',
    summary: 'The newest connections of a session, as far as the sandbox remembers',
    params: { id: Id },
    answer: NetworkConnectionList,
  }),
};
