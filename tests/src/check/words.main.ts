import { findWordsInRepository, problemsOf } from './words.js';

/** Part of `npm run check`: texts are in plain English, and old names do not come back. */
const problems = problemsOf(findWordsInRepository());
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
