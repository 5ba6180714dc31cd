import { endpoint } from '../endpoint.js';
import { FoundSecrets, LookForSecrets, Secret, SecretList, SecretName, SessionSecrets, SetSecret } from '../secrets.js';
import { z } from 'zod';

const Id = z.uuid().toLowerCase();

export const secretsApi = {
  list: endpoint('GET /v1/secrets', {
    scope: 'observe',
    summary: 'Every secret by its name, and where it may go; never its value',
    answer: SecretList,
  }),
  look: endpoint('POST /v1/secrets/look', {
    scope: 'observe',
    summary: 'What a text looks like it holds of secrets; it is not kept',
    body: LookForSecrets,
    answer: FoundSecrets,
  }),
  set: endpoint('PUT /v1/secrets/:name', {
    scope: 'admin',
    summary: 'Set a secret whole: its value, and where it may go',
    params: { name: SecretName },
    body: SetSecret,
    answer: Secret,
  }),
  remove: endpoint('DELETE /v1/secrets/:name', {
    scope: 'admin',
    summary: 'Remove a secret; no command may use it from now on',
    params: { name: SecretName },
    answer: Secret,
  }),
  ofSession: endpoint('GET /v1/sessions/:id/secrets', {
    scope: 'observe',
    summary: 'The secrets that commands of a session may use, by name',
    params: { id: Id },
    answer: SessionSecrets,
  }),
  give: endpoint('PUT /v1/sessions/:id/secrets', {
    scope: 'admin',
    summary: 'Say which secrets commands of a session may use, from the next command on',
    params: { id: Id },
    body: SessionSecrets,
    answer: SessionSecrets,
  }),
};
