import { endpoint } from '../endpoint.js';
import { FILE_MEDIA_TYPES, FileForm, FileList, FilePath } from '../files.js';
import { z } from 'zod';

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
