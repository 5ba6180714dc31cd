import { endpoint } from '../endpoint.js';
import { ShownSettingList } from '../shown-settings.js';

export const settingsApi = {
  list: endpoint('GET /v1/settings', {
    scope: 'admin',
    summary: 'What the api runs with, who said it and what it means; of secrets only that they are set',
    answer: ShownSettingList,
  }),
};
