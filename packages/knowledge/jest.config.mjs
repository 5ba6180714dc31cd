import { preset } from '../../jest.preset.mjs';

// Every write runs a handful of git processes, and machines can be busy: a hang is what the limit is for.
export default { ...preset, displayName: 'knowledge', testTimeout: 60_000 };
