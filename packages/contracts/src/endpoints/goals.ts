import { endpoint } from '../endpoint.js';
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
    summary: 'Give a goal to Norris',
    body: CreateGoal,
    answer: Goal,
    status: 201,
  }),
  list: endpoint('GET /v1/goals', {
    scope: 'observe',
    summary: 'Goals, newest first',
    query: ListGoals,
    answer: GoalList,
  }),
  show: endpoint('GET /v1/goals/:ref', {
    scope: 'observe',
    summary: 'One goal with its steps, actions and decisions',
    params: { ref: GoalReference },
    answer: GoalDetail,
  }),
  cancel: endpoint('POST /v1/goals/:ref/cancel', {
    scope: 'operate',
    summary: 'End a goal now',
    params: { ref: GoalReference },
    answer: Goal,
  }),
  pause: endpoint('POST /v1/goals/:ref/pause', {
    scope: 'operate',
    summary: 'Stop a goal where it is, until it is resumed',
    params: { ref: GoalReference },
    query: PauseGoal,
    answer: Goal,
  }),
  resume: endpoint('POST /v1/goals/:ref/resume', {
    scope: 'operate',
    summary: 'Let a paused goal go on',
    params: { ref: GoalReference },
    answer: Goal,
  }),
  continue: endpoint('POST /v1/goals/:ref/continue', {
    scope: 'operate',
    summary: 'More steps for a goal that ended otherwise than done',
    params: { ref: GoalReference },
    body: ContinueGoal,
    answer: Goal,
  }),
  edit: endpoint('PATCH /v1/goals/:ref', {
    scope: 'operate',
    summary: 'Change the text, the check, the priority or the trust of a goal',
    params: { ref: GoalReference },
    body: EditGoal,
    answer: Goal,
  }),
  grants: endpoint('GET /v1/goals/:ref/grants', {
    scope: 'observe',
    summary: 'What runs in this goal without being asked about again',
    params: { ref: GoalReference },
    answer: GrantList,
  }),
  revoke: endpoint('DELETE /v1/goals/:ref/grants/:id', {
    scope: 'decide',
    summary: 'Take a grant back',
    params: { ref: GoalReference, id: z.uuid() },
    answer: Grant,
  }),
  export: endpoint('GET /v1/goals/:ref/export', {
    scope: 'observe',
    summary: 'The whole story of a goal, as JSON or Markdown',
    params: { ref: GoalReference },
    query: ExportGoal,
    answer: ['application/json', 'text/markdown'],
  }),
};

export const schedulesApi = {
  create: endpoint('POST /v1/schedules', {
    scope: 'operate',
    summary: 'Give a goal again and again',
    body: CreateSchedule,
    answer: Schedule,
    status: 201,
  }),
  list: endpoint('GET /v1/schedules', {
    scope: 'observe',
    summary: 'Schedules, oldest first',
    answer: ScheduleList,
  }),
  remove: endpoint('DELETE /v1/schedules/:ref', {
    scope: 'operate',
    summary: 'End a schedule; its goals stay',
    params: { ref: ScheduleReference },
    answer: Schedule,
  }),
};
