import { endpoint } from '../endpoint.js';
import { NEW_WORK } from '../endpoint-problems.js';
import {
  ContinueGoal,
  CreateGoal,
  EditGoal,
  ExportGoal,
  Goal,
  GoalDetail,
  GoalList,
  GoalReference,
  ListGoals,
  PauseGoal,
  ScheduleReference,
} from '../goals.js';
import { Grant, GrantList } from '../grants.js';
import { CreateSchedule, Schedule, ScheduleList } from '../schedules.js';
import * as z from 'zod';

export const goalsApi = {
  create: endpoint('POST /v1/goals', {
    scope: 'operate',
    summary: 'Give aish a goal',
    body: CreateGoal,
    answer: Goal,
    status: 201,
    problems: NEW_WORK,
  }),
  list: endpoint('GET /v1/goals', {
    scope: 'observe',
    summary: 'List goals, newest first',
    query: ListGoals,
    answer: GoalList,
  }),
  show: endpoint('GET /v1/goals/:ref', {
    scope: 'observe',
    summary: 'Show a goal with its steps, actions and decisions',
    params: { ref: GoalReference },
    answer: GoalDetail,
  }),
  cancel: endpoint('POST /v1/goals/:ref/cancel', {
    scope: 'operate',
    summary: 'End a goal now',
    params: { ref: GoalReference },
    answer: Goal,
    problems: ['goal_ended'],
  }),
  pause: endpoint('POST /v1/goals/:ref/pause', {
    scope: 'operate',
    summary: 'Pause a goal',
    params: { ref: GoalReference },
    query: PauseGoal,
    answer: Goal,
    problems: ['goal_ended'],
  }),
  resume: endpoint('POST /v1/goals/:ref/resume', {
    scope: 'operate',
    summary: 'Resume a paused goal',
    params: { ref: GoalReference },
    answer: Goal,
    problems: ['goal_ended'],
  }),
  continue: endpoint('POST /v1/goals/:ref/continue', {
    scope: 'operate',
    summary: 'Continue a goal that ended without being done, with more steps',
    params: { ref: GoalReference },
    body: ContinueGoal,
    answer: Goal,
    problems: ['goal_not_ended', 'goal_done', 'busy'],
  }),
  edit: endpoint('PATCH /v1/goals/:ref', {
    scope: 'operate',
    summary: 'Change the text, the check, the priority or the trust of a goal',
    params: { ref: GoalReference },
    body: EditGoal,
    answer: Goal,
    problems: ['goal_ended', 'trust_not_allowed', 'decision_waits'],
  }),
  grants: endpoint('GET /v1/goals/:ref/grants', {
    scope: 'observe',
    summary: 'List the grants of a goal',
    params: { ref: GoalReference },
    answer: GrantList,
  }),
  revoke: endpoint('DELETE /v1/goals/:ref/grants/:id', {
    scope: 'decide',
    summary: 'Revoke a grant',
    params: { ref: GoalReference, id: z.uuid() },
    answer: Grant,
    problems: ['grant_revoked'],
  }),
  export: endpoint('GET /v1/goals/:ref/export', {
    scope: 'observe',
    summary: 'Export a goal’s full history as JSON or Markdown',
    params: { ref: GoalReference },
    query: ExportGoal,
    answer: ['application/json', 'text/markdown'],
  }),
};

export const schedulesApi = {
  create: endpoint('POST /v1/schedules', {
    scope: 'operate',
    summary: 'Schedule a goal',
    body: CreateSchedule,
    answer: Schedule,
    status: 201,
    problems: NEW_WORK,
  }),
  list: endpoint('GET /v1/schedules', {
    scope: 'observe',
    summary: 'List schedules, oldest first',
    answer: ScheduleList,
  }),
  remove: endpoint('DELETE /v1/schedules/:ref', {
    scope: 'operate',
    summary: 'Remove a schedule; its goals stay',
    params: { ref: ScheduleReference },
    answer: Schedule,
  }),
};
