import { isWithin } from '@aish/contracts/host-folders';

/** The options of the mount that holds `path`, read from the text of /proc/self/mountinfo; the last of the longest counts. */
export function mountOptions(path: string, mountinfo: string): readonly string[] {
  let found: { readonly point: string; readonly options: string } = { point: '', options: '' };
  for (const line of mountinfo.split('\n')) {
    const [, , , , point = '', options = ''] = line.split(' ');
    const real = point.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCodePoint(Number.parseInt(octal, 8)),
    );
    if (real !== '' && isWithin(path, real) && real.length >= found.point.length) found = { point: real, options };
  }
  return found.options.split(',');
}
