/**
 * Closes everything one after the other, even after a failure, so that nothing stays open. Then throws the first error.
 */
export async function closeAll(...closers: readonly (() => Promise<unknown> | undefined)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closers) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
