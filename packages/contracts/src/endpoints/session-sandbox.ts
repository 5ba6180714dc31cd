import { endpoint } from '../endpoint.js';
import { SessionSandbox, SetSessionSandbox } from '../sandboxes.js';
import { z } from 'zod';

const Id = z.uuid().toLowerCase();

export const sessionSandboxApi = {
  find: endpoint('GET /v1/sessions/:id/sandbox', {
    scope: 'observe',
    summary: 'Which sandbox service holds the workspace, and whether commands carry over',
    params: { id: Id },
    answer: SessionSandbox,
  }),
  set: endpoint('PUT /v1/sessions/:id/sandbox', {
    scope: 'operate',
    summary: 'Say whether a command begins where the last one ended',
    params: { id: Id },
    body: SetSessionSandbox,
    answer: SessionSandbox,
  }),
};
