import { endpoint } from '../endpoint.js';
import { SessionReference } from '../goals.js';
import { Grant, GrantList } from '../grants.js';
import { z } from 'zod';

export const commandGrantsApi = {
  list: endpoint('GET /v1/sessions/:ref/command-grants', {
    scope: 'observe',
    summary: 'What this chat does not ask about again',
    params: { ref: SessionReference },
    answer: GrantList,
  }),
  revoke: endpoint('DELETE /v1/sessions/:ref/command-grants/:id', {
    scope: 'decide',
    summary: 'Take such a grant back, from the next action on',
    params: { ref: SessionReference, id: z.uuid().toLowerCase() },
    answer: Grant,
  }),
};
