import { endpoint } from '../endpoint.js';
import { ChangeList, ListChanges } from '../effects.js';
import { GoalSnapshotList, Preview, Undone, UndoPreview, UndoScope } from '../files.js';
import { DecisionReference, GoalReference, SessionReference } from '../goals.js';
import { z } from 'zod';

export const undoApi = {
  preview: endpoint('POST /v1/decisions/:ref/preview', {
    scope: 'decide',
    summary:
      'Run the command of a decision before it counts: a proceed that names it keeps that run, or it says why not',
    params: { ref: DecisionReference },
    answer: Preview,
  }),
  list: endpoint('GET /v1/goals/:ref/snapshots', {
    scope: 'observe',
    summary: 'Snapshots of a goal’s workspace, newest first',
    params: { ref: GoalReference },
    answer: GoalSnapshotList,
  }),
  listOfSession: endpoint('GET /v1/sessions/:ref/snapshots', {
    scope: 'observe',
    summary: 'Snapshots of a session’s workspace, newest first',
    params: { ref: SessionReference },
    answer: GoalSnapshotList,
  }),
  changes: endpoint('GET /v1/actions/:id/changes', {
    scope: 'observe',
    summary: 'All that a command did to its workspace, as long as its layer is kept',
    params: { id: z.uuid().toLowerCase() },
    query: ListChanges,
    answer: ChangeList,
  }),
  foretell: endpoint('GET /v1/actions/:id/undo', {
    scope: 'observe',
    summary: 'What putting the workspace back to before an action would bring back, and lose',
    params: { id: z.uuid().toLowerCase() },
    query: UndoScope,
    answer: UndoPreview,
  }),
  undo: endpoint('POST /v1/actions/:id/undo', {
    scope: 'operate',
    summary: 'Put the workspace back to what it was before an action, or take back what it did alone',
    params: { id: z.uuid().toLowerCase() },
    query: UndoScope,
    answer: Undone,
  }),
};
