import { preset } from '../../jest.preset.mjs';

// Every write runs a handful of git processes, and machines can be busy, so the limit is only for real hangs.
export default { ...preset, displayName: 'knowledge', testTimeout: 60_000 };
