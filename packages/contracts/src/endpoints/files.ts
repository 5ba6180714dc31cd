import { ActionOutput, FindInOutput, FoundInOutput, ReadOutput } from '../actions.js';
import { ChangeList, ListChanges } from '../effects.js';
import { endpoint } from '../endpoint.js';
import { RUN } from '../endpoint-problems.js';
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
    summary: 'List a folder of the session’s workspace',
    params: { id: Id },
    query: FilePath,
    answer: FileList,
    problems: ['file_not_found', 'file_too_large', 'path_not_allowed'],
  }),
  read: endpoint('GET /v1/sessions/:id/files/:form', {
    scope: 'observe',
    summary: 'Download a file of the workspace, or a file or folder as tar',
    params: { id: Id, form: FileForm },
    query: FilePath,
    answer: Object.values(FILE_MEDIA_TYPES),
    problems: ['file_not_found', 'file_too_large', 'path_not_allowed'],
  }),
  write: endpoint('PUT /v1/sessions/:id/files/:form', {
    scope: 'operate',
    summary: 'Upload a file to the workspace, or unpack a tar into one of its folders',
    params: { id: Id, form: FileForm },
    query: FilePath,
    body: Object.values(FILE_MEDIA_TYPES),
    problems: [
      'file_not_found',
      'file_too_large',
      'path_not_allowed',
      'decision_waits',
      'workspace_held',
      'locked',
      'busy',
    ],
  }),
};

export const outputApi = {
  read: endpoint('GET /v1/actions/:id/output', {
    scope: 'observe',
    summary: 'Show the stored output of an action, in pages of lines',
    params: { id: Id },
    query: ReadOutput,
    answer: ActionOutput,
  }),
  find: endpoint('GET /v1/actions/:id/output/line', {
    scope: 'observe',
    summary: 'Find the next line of an action’s output that contains a text',
    params: { id: Id },
    query: FindInOutput,
    answer: FoundInOutput,
  }),
};

export const undoApi = {
  preview: endpoint('POST /v1/decisions/:ref/preview', {
    scope: 'decide',
    summary: 'Preview the command of a decision; to keep the result, name the preview in the verdict',
    params: { ref: DecisionReference },
    answer: Preview,
    timeoutMs: 125_000,
    problems: ['preview_too_large', 'snapshot_too_large', 'decision_taken', 'decision_changed', ...RUN],
  }),
  list: endpoint('GET /v1/goals/:ref/snapshots', {
    scope: 'observe',
    summary: 'List snapshots of a goal’s workspace, newest first',
    params: { ref: GoalReference },
    answer: GoalSnapshotList,
    problems: ['snapshot_not_found'],
  }),
  listOfSession: endpoint('GET /v1/sessions/:ref/snapshots', {
    scope: 'observe',
    summary: 'List snapshots of a session’s workspace, newest first',
    params: { ref: SessionReference },
    answer: GoalSnapshotList,
    problems: ['snapshot_not_found'],
  }),
  changes: endpoint('GET /v1/actions/:id/changes', {
    scope: 'observe',
    summary: 'List the files that a command changed in its workspace, while aish keeps its layer',
    params: { id: z.uuid().toLowerCase() },
    query: ListChanges,
    answer: ChangeList,
    problems: ['changes_not_kept', 'snapshot_not_found'],
  }),
  previewUndo: endpoint('GET /v1/actions/:id/undo', {
    scope: 'observe',
    summary: 'Preview an undo: the files that it would restore, and the changes that would be lost',
    params: { id: z.uuid().toLowerCase() },
    query: UndoScope,
    answer: UndoPreview,
    problems: ['snapshot_not_found', 'changes_not_kept', 'undo_overlaps', 'locked'],
  }),
  undo: endpoint('POST /v1/actions/:id/undo', {
    scope: 'operate',
    summary: 'Restore the workspace to its state before an action, or undo only that action',
    params: { id: z.uuid().toLowerCase() },
    query: UndoScope,
    answer: Undone,
    timeoutMs: 125_000,
    problems: [
      'snapshot_not_found',
      'changes_not_kept',
      'undo_overlaps',
      'snapshot_too_large',
      'locked',
      'busy',
      'decision_waits',
      'workspace_held',
    ],
  }),
};
