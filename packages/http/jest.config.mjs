import { preset } from '../../jest.preset.mjs';

export default { ...preset, displayName: 'http', setupFiles: ['reflect-metadata'] };
