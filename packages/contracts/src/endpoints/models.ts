import { endpoint } from '../endpoint.js';
import { PresetName } from '../goals.js';
import { Model, ModelList } from '../models.js';

export const modelsApi = {
  list: endpoint('GET /v1/models', {
    scope: 'observe',
    summary: 'The presets, and whether their endpoints are ready',
    answer: ModelList,
  }),
  probe: endpoint('POST /v1/models/:preset/probe', {
    scope: 'operate',
    summary: 'Find out anew what the model of a preset can do',
    params: { preset: PresetName },
    answer: Model,
  }),
};
