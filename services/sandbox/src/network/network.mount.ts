import { readFileSync } from 'node:fs';
import type Docker from 'dockerode';
import type { NetworkMount } from './network.gate.js';

const TARGET = '/run/aish';
/** The authorities of the image and this service's, put together by relay.sh. */
const BUNDLE = '/tmp/.aish-authorities.pem';
/** Where OpenSSL and Go, curl, git, Python's requests, pip, Node, AWS's tools, Cargo and Deno look. */
const TRUST = [
  'SSL_CERT_FILE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'REQUESTS_CA_BUNDLE',
  'PIP_CERT',
  'NODE_EXTRA_CA_CERTS',
  'AWS_CA_BUNDLE',
  'CARGO_HTTP_CAINFO',
  'DENO_CERT',
];
const PROXY = 'http://127.0.0.1:3128';
/** Listens on 3128 of the container, carries to the socket, then becomes the command. Beside dist and src alike. */
// Beside dist and src alike.
const RELAY = readFileSync(new URL('../../scripts/relay.sh', import.meta.url), 'utf8').replaceAll(/^ *#.*\n/gm, '');

/** What a container is made with so that its commands can reach out; nothing where `mount` is null. */
export function networkSettings(mount: NetworkMount | null): {
  readonly entrypoint: string[];
  readonly env: readonly string[];
  readonly mounts: Docker.MountSettings[];
} {
  // One empty string drops the image's own entry point, an empty list would keep it.
  if (mount === null) return { entrypoint: [''], env: [], mounts: [] };
  return {
    entrypoint: ['bash', '-c', RELAY, 'aish'],
    env: [
      ...['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => `${name}=${PROXY}`),
      ...['NO_PROXY', 'no_proxy'].map((name) => `${name}=localhost,127.0.0.1,::1`),
      // Node asks its variables from 22.21 on, where it is told to.
      'NODE_USE_ENV_PROXY=1',
      // Where the TLS of a host is ended so that a secret can be put in, its certificate is from this service's authority.
      ...TRUST.map((name) => `${name}=${BUNDLE}`),
    ],
    // The propagation is the engine's choice: it wants another one where the folder lies in a volume.
    mounts: [{ Type: 'bind', Source: mount.hostDir, Target: TARGET, ReadOnly: true }],
  };
}
