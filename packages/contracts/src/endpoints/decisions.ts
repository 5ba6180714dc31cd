import { Decision, DecisionList, GiveVerdict, ListDecisions } from '../decisions.js';
import { endpoint } from '../endpoint.js';
import { DecisionReference } from '../goals.js';
import { Classification, SafetyCheck, SafetyRuleList } from '../safety.js';

export const decisionsApi = {
  list: endpoint('GET /v1/decisions', {
    scope: 'observe',
    summary: 'Questions that wait for a person, oldest first',
    query: ListDecisions,
    answer: DecisionList,
  }),
  show: endpoint('GET /v1/decisions/:ref', {
    scope: 'observe',
    summary: 'One decision',
    params: { ref: DecisionReference },
    answer: Decision,
  }),
  decide: endpoint('POST /v1/decisions/:ref/verdict', {
    scope: 'decide',
    summary: 'Answer a decision; the first verdict wins',
    params: { ref: DecisionReference },
    body: GiveVerdict,
    answer: Decision,
  }),
  takeBack: endpoint('DELETE /v1/decisions/:ref/verdict', {
    scope: 'decide',
    summary: 'Take back what waits for another person or for the change window; the question stays',
    params: { ref: DecisionReference },
    answer: Decision,
  }),
};

export const safetyApi = {
  patterns: endpoint('GET /v1/safety/patterns', {
    scope: 'observe',
    summary: 'The rules that stop a command',
    answer: SafetyRuleList,
  }),
  check: endpoint('POST /v1/safety/check', {
    scope: 'observe',
    summary: 'What the safety gate says about a command or tool call; runs nothing',
    body: SafetyCheck,
    answer: Classification,
  }),
};
