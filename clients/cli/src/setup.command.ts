import { hostsApi, secretsApi, spacesApi } from '@aish/contracts/endpoints/access';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { briefApi } from '@aish/contracts/endpoints/lab';
import { doctorApi } from '@aish/contracts/endpoints/server';
import { HostFolderName } from '@aish/contracts/host-folders';
import { HostName } from '@aish/contracts/hosts';
import { SecretName, SecretValue, addressOf, type SecretTarget } from '@aish/contracts/secrets';
import type { SetSpace, Space } from '@aish/contracts/spaces';
import { AishError, isAishError } from '@aish/contracts/problems';
import { ApiError } from '@aish/client/api.error';
import type { Transport } from '@aish/client/transport';
import { line, span } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { LineAsker } from './ask-line.js';
import { yesOrNo } from './ask-yes.js';
import { behaviour, flag, option } from './command.js';
import { followGoal } from './follow-goal.js';
import { keyLines, machine } from './host.command.js';
import { note, writeLines, type Io } from '@aish/client/io';
import { readHidden } from './read-hidden.js';
import { readCertificate, readTarget } from './secret.command.js';
import { spaceLines } from '@aish/views/space.lines';

const TRIES = 5;
const BRIEF_AT = '07:00';
const FIRST_GOAL = 'say how full the disks are, and what looks wrong';

/** Asks one question. An empty or missing answer skips the question. */
type Ask = (question: string) => Promise<string>;

interface Setting {
  readonly io: Io;
  readonly client: Transport;
  readonly ask: Ask;
  /** Asks with hidden input. */
  readonly askHidden: Ask;
}

export const setup = behaviour({
  options: {
    space: option('name', 'the space to set up (default: home)'),
    unwatched: flag('start the first goal without watching it'),
  },
  examples: ['aish setup', 'aish setup --space media'],
  run: async ({ options, io, connect, exit }) => {
    const { client } = connect();
    const setting = settingOf(io, client);
    await lookAround(setting);
    note(io, 'Press Enter to skip a question. You can change everything later.\n');
    const name = options.space ?? 'home';
    const space = await SpaceInMaking.open(name, client, io.signal);
    for (const step of [aHost, aFolder, aSecret]) await again(io, async () => space.add(await step(setting)));
    if (space.now !== null) writeLines(io, spaceLines(space.now));
    const text = (await setting.ask(`5. A first goal (Enter: ${FIRST_GOAL}; none: no goal): `)) || FIRST_GOAL;
    if (text === 'none') return note(io, `Start one: aish run --space ${name} "…" --watch`);
    const place = space.now === null ? {} : { space: name };
    const goal = await client.call(goalsApi.create, { body: { text, ...place } }, io.signal);
    writeLines(io, [[span(`goal ${goal.number}`, 'bold'), span(` in the space ${goal.space}`)]]);
    if (io.stdout.isTTY === true && options.unwatched !== true)
      exit(await followGoal(client, goal, io, { json: false }));
    else note(io, `Watch it: aish watch ${goal.number}`);
  },
});

function settingOf(io: Io, client: Transport): Setting {
  // A pipe delivers all answers at once, so one reader must read them all.
  const piped = io.stdin.isTTY === true ? null : new LineAsker(io);
  const ask: Ask = async (question) => {
    const asker = piped ?? new LineAsker(io);
    try {
      const answer = await asker.ask(question);
      // A pipe may end. At a terminal, a missing answer means that the person wants to leave.
      if (answer === null && piped === null) throw new AishError('aborted', 'No answer was given');
      return (answer ?? '').trim();
    } finally {
      if (piped === null) asker.close();
    }
  };
  return { io, client, ask, askHidden: piped === null ? (question) => readHidden(io, question) : ask };
}

async function lookAround({ io, client }: Setting): Promise<void> {
  const { checks } = await client.call(doctorApi.examine, {}, io.signal);
  const wrong = checks.filter(({ state }) => state === 'warning' || state === 'error');
  const models = checks.find(({ name }) => name.startsWith('model'));
  note(io, `1. The model: ${oneLine(models?.detail ?? 'none')}`);
  for (const { name, detail, advice } of wrong) note(io, `   ${oneLine(`${name}: ${detail}. ${advice ?? ''}`)}`);
}

/** Sets up a space step by step, in addition to its present settings. */
class SpaceInMaking {
  private constructor(
    private readonly name: string,
    private readonly client: Transport,
    private readonly signal: AbortSignal,
    /** The space, or null until it exists. */
    public now: Space | null,
  ) {}

  static async open(name: string, client: Transport, signal: AbortSignal): Promise<SpaceInMaking> {
    const now = await client.call(spacesApi.show, { params: { name } }, signal).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'not_found') return null;
      throw error;
    });
    return new SpaceInMaking(name, client, signal, now);
  }

  async add(more: SetSpace): Promise<void> {
    if (Object.keys(more).length === 0) return;
    const { hosts = [], hostFolders = [], secrets = [], network = { mode: 'none' } } = this.now ?? {};
    const rules = [network, more.network ?? { mode: 'none' as const }].flatMap((each) =>
      each.mode === 'none' ? [] : each.rules,
    );
    const change = {
      hosts: [...new Set([...hosts, ...(more.hosts ?? [])])],
      hostFolders: [...new Set([...hostFolders, ...(more.hostFolders ?? [])])],
      secrets: [...new Set([...secrets, ...(more.secrets ?? [])])],
      network: rules.length === 0 ? { mode: 'none' as const } : { mode: 'allow' as const, rules },
    };
    this.now = await this.client.call(spacesApi.set, { params: { name: this.name }, body: change }, this.signal);
  }
}

/** Runs a step, and once more if an answer is not valid. */
async function again(io: Io, step: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await step();
    } catch (error) {
      const isWrong = (isAishError(error) && error.code !== 'aborted') || error instanceof ApiError;
      if (!isWrong || tries === TRIES) throw error;
      note(io, `   ${oneLine(error.message)}`);
    }
  }
}

async function aHost({ io, client, ask }: Setting): Promise<SetSpace> {
  const answer = await ask('2. A machine to manage over SSH, such as nas or nas=aish@nas.lan:22: ');
  if (answer === '') return {};
  const [name = '', at = name, ...others] = answer.split('=');
  if (!HostName.safeParse(name).success || others.length > 0) throw wrong(`${answer}: write it as nas=aish@nas.lan`);
  const { host, seen } = await client.call(hostsApi.add, { body: { name, ...machine(at) } }, io.signal);
  writeLines(io, keyLines({ host, seen }));
  const key = await trustedKey(seen, { io, ask });
  if (key !== undefined) await client.call(hostsApi.trust, { params: { name }, body: { keys: [key.key] } }, io.signal);
  writeLines(io, [
    line(`   Add this line to ~${host.user}/.ssh/authorized_keys on the host:`),
    line(host.authorizedKeys),
  ]);
  if (key === undefined) {
    note(io, `   ${name} is not trusted yet. Later: aish host trust ${name}`);
    return { hosts: [name] };
  }
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const answer = await ask('   Press Enter when you have added it, or type later: ');
    if (/^(?:later|no?)$/i.test(answer)) break;
    if (answer !== '' && yesOrNo(answer) !== true) {
      note(io, `   “${oneLine(answer)}” is not an answer: Enter or later`);
      continue;
    }
    const { ok, detail } = await client.call(hostsApi.check, { params: { name } }, io.signal);
    note(io, `   ${name} ${ok ? 'works' : 'does not work yet'}: ${oneLine(detail)}`);
    if (ok) break;
  }
  await everyMorning({ io, client, ask });
  return { hosts: [name] };
}

/** Offers the daily check if there is none yet. */
async function everyMorning({ io, client, ask }: Pick<Setting, 'io' | 'client' | 'ask'>): Promise<void> {
  const { at } = await client.call(briefApi.schedule, {}, io.signal);
  if (at !== null) return;
  const question = `   Check your hosts every morning at ${BRIEF_AT} and notify you if something is wrong? yes or no: `;
  for (;;) {
    const answer = await ask(question);
    const isYes = yesOrNo(answer);
    if (isYes === false) return note(io, `   Later: aish brief schedule ${BRIEF_AT}`);
    if (isYes === true) break;
    note(io, `   “${oneLine(answer)}” is not an answer: yes or no (Enter: no)`);
  }
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
  await client.call(briefApi.setSchedule, { body: { at: BRIEF_AT, timezone } }, io.signal);
  note(io, `   aish checks your hosts every day at ${BRIEF_AT} (${timezone}). aish brief shows the result.`);
}

/**
 * Asks a person to trust a key. The person compares the key with the host's own output, then types the fingerprint, or
 * yes as with ssh.
 */
async function trustedKey<K extends { readonly key: string; readonly fingerprint: string }>(
  seen: readonly K[],
  { io, ask }: Pick<Setting, 'io' | 'ask'>,
): Promise<K | undefined> {
  note(
    io,
    '   Compare it with the output of this command on the host: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub',
  );
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const answer = await ask('   Is this its fingerprint? yes, no, or the fingerprint (Enter: no): ');
    const isYes = yesOrNo(answer);
    if (isYes === false) return undefined;
    const key = isYes === true ? usualKey(seen) : seen.find(({ fingerprint }) => fingerprint === answer);
    if (key !== undefined) return key;
    note(io, `   “${oneLine(answer)}” is not one of the fingerprints above. They begin with SHA256:`);
  }
  return undefined;
}

/** Returns the key that the command above shows, or another key if the host has none of that type. */
function usualKey<K extends { readonly key: string }>(seen: readonly K[]): K | undefined {
  return seen.find(({ key }) => key.startsWith('ssh-ed25519 ')) ?? seen[0];
}

async function aFolder({ ask }: Setting): Promise<SetSpace> {
  const answer = await ask('3. A host folder (its name in SANDBOX_HOST_FOLDERS): ');
  if (answer === '') return {};
  const name = HostFolderName.safeParse(answer);
  if (!name.success) throw wrong(`“${answer}” is not a valid folder name. It ${name.error.issues[0]?.message ?? ''}`);
  return { hostFolders: [name.data] };
}

async function aSecret(setting: Setting): Promise<SetSpace> {
  const { io, client, ask, askHidden } = setting;
  const answer = await ask('4. A secret and where it may go, such as GRAFANA_TOKEN=https://grafana.lan:3000: ');
  if (answer === '') return {};
  const at = answer.indexOf('=');
  const name = answer.slice(0, Math.max(0, at));
  if (!SecretName.safeParse(name).success) throw wrong(`${answer}: write it as GRAFANA_TOKEN=https://grafana.lan`);
  const target = readTarget(answer.slice(at + 1));
  const file = target.tls ? await ask('   File with its certificate (PEM), if no public authority signed it: ') : '';
  const certificate = file === '' ? null : await readCertificate(file);
  const value = SecretValue.safeParse(await askHidden(`   Value of ${name} (hidden): `));
  if (!value.success) throw wrong(`The value ${value.error.issues[0]?.message ?? 'is not a secret'}`);
  await client.call(
    secretsApi.set,
    { params: { name }, body: { value: value.data, targets: [target], exposed: false, body: false, certificate } },
    io.signal,
  );
  note(io, `   ${name} was set for ${addressOf(target)}`);
  return { secrets: [name], network: { mode: 'allow', rules: [await ruleFor(target, setting)] } };
}

async function ruleFor({ host, port }: SecretTarget, { io, ask }: Setting) {
  for (;;) {
    const answer = await ask('   Is it on your local network? yes or no: ');
    const isPrivate = yesOrNo(answer);
    if (isPrivate !== undefined) return { host, ports: [port], private: isPrivate };
    note(io, `   “${oneLine(answer)}” is not an answer: yes or no (Enter: no)`);
  }
}

function wrong(what: string): AishError {
  return new AishError('invalid_body', what);
}
