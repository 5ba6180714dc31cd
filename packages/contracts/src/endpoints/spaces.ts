import { endpoint } from '../endpoint.js';
import { SpaceName } from '../space-name.js';
import { SetSpace, Space, SpaceList } from '../spaces.js';

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
