/** Closes one after the other, all of them whatever fails, so that a failure leaves nothing open; then fails with the first. */
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
