import { endpoint } from '../endpoint.js';
import { KNOWLEDGE } from '../endpoint-problems.js';
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
    summary: 'List runbooks by name',
    answer: RunbookList,
    problems: KNOWLEDGE,
  }),
  show: endpoint('GET /v1/runbooks/:name', {
    scope: 'observe',
    summary: 'Show a runbook and what it may do without asking',
    params: { name: RunbookName },
    answer: RunbookDetail,
    problems: KNOWLEDGE,
  }),
  put: endpoint('PUT /v1/runbooks/:name', {
    scope: 'admin',
    summary: 'Import a runbook, replacing one of the same name, or only check it',
    params: { name: RunbookName },
    body: PutRunbook,
    answer: RunbookDetail,
    problems: ['runbook_faulty', 'version_changed', ...KNOWLEDGE],
  }),
  accept: endpoint('POST /v1/runbooks/:name/accept', {
    scope: 'admin',
    summary: 'Allow the current version of a runbook to use its tools and commands without asking',
    params: { name: RunbookName },
    body: AcceptRunbook,
    answer: RunbookDetail,
    problems: ['runbook_faulty', 'version_changed', ...KNOWLEDGE],
  }),
};

export const proposalsApi = {
  list: endpoint('GET /v1/runbook-proposals', {
    scope: 'observe',
    summary: 'List pending runbook proposals of models, oldest first',
    answer: RunbookProposalList,
    problems: KNOWLEDGE,
  }),
  show: endpoint('GET /v1/runbook-proposals/:ref', {
    scope: 'observe',
    summary: 'Show a proposal as a diff from the current runbook',
    params: { ref: RunbookProposalReference },
    answer: RunbookProposalDetail,
    problems: KNOWLEDGE,
  }),
  accept: endpoint('POST /v1/runbook-proposals/:ref/accept', {
    scope: 'admin',
    summary: 'Commit a proposal, as it is or reworded; its tools must be accepted again',
    params: { ref: RunbookProposalReference },
    body: AcceptRunbookProposal,
    answer: RunbookDetail,
    problems: ['runbook_faulty', 'version_changed', 'candidate_taken', ...KNOWLEDGE],
  }),
  reject: endpoint('POST /v1/runbook-proposals/:ref/reject', {
    scope: 'admin',
    summary: 'Reject a proposal; the same text is not proposed again',
    params: { ref: RunbookProposalReference },
    answer: RunbookProposal,
    problems: ['candidate_taken', ...KNOWLEDGE],
  }),
};
