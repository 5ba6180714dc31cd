import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { verifies } from '../../requirements.js';
import { commandsOf } from '../../support/documented-commands.js';
import { Bom, faultsOf } from '../../support/cyclonedx.js';
import { buildImages, BUILD_TIMEOUT_MS } from '../../support/images.js';
import { ROOT } from '../../support/service.process.js';

const run = promisify(execFile);
/** The names of the images in docker-compose.yml. */
const IMAGES: Readonly<Record<string, string>> = {
  api: 'aish-api',
  'norris-worker': 'aish-norris-worker',
  sandbox: 'aish-sandbox-service',
  migrate: 'aish-migrate',
  secrets: 'aish-secrets',
  commands: 'aish-sandbox:compose',
};
const NAMES = Object.keys(IMAGES);
const COMMAND = 'npm run --silent sbom -- aish-api';
/** Finds packages in the text of a bundle, because esbuild keeps the path of each CommonJS module. */
const IN_TEXT = /"[./]*node_modules\/[^"\n]+"/g;
/** Finds the folder of a package, as in the lock file. */
const FOLDER = /node_modules\/(?:.*\/node_modules\/)?((?:@[^/]+\/)?[^/"]+)/;

const { packages: locked } = z
  .object({ packages: z.record(z.string(), z.object({ version: z.string().optional() })) })
  .parse(JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')));

describe('the list of packages in an image', () => {
  const ids = new Map<string, string>();
  const documents = new Map<string, unknown>();
  const boms = new Map<string, Bom>();

  beforeAll(async () => {
    await buildImages();
    for (const name of NAMES) {
      const { stdout: id } = await run('docker', ['image', 'inspect', '--format', '{{.Id}}', IMAGES[name] ?? '']);
      ids.set(name, id.trim());
      documents.set(name, JSON.parse(await shell(COMMAND.replace('aish-api', id.trim()))));
      boms.set(name, Bom.parse(documents.get(name)));
    }
  }, BUILD_TIMEOUT_MS);

  async function shell(command: string): Promise<string> {
    return (await run('sh', ['-c', command], { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 })).stdout;
  }
  const inside = (name: string, script: string) =>
    shell(
      `docker run --rm --network none --user 0 --entrypoint sh ${ids.get(name)} -c '${script.replaceAll("'", `'\\''`)}'`,
    );
  const linesOf = (text: string) => [...new Set(text.split('\n').filter(Boolean))].toSorted();
  const listed = (name: string, kind: string) =>
    (boms.get(name)?.components ?? []).filter(({ purl }) => purl.startsWith(`pkg:${kind}/`));

  it.each(NAMES)(verifies('supply.sbom', 'the package list of the image %s is valid CycloneDX'), (name) => {
    expect(commandsOf('docs/operate.md')).toContain(COMMAND);
    expect(boms.get(name)?.metadata.component.type).toBe('container');
    expect(faultsOf(documents.get(name))).toEqual([]);
    // This checks that the schema does reject errors.
    expect(faultsOf({ ...(documents.get(name) as object), components: [{ name: 'no type' }] })).not.toEqual([]);
  });

  it.each(NAMES)(
    verifies('supply.sbom', 'the package list of the image %s has every Debian package, as in dpkg'),
    async (name) => {
      const installed = linesOf(await inside(name, "dpkg-query -W -f '${Package} ${Version}\\n'"));
      expect(installed.length).toBeGreaterThan(50);
      expect(
        listed(name, 'deb')
          .map(({ name: its, version }) => `${its} ${version}`)
          .toSorted(),
      ).toEqual(installed);
    },
  );

  it.each(NAMES)(
    verifies('supply.sbom', 'the package list of the image %s has Node if it is installed'),
    async (name) => {
      const version = (
        await inside(name, 'command -v node >/dev/null && node -p process.versions.node || true')
      ).trim();
      expect(version === '').toBe(name === 'commands');
      expect(listed(name, 'generic').map((node) => `${node.name} ${node.version}`)).toEqual(
        version === '' ? [] : [`node ${version}`],
      );
    },
  );

  it.each(NAMES)(
    verifies('supply.sbom', 'the package list of the image %s has every npm package, in the version of the lock file'),
    async (name) => {
      const ours = listed(name, 'npm').filter(({ evidence }) =>
        evidence?.occurrences.some(({ location }) => location.startsWith('/app/')),
      );
      const versions = new Set(
        Object.entries(locked).map(([path, { version }]) => `${FOLDER.exec(path)?.[1]} ${version}`),
      );
      const missing = ours.filter((its) => !versions.has(`${its.name} ${its.version}`) || its.licenses.length !== 1);
      expect(missing).toEqual([]);
      // This is the other direction: the packages that files in the image name.
      const text = (await inside(name, "find /app -name '*.js' -exec cat {} + 2>/dev/null || true")).replaceAll(
        '\\\n', // breaks a long line
        '',
      );
      const folders = await inside(name, "find /app -path '*/node_modules/*' -name package.json 2>/dev/null || true");
      const found = linesOf([...(text.match(IN_TEXT) ?? []), folders].join('\n')).flatMap((line) => {
        const [path = '', its] = FOLDER.exec(line) ?? [];
        return `${its} ${locked[path]?.version}`;
      });
      expect(new Set(found).size).toBeGreaterThanOrEqual({ secrets: 0, commands: 0, migrate: 10 }[name] ?? 50);
      expect(
        linesOf(found.join('\n')).filter((each) => !ours.some((its) => `${its.name} ${its.version}` === each)),
      ).toEqual([]);
    },
  );

  it(
    verifies(
      'supply.sbom',
      'the package list has packages of bundles that are built in other ways: the terminal UI, the migrator',
    ),
    () => {
      const places = (name: string, of: string) =>
        listed(name, 'npm')
          .find((its) => its.name === of)
          ?.evidence?.occurrences.map(({ location }) => location);
      expect(places('api', 'blessed')).toEqual(['/app/clients/cli/bundle']);
      expect(places('api', 'zod')?.toSorted()).toEqual([
        '/app/clients/cli/bundle',
        '/app/clients/web/dist/bundle',
        '/app/services/api/dist/bundle',
      ]);
      expect(places('migrate', '@prisma/schema-engine-wasm')).toEqual(['/app/node_modules/@prisma/schema-engine-wasm']);
      expect(places('api', '@prisma/schema-engine-wasm')).toBeUndefined();
    },
  );

  it.each(NAMES)(verifies('supply.architectures', 'the image %s contains no native code of ours'), async (name) => {
    // ELF files begin with 7F 45 4C 46, and `.node` files are such libraries.
    const native = `find /app /usr/local/bin/aish* \\( -name '*.node' -o -name '*.so*' \\) -print 2>/dev/null;
        find /app /usr/local/bin/aish* -type f 2>/dev/null | while read -r file; do
          [ "$(head -c 4 "$file" | tail -c 3)" != ELF ] || echo "$file"
        done`;
    expect(await inside(name, native)).toBe('');
  });
});
