import { preset } from '../jest.preset.mjs';

export default { ...preset, displayName: 'tests', globalTeardown: '<rootDir>/dist/support/leave-swarm.js' };
