import { AishError } from '@aish/contracts';

/** What is wrong with a file of the person who typed the command is wrong usage. @throws AishError `invalid_body` */
export async function localFile<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    throw new AishError('invalid_body', message, {}, { cause });
  }
}
