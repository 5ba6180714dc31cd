const SLUG_MAX_CHARS = 60;

/** `nodes/3f/20260524033000-push-failures.org`: two digits of the id keep every folder small, also with 100 000 nodes. */
export function nodePath(id: string, title: string, created: Date): string {
  const stamp = created.toISOString().replaceAll(/\D/g, '').slice(0, 14);
  return `nodes/${id.slice(0, 2).toLowerCase()}/${stamp}-${slugOf(title)}.org`;
}

/** A title as part of a file name, in ASCII; `node` when nothing of it is left. */
function slugOf(title: string): string {
  const slug = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, SLUG_MAX_CHARS)
    .replace(/-+$/, '');
  return slug === '' ? 'node' : slug;
}
