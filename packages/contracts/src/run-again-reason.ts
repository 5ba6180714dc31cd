import type { WhyAnew } from './files.js';

const RUN_AGAIN_REASONS: Readonly<Record<WhyAnew, string>> = {
  network: 'it will have a network, which a preview never has',
  'host folders': 'it will have folders of the host, which a preview never has',
  'other hosts': 'it may reach other hosts, which a preview never does',
  secrets: 'it will have secrets, which a preview never has',
  decided: 'the decision is taken',
  'no layers': 'its workspace has no layers',
  'in use': 'something else uses its workspace',
  'time limit': 'the preview ran into its time limit',
  stopped: 'the preview was stopped before its end',
  command: 'it is another command now',
  surroundings: 'the folder or the variables it begins with changed',
  rules: 'its image, limits or rules changed',
  'files changed': 'files changed since the preview',
  'too old': 'the preview is too old',
  gone: 'the preview is not there any more',
  'not shown': 'the verdict does not name it',
};

/** The reason why a command runs again although it had a preview, in words. */
export function runAgainReason(why: WhyAnew): string {
  return RUN_AGAIN_REASONS[why];
}
