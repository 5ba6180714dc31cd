import { endpoint } from '../endpoint.js';
import { Goal } from '../goals.js';
import {
  Brief,
  BriefRules,
  BriefSchedule,
  FindingId,
  LabChangeList,
  MuteFinding,
  SetBriefSchedule,
  ShowChanges,
} from '../lab.js';

export const briefApi = {
  show: endpoint('GET /v1/brief', {
    scope: 'observe',
    summary: 'Show what the last check found wrong on the hosts',
    answer: Brief,
  }),
  run: endpoint('POST /v1/brief', {
    scope: 'operate',
    summary: 'Check all hosts now',
    answer: Brief,
    timeoutMs: 60_000,
  }),
  changes: endpoint('GET /v1/brief/changes', {
    scope: 'observe',
    summary: 'Compare the hosts with an earlier time, or two hosts with each other',
    query: ShowChanges,
    answer: LabChangeList,
  }),
  mute: endpoint('POST /v1/brief/findings/:id/mute', {
    scope: 'operate',
    summary: 'Mute a finding until a date, or until its fact changes',
    params: { id: FindingId },
    body: MuteFinding,
    answer: Brief,
  }),
  fix: endpoint('POST /v1/brief/findings/:id/fix', {
    scope: 'operate',
    summary: 'Start a goal that fixes a finding',
    params: { id: FindingId },
    answer: Goal,
    status: 201,
  }),
  rules: endpoint('GET /v1/brief/rules', {
    scope: 'observe',
    summary: 'Show brief.yaml',
    answer: BriefRules,
  }),
  setRules: endpoint('PUT /v1/brief/rules', {
    scope: 'admin',
    summary: 'Replace brief.yaml; an invalid one changes nothing',
    body: BriefRules,
    answer: BriefRules,
  }),
  schedule: endpoint('GET /v1/brief/schedule', {
    scope: 'observe',
    summary: 'Show the schedule of the daily brief',
    answer: BriefSchedule,
  }),
  setSchedule: endpoint('PUT /v1/brief/schedule', {
    scope: 'operate',
    summary: 'Set or stop the daily brief',
    body: SetBriefSchedule,
    answer: BriefSchedule,
  }),
};
