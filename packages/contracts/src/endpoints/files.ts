import { ActionOutput, FindInOutput, FoundInOutput, ReadOutput } from '../actions.js';
import { ChangeList, ListChanges } from '../effects.js';
import { endpoint } from '../endpoint.js';
import {
  FILE_MEDIA_TYPES,
  FileForm,
  FileList,
  FilePath,
  GoalSnapshotList,
  Preview,
  UndoPreview,
  UndoScope,
  Undone,
} from '../files.js';
import { DecisionReference, GoalReference, SessionReference } from '../goals.js';
import * as z from 'zod';

const Id = z.uuid().toLowerCase();

export const filesApi = {
  list: endpoint('GET /v1/sessions/:id/files', {
    scope: 'observe',
    summary: 'What a folder of the session’s workspace holds',
    params: { id: Id },
    query: FilePath,
    answer: FileList,
  }),
  read: endpoint('GET /v1/sessions/:id/files/:form', {
    scope: 'observe',
    summary: 'One file of the workspace, or a file or folder as tar',
    params: { id: Id, form: FileForm },
    query: FilePath,
    answer: Object.values(FILE_MEDIA_TYPES),
  }),
  write: endpoint('PUT /v1/sessions/:id/files/:form', {
    scope: 'operate',
    summary: 'Put one file into the workspace, or unpack a tar into a folder of it',
    params: { id: Id, form: FileForm },
    query: FilePath,
    body: Object.values(FILE_MEDIA_TYPES),
  }),
};

export const outputApi = {
  read: endpoint('GET /v1/actions/:id/output', {
    scope: 'observe',
    summary: 'What an action printed, as far as it is kept, in pages of lines',
    params: { id: Id },
    query: ReadOutput,
    answer: ActionOutput,
  }),
  find: endpoint('GET /v1/actions/:id/output/line', {
    scope: 'observe',
    summary: 'The line of what an action printed that has a text',
    params: { id: Id },
    query: FindInOutput,
    answer: FoundInOutput,
  }),
};

export const undoApi = {
  preview: endpoint('POST /v1/decisions/:ref/preview', {
    scope: 'decide',
    summary:
      'Run the command of a decision before it counts: a proceed that names it keeps that run, or it says why not',
    params: { ref: DecisionReference },
    answer: Preview,
    timeoutMs: 125_000,
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
  previewUndo: endpoint('GET /v1/actions/:id/undo', {
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
    timeoutMs: 125_000,
  }),
};
