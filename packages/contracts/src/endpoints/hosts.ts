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
