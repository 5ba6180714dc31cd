import { compareVersions } from '@aish/contracts/upgrade';

/** The program of a checkout. `npm run build` makes its bundle, and after `aish upgrade` it runs that of the new version. */
const OF_CHECKOUT = '/clients/cli/bin/aish.mjs';
/** The program of the package that `npm pack` makes, wherever npm has installed it. */
const OF_PACKAGE = '/node_modules/@aish/cli/';

/**
 * Returns advice for a client and a server with different versions, as lines.
 * @param program the file of this client, without links
 */
export function versionAdvice(client: string, server: string, program: string): readonly string[] {
  const order = compareVersions(client, server);
  if (order === 0) return ['Both have the same version; there is nothing to do.'];
  if (order > 0) return ['The server is older. Run on its machine: aish upgrade'];
  const where = isOfCheckout(program) ? 'its checkout' : 'a checkout of aish';
  return [
    `This client is older. To upgrade it, run in ${where} at version ${server}:`,
    `  npm ci && ${buildOf(program, server)}`,
  ];
}

function buildOf(program: string, version: string): string {
  if (isOfCheckout(program)) return 'npm run build';
  if (program.includes(OF_PACKAGE))
    return `npm run build && npm pack -w @aish/cli && npm install --global ./aish-cli-${version}.tgz`;
  return `node clients/cli/bundle.mjs '${program.replaceAll("'", String.raw`'\''`)}'`;
}

/** Whether the file is the program of a checkout. */
export function isOfCheckout(program: string): boolean {
  return program.endsWith(OF_CHECKOUT);
}
