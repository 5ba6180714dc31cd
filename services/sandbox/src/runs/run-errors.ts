import { AishError } from '@aish/contracts/problems';

export function serviceStopping(): AishError {
  return new AishError('service_stopping', 'The sandbox service is stopping. Try again in a moment', {
    retryAfterS: 5,
  });
}

export function runLost(runId: string): AishError {
  return new AishError('run_lost', `Run ${runId} was started, but its outcome is unknown. aish does not run it again`, {
    runId,
  });
}
