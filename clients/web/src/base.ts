/**
 * The address of the api for a page at `https://homelab/aish/app/`: next to `app/`, with any path that a proxy adds.
 */
export function apiBase(page: string): string {
  return new URL('..', new URL('.', page)).href.slice(0, -1);
}
