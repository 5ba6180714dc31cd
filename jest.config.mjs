/** All projects in one run: `npx jest --selectProjects broker norris`. tests/ has the slow ones and runs by itself. */
export default {
  projects: [
    '<rootDir>/packages/*',
    '<rootDir>/services/*',
    '<rootDir>/clients/*',
    '<rootDir>/deploy/launcher',
    '<rootDir>/bench',
    '<rootDir>/tests',
  ],
};
