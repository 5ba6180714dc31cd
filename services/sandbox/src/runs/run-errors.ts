import { AishError } from '@aish/contracts/problems';

export function serviceStopping(): AishError {
  return new AishError('service_stopping', 'The sandbox service is stopping; ask again in a moment', {
    retryAfterS: 5,
  });
}

export function runLost(runId: string): AishError {
  return new AishError(
    'run_lost',
    `Run ${runId} was begun, and nobody knows whether it ran or how it ended. It is not run again`,
    { runId },
  );
}
