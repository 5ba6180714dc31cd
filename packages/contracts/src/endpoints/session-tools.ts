import { endpoint } from '../endpoint.js';
import { ToolGrant, ToolGrantList } from '../chat.js';
import { SessionReference } from '../goals.js';
import { ToolSpec } from '../tools.js';
import { z } from 'zod';

const ToolSpecList = z.object({ items: z.array(ToolSpec) }).meta({ id: 'ToolSpecList' });

export const sessionToolsApi = {
  list: endpoint('GET /v1/sessions/:ref/tools', {
    scope: 'observe',
    summary: 'The tools that there are for a session; what servers say of them is data',
    params: { ref: SessionReference },
    answer: ToolSpecList,
  }),
  grants: endpoint('GET /v1/sessions/:ref/grants', {
    scope: 'observe',
    summary: 'Tools that need no question in this session',
    params: { ref: SessionReference },
    answer: ToolGrantList,
  }),
  grant: endpoint('PUT /v1/sessions/:ref/grants', {
    scope: 'decide',
    summary: 'Let a tool, or all of a server, be called without a question in this session',
    params: { ref: SessionReference },
    body: ToolGrant,
    answer: ToolGrantList,
  }),
  revoke: endpoint('POST /v1/sessions/:ref/grants/revoke', {
    scope: 'decide',
    summary: 'Take a grant back',
    params: { ref: SessionReference },
    body: ToolGrant,
    answer: ToolGrantList,
  }),
};
