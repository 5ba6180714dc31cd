/** Where the page lies, `https://homelab/aish/app/`: everything else is beside it, whatever path a proxy puts before it. */
export function apiUrl(path: string, page: string): string {
  return new URL(`..${path}`, new URL('.', page)).href;
}
