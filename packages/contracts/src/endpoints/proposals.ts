import { endpoint } from '../endpoint.js';
import { RunbookProposalReference } from '../goals.js';
import {
  AcceptRunbookProposal,
  RunbookDetail,
  RunbookProposal,
  RunbookProposalDetail,
  RunbookProposalList,
} from '../runbooks.js';

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
    summary: 'Commit a proposal, as it is or in other words; what it may use has to be accepted anew',
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
