import { endpoint } from '../endpoint.js';
import { KNOWLEDGE, NEW_WORK } from '../endpoint-problems.js';
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
    problems: ['hosts_off'],
  }),
  run: endpoint('POST /v1/brief', {
    scope: 'operate',
    summary: 'Check all hosts now',
    answer: Brief,
    timeoutMs: 60_000,
    problems: ['hosts_off', ...KNOWLEDGE],
  }),
  changes: endpoint('GET /v1/brief/changes', {
    scope: 'observe',
    summary: 'Compare the hosts with an earlier time, or two hosts with each other',
    query: ShowChanges,
    answer: LabChangeList,
    problems: ['hosts_off'],
  }),
  mute: endpoint('POST /v1/brief/findings/:id/mute', {
    scope: 'operate',
    summary: 'Mute a finding until a date, or until its fact changes',
    params: { id: FindingId },
    body: MuteFinding,
    answer: Brief,
    problems: ['finding_gone'],
  }),
  fix: endpoint('POST /v1/brief/findings/:id/fix', {
    scope: 'operate',
    summary: 'Start a goal that fixes a finding',
    params: { id: FindingId },
    answer: Goal,
    status: 201,
    problems: ['finding_gone', 'hosts_off', ...NEW_WORK],
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
    problems: ['hosts_off'],
  }),
};
