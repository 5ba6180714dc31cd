import { endpoint } from '../endpoint.js';
import { ActionOutput, FindInOutput, FoundInOutput, ReadOutput } from '../actions.js';
import { z } from 'zod';

const Id = z.uuid().toLowerCase();

export const outputApi = {
  read: endpoint('GET /v1/actions/:id/output', {
    scope: 'observe',
    summary: 'What an action printed, as far as it is kept, in pages of lines',
    params: { id: Id },
    query: ReadOutput,
    answer: ActionOutput,
  }),
  find: endpoint('GET /v1/actions/:id/output/line', {
    scope: 'observe',
    summary: 'The line of what an action printed that has a text',
    params: { id: Id },
    query: FindInOutput,
    answer: FoundInOutput,
  }),
};
