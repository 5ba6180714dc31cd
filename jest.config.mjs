/** All projects in one run: `npx jest --selectProjects broker norris`. tests/ has the slow ones and runs by itself. */
export default {
  // This limit detects a hang. It is long because machines are slow at times.
  testTimeout: 60_000,
  testSequencer: '<rootDir>/tests/jest/sequencer.mjs',
  projects: [
    '<rootDir>/packages/*',
    '<rootDir>/services/*',
    '<rootDir>/clients/*',
    '<rootDir>/deploy/launcher',
    '<rootDir>/evals',
    '<rootDir>/bench',
    '<rootDir>/tests',
  ],
};
