import { endpoint } from '../endpoint.js';
import { Classification, SafetyCheck, SafetyRuleList } from '../safety.js';

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
