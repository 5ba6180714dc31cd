import { endpoint } from '../endpoint.js';
import { AcceptRunbook, PutRunbook, RunbookDetail, RunbookList, RunbookName } from '../runbooks.js';

export const runbooksApi = {
  list: endpoint('GET /v1/runbooks', {
    scope: 'observe',
    summary: 'Runbooks, by name',
    answer: RunbookList,
  }),
  show: endpoint('GET /v1/runbooks/:name', {
    scope: 'observe',
    summary: 'One runbook whole, with what it may do without a question',
    params: { name: RunbookName },
    answer: RunbookDetail,
  }),
  put: endpoint('PUT /v1/runbooks/:name', {
    scope: 'admin',
    summary: 'Put a runbook in place of the one of its name, or only say what is wrong with it',
    params: { name: RunbookName },
    body: PutRunbook,
    answer: RunbookDetail,
  }),
  accept: endpoint('POST /v1/runbooks/:name/accept', {
    scope: 'admin',
    summary: 'Let a runbook use its tools and commands without a question, as it is',
    params: { name: RunbookName },
    body: AcceptRunbook,
    answer: RunbookDetail,
  }),
};
