import { isWithin } from '@aish/contracts/host-folders';

/**
 * Returns the options of the mount that contains `path`, from the text of /proc/self/mountinfo. If several mounts have
 * the longest matching path, the last one hides the others.
 */
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
