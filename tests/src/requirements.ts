/** What aish promises, one sentence each. Every one is cited by at least one test; a check fails for one that is not. */
export const REQUIREMENTS = {
  'main-job.rehearsal':
    'A newcomer’s goal runs with the rehearsal model: real containers, HALT, verdict, done, and its story afterwards',
  'main-job.llama': 'The same goal runs against a real llama-server',
  'main-job.compose': 'The same goal runs through docker compose with two workers',
  'main-job.redis': 'The same goal runs with queue and bus on Redis',
  'halt.verdicts': 'A HALT takes proceed, skip or abort, and the model is told',
  'halt.first-verdict-wins': 'The second verdict gets 409 and learns who decided',
  'halt.survives-restart': 'A HALT held over a restart of everything goes on when it is answered',
  'goal.survives-kill': 'A killed worker’s goal is driven on by another, and no command runs twice',
  'goal.cancel': 'A cancelled goal stops its command within a second or so',
  'goal.waits-for-model':
    'A model endpoint that is down, hangs or sends broken streams makes the goal wait, and it goes on by itself',
  'goal.waits-for-sandbox': 'A goal waits while the sandbox is away and goes on by itself',
  'goal.budget': 'A goal ends when its budget of steps is used up, and when the model does nothing',
  'goal.second-driver': 'Two drivers never drive one goal',
  'events.resume': 'An event stream resumes after Last-Event-ID: all that was missed, in order, no duplicate',
  'api.bad-input': 'Bad input gets a problem document with a stable code and changes nothing',
  'api.tokens': 'Nothing but health answers without a token, and a token does what its scopes allow',
  'api.openapi': 'The OpenAPI document describes every route',
  'launcher.start': 'npm start sets everything up, says where it is, and Ctrl-C stops all of it',
  'launcher.one-per-folder': 'A second start on the same data folder says so and harms nothing',
  'launcher.after-kill': 'After kill -9 of the launcher the next start works',
  'tui.goal': 'The terminal UI shows goals and timeline, starts a goal, and answers a HALT with p, s or a',
  'tui.enter-never-proceeds': 'Enter alone never lets a destructive command proceed',
  'cli.scripts': 'aish works in scripts: json, exit codes, watch',
  'safety.gate': 'Nothing that the rules or the second opinion call destructive runs without a verdict',
  'safety.probe': 'What the gate says about a command can be asked without running it',
  'check.bites': 'The boundary check refuses a forbidden import',
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;

/** The name of a test that proves a requirement. */
export function verifies(id: RequirementId, how?: string): string {
  return `[${id}] ${how ?? REQUIREMENTS[id]}`;
}
