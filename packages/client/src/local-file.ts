import { AishError } from '@aish/contracts/problems';

/** Works with a file of the person who typed the command. @throws AishError `invalid_body` for what is wrong with that. */
export async function localFile<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw localError(error);
  }
}

/** What is wrong with a file here is wrong usage; any other error stays what it is. */
export function localError(cause: unknown): unknown {
  const { code, message, path } = cause as NodeJS.ErrnoException;
  // A full disk is told without the file.
  const isOfFile = code === 'ENOSPC' || (code !== undefined && path !== undefined);
  return isOfFile ? new AishError('invalid_body', message, {}, { cause }) : cause;
}
