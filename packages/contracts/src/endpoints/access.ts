import { endpoint } from '../endpoint.js';
import { NEW_WORK } from '../endpoint-problems.js';
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
import { FoundSecrets, FindSecrets, Secret, SecretList, SecretName, SessionSecrets, SetSecret } from '../secrets.js';
import { SpaceName } from '../space-name.js';
import { SetSpace, Space, SpaceList } from '../spaces.js';
import * as z from 'zod';

const Id = z.uuid().toLowerCase();

export const hostsApi = {
  list: endpoint('GET /v1/hosts', {
    scope: 'observe',
    summary: 'List hosts, with the time each was last seen and the last action there',
    answer: HostList,
  }),
  add: endpoint('POST /v1/hosts', {
    scope: 'admin',
    summary: 'Add a host; the answer contains its keys, to compare and trust',
    body: AddHost,
    answer: SeenHost,
    status: 201,
    problems: ['hosts_off', 'name_taken', 'host_unreachable'],
  }),
  see: endpoint('GET /v1/hosts/:name/keys', {
    scope: 'admin',
    summary: 'Show the current keys of a host next to the trusted ones',
    params: { name: HostName },
    answer: SeenHost,
    problems: ['hosts_off', 'host_unreachable'],
  }),
  trust: endpoint('POST /v1/hosts/:name/trust', {
    scope: 'admin',
    summary: 'Trust keys of a host; aish accepts no others',
    params: { name: HostName },
    body: TrustHost,
    answer: Host,
    problems: ['hosts_off', 'host_unreachable'],
  }),
  setPrelude: endpoint('PUT /v1/hosts/:name/prelude', {
    scope: 'admin',
    summary: 'Set the command, such as a snapshot, that runs on a host before each approved command',
    params: { name: HostName },
    body: SetPrelude,
    answer: Host,
    problems: ['hosts_off'],
  }),
  check: endpoint('POST /v1/hosts/:name/check', {
    scope: 'admin',
    summary: 'Sign in to a host, and run a command that changes nothing there',
    params: { name: HostName },
    answer: HostCheck,
    problems: ['hosts_off', 'host_unreachable'],
  }),
  commands: endpoint('GET /v1/hosts/:name/commands', {
    scope: 'observe',
    summary: 'List actions on a host, newest first, with their goals and results',
    params: { name: HostName },
    answer: HostCommandList,
    problems: ['hosts_off'],
  }),
  remove: endpoint('DELETE /v1/hosts/:name', {
    scope: 'admin',
    summary: 'Remove a host; the record of its actions stays',
    params: { name: HostName },
    answer: Host,
    problems: ['hosts_off'],
  }),
};

export const imagesApi = {
  list: endpoint('GET /v1/images', {
    scope: 'observe',
    summary: 'List the images for commands, with the state of their builds',
    answer: ImageList,
  }),
  show: endpoint('GET /v1/images/:name', {
    scope: 'observe',
    summary: 'Show an image and the state of its build',
    params: { name: ImageName },
    answer: Image,
  }),
  set: endpoint('PUT /v1/images/:name', {
    scope: 'admin',
    summary: 'Define an image and start its build; the previous build stays in use until then',
    params: { name: ImageName },
    body: ImageRecipe,
    answer: Image,
    problems: ['busy'],
  }),
  rebuild: endpoint('POST /v1/images/:name/rebuild', {
    scope: 'admin',
    summary: 'Rebuild an image with the newest packages; new goals and chats use it',
    params: { name: ImageName },
    answer: Image,
    problems: ['busy'],
  }),
  remove: endpoint('DELETE /v1/images/:name', {
    scope: 'admin',
    summary: 'Remove an image that no space uses',
    params: { name: ImageName },
    answer: Image,
    problems: ['busy'],
  }),
};

export const secretsApi = {
  list: endpoint('GET /v1/secrets', {
    scope: 'observe',
    summary: 'List secrets by name with their allowed destinations, never their values',
    answer: SecretList,
  }),
  look: endpoint('POST /v1/secrets/look', {
    scope: 'observe',
    summary: 'Scan a text for possible secrets; the text is not stored',
    body: FindSecrets,
    answer: FoundSecrets,
  }),
  set: endpoint('PUT /v1/secrets/:name', {
    scope: 'admin',
    summary: 'Set a secret: its value and its allowed destinations',
    params: { name: SecretName },
    body: SetSecret,
    answer: Secret,
  }),
  remove: endpoint('DELETE /v1/secrets/:name', {
    scope: 'admin',
    summary: 'Remove a secret; commands can no longer use it',
    params: { name: SecretName },
    answer: Secret,
  }),
  ofSession: endpoint('GET /v1/sessions/:id/secrets', {
    scope: 'observe',
    summary: 'List the names of the secrets that a session’s commands may use',
    params: { id: Id },
    answer: SessionSecrets,
  }),
  give: endpoint('PUT /v1/sessions/:id/secrets', {
    scope: 'admin',
    summary: 'Set the secrets that a session’s commands may use, from the next command on',
    params: { id: Id },
    body: SessionSecrets,
    answer: SessionSecrets,
    problems: ['decision_waits'],
  }),
};

export const spacesApi = {
  list: endpoint('GET /v1/spaces', {
    scope: 'observe',
    summary: 'List spaces, with the access and the members of each',
    answer: SpaceList,
  }),
  show: endpoint('GET /v1/spaces/:name', {
    scope: 'observe',
    summary: 'Show the access and the members of a space',
    params: { name: SpaceName },
    answer: Space,
  }),
  set: endpoint('PATCH /v1/spaces/:name', {
    scope: 'admin',
    summary: 'Set the access of a space for new goals and chats; omitted fields stay',
    params: { name: SpaceName },
    body: SetSpace,
    answer: Space,
    problems: NEW_WORK,
  }),
  remove: endpoint('DELETE /v1/spaces/:name', {
    scope: 'admin',
    summary: 'Remove a space: nothing new starts there; its goals, chats and memory stay',
    params: { name: SpaceName },
    answer: Space,
    problems: ['busy'],
  }),
};
