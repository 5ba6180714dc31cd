import { readFileSync } from 'node:fs';
import type Docker from 'dockerode';
import type { NetworkMount } from './network.gate.js';

const TARGET = '/run/aish';
/** In the container, relay.sh writes the certificate authorities of the image and of this service to this file. */
const BUNDLE = '/tmp/.aish-authorities.pem';
/** OpenSSL and Go, curl, git, Python's requests, pip, Node, the AWS tools, Cargo and Deno read these variables. */
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
/** This script listens on port 3128 in the container, relays to the socket, then becomes the command. */
// The relative path is the same from dist and from src.
const RELAY = readFileSync(new URL('../../scripts/relay.sh', import.meta.url), 'utf8').replaceAll(/^ *#.*\n/gm, '');

/** Returns the container settings that give commands network access. They are empty if `mount` is null. */
export function networkSettings(mount: NetworkMount | null): {
  readonly entrypoint: string[];
  readonly env: readonly string[];
  readonly mounts: Docker.MountSettings[];
} {
  // A list with one empty string removes the image's entry point. An empty list would keep it.
  if (mount === null) return { entrypoint: [''], env: [], mounts: [] };
  return {
    entrypoint: ['bash', '-c', RELAY, 'aish'],
    env: [
      ...['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => `${name}=${PROXY}`),
      ...['NO_PROXY', 'no_proxy'].map((name) => `${name}=localhost,127.0.0.1,::1`),
      // Node 22.21 and newer read the proxy variables only if this variable is set.
      'NODE_USE_ENV_PROXY=1',
      // If aish terminates the TLS connection to a host to insert a secret, this service's authority has issued the
      // certificate.
      ...TRUST.map((name) => `${name}=${BUNDLE}`),
    ],
    // The engine chooses the propagation, because a folder in a volume needs a different one.
    mounts: [{ Type: 'bind', Source: mount.hostDir, Target: TARGET, ReadOnly: true }],
  };
}
