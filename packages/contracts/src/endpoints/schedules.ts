import { endpoint } from '../endpoint.js';
import { ScheduleReference } from '../goals.js';
import { CreateSchedule, Schedule, ScheduleList } from '../schedules.js';

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
