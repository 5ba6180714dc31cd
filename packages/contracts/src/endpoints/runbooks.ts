import { endpoint } from '../endpoint.js';
import { RunbookProposalReference } from '../goals.js';
import {
  AcceptRunbook,
  AcceptRunbookProposal,
  PutRunbook,
  RunbookDetail,
  RunbookList,
  RunbookName,
  RunbookProposal,
  RunbookProposalDetail,
  RunbookProposalList,
} from '../runbooks.js';

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

export const proposalsApi = {
  list: endpoint('GET /v1/runbook-proposals', {
    scope: 'observe',
    summary: 'What models would have runbooks say and nobody has reviewed, oldest first',
    answer: RunbookProposalList,
  }),
  show: endpoint('GET /v1/runbook-proposals/:ref', {
    scope: 'observe',
    summary: 'One proposal, as a diff from what the runbook is now',
    params: { ref: RunbookProposalReference },
    answer: RunbookProposalDetail,
  }),
  accept: endpoint('POST /v1/runbook-proposals/:ref/accept', {
    scope: 'admin',
    summary: 'Commit a proposal, as it is or in other words; what it may use has to be accepted again',
    params: { ref: RunbookProposalReference },
    body: AcceptRunbookProposal,
    answer: RunbookDetail,
  }),
  reject: endpoint('POST /v1/runbook-proposals/:ref/reject', {
    scope: 'admin',
    summary: 'Drop a proposal; the same text is not proposed again',
    params: { ref: RunbookProposalReference },
    answer: RunbookProposal,
  }),
};
