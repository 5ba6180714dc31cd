import { asProcess } from '@aish/cli/as-process';
import { programOf } from '@aish/cli/program';
import { runProgram } from '@aish/cli/run';
import { EXIT_HELP } from '@aish/client/exit-codes';
import { jobsFirstAnswers } from './first-answers.command.js';
import { jobsFit, jobsRun } from './play.command.js';
import { jobsCard, jobsCompare, jobsList, jobsShow } from './read.command.js';
import { jobsReplay } from './replay.command.js';

const JOBS = {
  name: 'npm run jobs --',
  about: 'Measure whether a model does the work: homelab jobs, run on aish and checked.',
  help: EXIT_HELP,
  commands: [jobsRun, jobsList, jobsShow, jobsCompare, jobsCard, jobsReplay, jobsFit, jobsFirstAnswers],
  groups: {},
};

process.exitCode = await asProcess((io) =>
  runProgram((context) => programOf(JOBS, context), process.argv.slice(2), io),
);
