/** Where the api is for a page at `https://homelab/aish/app/`: beside it, whatever path a proxy puts before it. */
export function apiBase(page: string): string {
  return new URL('..', new URL('.', page)).href.slice(0, -1);
}
