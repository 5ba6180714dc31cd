import type { RerunReason } from './files.js';

const RERUN_REASONS: Readonly<Record<RerunReason, string>> = {
  network: 'it will have a network, which a preview never has',
  'host folders': 'it will have host folders, which a preview never has',
  'other hosts': 'it may reach other hosts, which a preview never does',
  secrets: 'it will have secrets, which a preview never has',
  decided: 'the decision already has a verdict',
  'no layers': 'its workspace has no layers',
  'in use': 'something else is using its workspace',
  'time limit': 'the preview reached its time limit',
  stopped: 'the preview was stopped before it finished',
  command: 'the command has changed',
  'execution context': 'its folder or variables have changed',
  rules: 'its image, limits or rules have changed',
  'files changed': 'files have changed since the preview',
  'too old': 'the preview is too old',
  gone: 'the preview no longer exists',
  'not shown': 'the verdict does not name the preview',
};

/** The reason why a command runs again although it had a preview. */
export function rerunReasonText(why: RerunReason): string {
  return RERUN_REASONS[why];
}
