import { ApiError } from '@aish/client/api.error';

export class FieldError extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/** Marks the fields that an error is about until they change, and focuses the first of them. */
export function markFields(form: HTMLFormElement, error: unknown): void {
  const names = fieldsOf(error);
  const marked = Array.from(form.querySelectorAll<HTMLElement>('input, select, textarea')).filter((each) =>
    names.includes(each.getAttribute('name') ?? ''),
  );
  for (const each of marked) {
    each.setAttribute('aria-invalid', 'true');
    each.closest('details')?.setAttribute('open', '');
    each.addEventListener('input', () => each.removeAttribute('aria-invalid'), { once: true });
  }
  marked[0]?.focus();
}

/**
 * Returns the names of the fields that an error is about. The api names a field by its path in the body
 * (`limits.memoryMb`), and fields here are named after its first or its last word.
 */
function fieldsOf(error: unknown): readonly string[] {
  if (error instanceof FieldError) return [error.field];
  if (!(error instanceof ApiError) || !Array.isArray(error.facts['errors'])) return [];
  return (error.facts['errors'] as readonly { readonly path?: unknown }[]).flatMap(({ path }) => {
    const words = typeof path === 'string' ? path.split('.') : [];
    return [words[0] ?? '', words.findLast((word) => !/^\d+$/.test(word)) ?? ''];
  });
}
