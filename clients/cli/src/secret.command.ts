import { secretsApi } from '@aish/contracts/endpoints/access';
import { readFile } from 'node:fs/promises';
import { SecretName, SecretTarget, SecretValue, addressOf, certificatesIn } from '@aish/contracts/secrets';
import { AishError } from '@aish/contracts/problems';
import { InvalidArgumentError } from 'commander';
import { oneLine } from '@aish/views/sanitise';
import { behaviour, flag, one, option, repeated } from './command.js';
import { note, readAll, writeJson, localFile } from '@aish/client/io';
import { readHidden } from './read-hidden.js';

const NAME = one('its name, also the variable in commands, such as GRAFANA_TOKEN', readName);

export const secretSet = behaviour({
  args: { name: NAME },
  options: {
    for: repeated('url', 'address that may receive it, such as https://grafana.lan:3000; repeatable'),
    expose: flag('give commands the value itself, for tools such as restic'),
    body: flag('also replace placeholders in request bodies'),
    certificate: option('file', 'certificate of the server or its authority (PEM), if not public', {
      suggests: 'file',
    }),
  },
  json: 'print the secret without its value',
  examples: [
    'aish secret set GRAFANA_TOKEN --for https://grafana.lan --certificate grafana.pem',
    'aish secret set RESTIC_PASSWORD --expose',
    'pass show ntfy | aish secret set NTFY_TOKEN --for https://ntfy.sh',
  ],
  run: async ({ args, options, io, connect }) => {
    const targets = (options.for ?? []).map(readTarget);
    const exposed = options.expose === true;
    if (targets.length === 0 && !exposed) throw wrong('Name where the secret may go: --for https://HOST, or --expose');
    const certificate = options.certificate === undefined ? null : await readCertificate(options.certificate);
    const typed = io.stdin.isTTY === true ? await readHidden(io, `${args.name}: `) : await readAll(io);
    const value = SecretValue.safeParse(typed.replace(/\r?\n$/, ''));
    if (!value.success) throw wrong(`The value ${value.error.issues[0]?.message ?? 'is not a secret'}`);
    const body = { value: value.data, targets, exposed, body: options.body === true, certificate };
    const secret = await connect().client.call(secretsApi.set, { params: { name: args.name }, body }, io.signal);
    if (options.json) return writeJson(io, secret);
    note(
      io,
      `${secret.name} is set ${exposed ? 'for commands' : `for ${targets.map(addressOf).join(', ')}`}. Allow it for a goal: aish set g4 --secret ${secret.name}`,
    );
  },
});

function readName(text: string): string {
  const name = SecretName.safeParse(text);
  if (name.success) return name.data;
  throw new InvalidArgumentError(`${oneLine(text)}: ${name.error.issues[0]?.message ?? 'is not a name'}`);
}

function wrong(what: string): AishError {
  return new AishError('invalid_body', what);
}

/** Keeps only the certificates of the file, because `openssl s_client` prints other text too. */
export async function readCertificate(path: string): Promise<string> {
  const found = certificatesIn(await localFile(() => readFile(path, 'utf8')));
  if (found === null) throw wrong(`${oneLine(path)}: must contain one to eight PEM certificates`);
  return found;
}

/** Parses an address such as `https://grafana.lan:3000`. */
export function readTarget(text: string): SecretTarget {
  const url = URL.canParse(text) ? new URL(text) : null;
  const tls = url?.protocol === 'https:';
  if (url === null || (!tls && url.protocol !== 'http:') || url.pathname !== '/' || url.search !== '') {
    throw wrong(`${oneLine(text)}: must be https://HOST or https://HOST:PORT (http:// works without TLS)`);
  }
  const port = url.port === '' ? (tls ? 443 : 80) : Number(url.port);
  const target = SecretTarget.safeParse({ host: url.hostname.replace(/^\[|\]$/g, ''), port, tls });
  if (target.success) return target.data;
  throw wrong(`${oneLine(text)}: ${target.error.issues[0]?.message ?? 'is not a host'}`);
}
