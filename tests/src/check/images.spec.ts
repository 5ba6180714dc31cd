import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { verifies } from '../requirements.js';
import { ROOT } from '../support/service.process.js';

/** A tag that names one exact version, and the base system if the tag has one. */
const EXACT = /^(v?\d+\.\d+(\.\d+)?|server-(cuda-)?b\d+)(-[a-z]+)*$/;
/** Mentions of the base images, and of images that run beside ours. Ports and Node modules do not match. */
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
  it(verifies('supply.pinned', 'base images have the same exact version everywhere'), () => {
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

  it(verifies('supply.pinned', 'every Dockerfile accepts other base images by digest'), () => {
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

  it(verifies('supply.pinned', 'docker-compose.yml and the Swarm stack accept other images by digest'), () => {
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

  it('images in docker-compose.yml have exact versions, including those of profiles', () => {
    const tags = ['docker-compose.yml', 'deploy/compose/socket-proxy.yml', 'deploy/swarm/stack.yml'].flatMap((file) =>
      [...textOf(file).matchAll(/[A-Z]_IMAGE:-[^}]*?:([^}:]+)\}/g)].map(([, tag]) => tag),
    );
    expect(tags.length).toBeGreaterThan(8);
    expect(tags.filter((tag) => !EXACT.test(tag ?? '') && tag !== 'compose')).toEqual([]);
  });
});
