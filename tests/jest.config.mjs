import { preset } from '../jest.preset.mjs';

export default { ...preset, displayName: 'tests', globalTeardown: '<rootDir>/src/support/leave-swarm.ts' };
