import { isAishError, toProblem } from '@aish/contracts/problems';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/**
 * Answers a request that is not a call of a tool. Its errors are protocol errors with the problem as data. Unexpected
 * errors go only to the log.
 */
export async function withProtocolErrors<T>(onError: (error: unknown) => void, answer: () => Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    throw protocolErrorOf(error, onError);
  }
}

function protocolErrorOf(error: unknown, onError: (error: unknown) => void): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (!isAishError(error)) onError(error);
  const problem = toProblem(error);
  return new ProtocolError(codeOf(problem.status), problem.detail ?? problem.title, problem);
}

function codeOf(status: number): ProtocolErrorCode {
  if (status === 400 || status === 404) return ProtocolErrorCode.InvalidParams;
  return status < 500 ? ProtocolErrorCode.InvalidRequest : ProtocolErrorCode.InternalError;
}
