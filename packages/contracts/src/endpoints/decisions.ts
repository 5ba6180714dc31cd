import { Decision, DecisionList, GiveVerdict, ListDecisions } from '../decisions.js';
import { endpoint } from '../endpoint.js';
import { MCP, NEW_WORK, RUN } from '../endpoint-problems.js';
import { DecisionReference } from '../goals.js';
import { Classification, SafetyCheck, SafetyRuleList } from '../safety.js';

export const decisionsApi = {
  list: endpoint('GET /v1/decisions', {
    scope: 'observe',
    summary: 'List pending decisions, oldest first',
    query: ListDecisions,
    answer: DecisionList,
  }),
  show: endpoint('GET /v1/decisions/:ref', {
    scope: 'observe',
    summary: 'Show a decision',
    params: { ref: DecisionReference },
    answer: Decision,
  }),
  decide: endpoint('POST /v1/decisions/:ref/verdict', {
    scope: 'decide',
    summary: 'Answer a decision; the first verdict wins',
    params: { ref: DecisionReference },
    body: GiveVerdict,
    answer: Decision,
    problems: [
      'decision_taken',
      'decision_changed',
      'needs_another_person',
      'grant_forbidden',
      'network_full',
      'name_taken',
      'hosts_off',
      ...NEW_WORK,
      ...RUN,
      ...MCP,
    ],
  }),
  takeBack: endpoint('DELETE /v1/decisions/:ref/verdict', {
    scope: 'decide',
    summary: 'Withdraw an approval that has not taken effect; the decision is pending again',
    params: { ref: DecisionReference },
    answer: Decision,
    problems: ['decision_taken'],
  }),
};

export const safetyApi = {
  patterns: endpoint('GET /v1/safety/patterns', {
    scope: 'observe',
    summary: 'List the rules that stop actions',
    answer: SafetyRuleList,
  }),
  check: endpoint('POST /v1/safety/check', {
    scope: 'observe',
    summary: 'Check a command or tool call against the safety rules, without running it',
    body: SafetyCheck,
    answer: Classification,
  }),
};
