import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { verifies } from '../requirements.js';
import { ROOT } from '../support/service.process.js';

/** A tag that names one version of what is in it, and of the system below where it names that. */
const EXACT = /^(v?\d+\.\d+(\.\d+)?|server-(cuda-)?b\d+)(-[a-z]+)*$/;
/** The images that ours are made from and run beside. Not a port, and not a module of Node. */
const MENTION = /(?<![\w/.]|\w-)(node|debian|postgres|redis|caddy):(?!\d{4,5}\b)(\d[\w.-]*|latest|trixie[\w.-]*)/g;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /(\.(ts|mjs|sh|ya?ml|md)|Dockerfile)$/.test(file) && !file.startsWith('bench/results/'));
const textOf = (file: string) => readFileSync(`${ROOT}${file}`, 'utf8');
const dockerfiles = files.filter((file) => file.endsWith('Dockerfile'));

describe('base images', () => {
  it(verifies('supply.pinned', 'have one exact version each, wherever they are named'), () => {
    const versions: Record<string, Set<string>> = {};
    for (const file of files.filter((each) => !each.endsWith('images.spec.ts'))) {
      for (const [, name = '', tag = ''] of textOf(file).matchAll(MENTION)) {
        versions[name] ??= new Set();
        versions[name].add(tag);
      }
    }
    const named = Object.entries(versions).toSorted(([one], [other]) => one.localeCompare(other));
    expect(named.map(([name]) => name)).toEqual(['caddy', 'debian', 'node', 'postgres', 'redis']);
    for (const [name, tags] of named) {
      expect([name, [...tags]]).toEqual([name, [expect.stringMatching(EXACT)]]);
    }
  });

  it(verifies('supply.pinned', 'can be others, by digest, in every Dockerfile'), () => {
    expect(dockerfiles.length).toBeGreaterThan(4);
    for (const file of dockerfiles) {
      const text = textOf(file);
      const lines = [...text.matchAll(/^FROM (?:--platform=\S+ )?(\S+)(?: AS (\S+))?$/gm)];
      expect([file, lines.length]).toEqual([file, text.match(/^FROM /gm)?.length]);
      const stages = lines.map(([, , stage]) => stage);
      const from = lines.map(([, image = '']) => image);
      const settings = [...text.matchAll(/^ARG ([A-Z]+_IMAGE)(?==|$)/gm)].map(([, name]) => `\${${name}}`);
      expect([file, from.filter((image) => !stages.includes(image) && !settings.includes(image))]).toEqual([file, []]);
      expect([file, settings.length]).toEqual([file, 1]);
    }
  });

  it(verifies('supply.pinned', 'can be others, by digest, in compose and in the stack'), () => {
    const digest = `@sha256:${'0'.repeat(64)}`;
    const names = ['NODE_IMAGE', 'DEBIAN_IMAGE', 'POSTGRES_IMAGE', 'REDIS_IMAGE', 'CADDY_IMAGE'];
    const config = execFileSync('docker', ['compose', '--profile', '*', 'config', '--format', 'json'], {
      cwd: ROOT,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        ...Object.fromEntries(names.map((name) => [name, `mine/${name.toLowerCase()}${digest}`])),
      },
    });
    for (const name of names) expect(config).toContain(`"mine/${name.toLowerCase()}${digest}"`);
    const images = [...textOf('deploy/swarm/stack.yml').matchAll(/image: (.*)/g)].map(([, image]) => image);
    expect(images.filter((image) => !/^\$\{([A-Z]+_IMAGE:-[^}]+|AISH_IMAGES:-)\}/.test(image ?? ''))).toEqual([]);
  });

  it('are exact in docker-compose.yml, those of the profiles too', () => {
    const tags = ['docker-compose.yml', 'deploy/compose/socket-proxy.yml', 'deploy/swarm/stack.yml'].flatMap((file) =>
      [...textOf(file).matchAll(/[A-Z]_IMAGE:-[^}]*?:([^}:]+)\}/g)].map(([, tag]) => tag),
    );
    expect(tags.length).toBeGreaterThan(8);
    expect(tags.filter((tag) => !EXACT.test(tag ?? '') && tag !== 'compose')).toEqual([]);
  });
});
