import { endpoint } from '../endpoint.js';
import {
  AddHost,
  Host,
  HostCheck,
  HostCommandList,
  HostList,
  HostName,
  SeenHost,
  SetPrelude,
  TrustHost,
} from '../hosts.js';
import { Image, ImageList, ImageName, ImageRecipe } from '../images.js';
import { FoundSecrets, LookForSecrets, Secret, SecretList, SecretName, SessionSecrets, SetSecret } from '../secrets.js';
import { SpaceName } from '../space-name.js';
import { SetSpace, Space, SpaceList } from '../spaces.js';
import * as z from 'zod';

const Id = z.uuid().toLowerCase();

export const hostsApi = {
  list: endpoint('GET /v1/hosts', {
    scope: 'observe',
    summary: 'Machines that commands may use over SSH, when they were last seen, and what was done there last',
    answer: HostList,
  }),
  add: endpoint('POST /v1/hosts', {
    scope: 'admin',
    summary: 'Add a host; the answer has the keys that it shows, to be compared and trusted',
    body: AddHost,
    answer: SeenHost,
    status: 201,
  }),
  see: endpoint('GET /v1/hosts/:name/keys', {
    scope: 'admin',
    summary: 'The keys that a host shows now, beside those that are pinned',
    params: { name: HostName },
    answer: SeenHost,
  }),
  trust: endpoint('POST /v1/hosts/:name/trust', {
    scope: 'admin',
    summary: 'Pin keys of a host; it is used with no others',
    params: { name: HostName },
    body: TrustHost,
    answer: Host,
  }),
  setPrelude: endpoint('PUT /v1/hosts/:name/prelude', {
    scope: 'admin',
    summary: 'Say what runs on a host before each command that a person let through: a snapshot, say',
    params: { name: HostName },
    body: SetPrelude,
    answer: Host,
  }),
  check: endpoint('POST /v1/hosts/:name/check', {
    scope: 'admin',
    summary: 'Sign in to a host, and run a command that changes nothing',
    params: { name: HostName },
    answer: HostCheck,
  }),
  commands: endpoint('GET /v1/hosts/:name/commands', {
    scope: 'observe',
    summary: 'What was asked for on a host, newest first, by which goal, and how it ended',
    params: { name: HostName },
    answer: HostCommandList,
  }),
  remove: endpoint('DELETE /v1/hosts/:name', {
    scope: 'admin',
    summary: 'Remove a host; what was done there stays on record',
    params: { name: HostName },
    answer: Host,
  }),
};

export const imagesApi = {
  list: endpoint('GET /v1/images', {
    scope: 'observe',
    summary: 'The images that spaces may run their commands in, and how their builds are',
    answer: ImageList,
  }),
  show: endpoint('GET /v1/images/:name', {
    scope: 'observe',
    summary: 'One image, and how its build is',
    params: { name: ImageName },
    answer: Image,
  }),
  set: endpoint('PUT /v1/images/:name', {
    scope: 'admin',
    summary: 'Say what is in an image, and begin to build it; what was built before is used until then',
    params: { name: ImageName },
    body: ImageRecipe,
    answer: Image,
  }),
  rebuild: endpoint('POST /v1/images/:name/rebuild', {
    scope: 'admin',
    summary: 'Build an image again, with the newest packages, for what is begun afterwards',
    params: { name: ImageName },
    answer: Image,
  }),
  remove: endpoint('DELETE /v1/images/:name', {
    scope: 'admin',
    summary: 'Remove an image that no space uses',
    params: { name: ImageName },
    answer: Image,
  }),
};

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

export const spacesApi = {
  list: endpoint('GET /v1/spaces', {
    scope: 'observe',
    summary: 'What goals and chats of each space reach, and who may work there',
    answer: SpaceList,
  }),
  show: endpoint('GET /v1/spaces/:name', {
    scope: 'observe',
    summary: 'What goals and chats of a space reach, and who may work there',
    params: { name: SpaceName },
    answer: Space,
  }),
  set: endpoint('PATCH /v1/spaces/:name', {
    scope: 'admin',
    summary: 'Say what a space reaches, for what is begun there from now on; what is left out stays',
    params: { name: SpaceName },
    body: SetSpace,
    answer: Space,
  }),
  remove: endpoint('DELETE /v1/spaces/:name', {
    scope: 'admin',
    summary: 'Let nothing more begin in a space; what was begun and its memory stay',
    params: { name: SpaceName },
    answer: Space,
  }),
};
