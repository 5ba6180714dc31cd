/**
 * Returns the address of the api for a page at `https://homelab/aish/app/`. The api is next to `app/`, below any path
 * that a proxy adds.
 */
export function apiBase(page: string): string {
  return new URL('..', new URL('.', page)).href.slice(0, -1);
}
