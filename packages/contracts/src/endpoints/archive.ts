import { endpoint } from '../endpoint.js';
import { Session } from '../chat.js';
import { Goal, GoalReference, SessionReference } from '../goals.js';

export const archiveApi = {
  archiveGoal: endpoint('POST /v1/goals/:ref/archive', {
    scope: 'operate',
    summary: 'Leave a goal that has ended out of the lists',
    params: { ref: GoalReference },
    answer: Goal,
  }),
  unarchiveGoal: endpoint('POST /v1/goals/:ref/unarchive', {
    scope: 'operate',
    summary: 'Have lists show a goal again',
    params: { ref: GoalReference },
    answer: Goal,
  }),
  deleteGoal: endpoint('DELETE /v1/goals/:ref', {
    scope: 'operate',
    summary: 'Delete a goal that has ended, with its record and its workspace',
    params: { ref: GoalReference },
  }),
  archiveSession: endpoint('POST /v1/sessions/:ref/archive', {
    scope: 'operate',
    summary: 'Leave a session out of the lists, and the goal it is of',
    params: { ref: SessionReference },
    answer: Session,
  }),
  unarchiveSession: endpoint('POST /v1/sessions/:ref/unarchive', {
    scope: 'operate',
    summary: 'Have lists show a session again',
    params: { ref: SessionReference },
    answer: Session,
  }),
};
