import type { Database } from '@aish/database/client';

export interface Question {
  readonly text: string;
  /** The content of the only item that answers the question. */
  readonly answer: string;
}

/** The facts are those of a homelab that a person might store. The questions use other words. */
const FACTS = 20_000;
const HOSTS = ['odin', 'thor', 'freya', 'loki', 'heimdall', 'baldur', 'tyr', 'frigg', 'bragi', 'idun'];
const SERVICES =
  'grafana prometheus jellyfin nextcloud gitea vaultwarden immich paperless homeassistant mosquitto postgres redis traefik caddy pihole unifi wireguard syncthing radarr sonarr plex minio loki-logs forgejo woodpecker keycloak authelia mailcow rspamd nginx'.split(
    ' ',
  );
const CHARACTERS = 'bcdfghklmnprstvw';
const VOWELS = 'aeiou';

const NAMES = 80 ** 3;

/** Returns a distinct name for each number below 512,000, spread over all of them. */
function nameOf(n: number): string {
  let rest = (n * 7_919 + 13) % NAMES;
  let name = '';
  for (let at = 0; at < 3; at += 1) {
    name += (CHARACTERS[rest % 16] ?? 'b') + (VOWELS[Math.floor(rest / 16) % 5] ?? 'a');
    rest = Math.floor(rest / 80);
  }
  return name;
}

interface Fact {
  readonly content: string;
  readonly asked: readonly string[];
}

function factOf(n: number): Fact {
  const service = SERVICES[n % SERVICES.length] ?? 'grafana';
  const host = `${HOSTS[Math.floor(n / 30) % HOSTS.length]}-${nameOf(n % 10_000)}`;
  const port = 1_024 + ((n * 37) % 50_000);
  const name = nameOf(n);
  const kinds: readonly Fact[] = [
    {
      content: `${service} on ${host} listens on port ${port}`,
      asked: [`which port is ${service} listening on at ${host}?`, `${host} ${service} port`],
    },
    {
      content: `backups of ${service} run at ${n % 24}:${String(n % 60).padStart(2, '0')} to /mnt/${name}/${service}-${n}`,
      asked: [`where does the backup of ${service} in ${name} go?`, `when is ${service} backed up to ${name}`],
    },
    {
      content: `User prefers ${service} alerts about ${host} in the channel #${name}`,
      asked: [`what channel gets alerts of ${service} for ${host}`, `alerting channel ${host} ${service}`],
    },
    {
      content: `the certificate of ${service}.${name}.lan is renewed by ${host} every ${n % 90} days`,
      asked: [`who renews certificates for ${service}.${name}.lan`, `certificate renewal ${name} ${service} ${host}`],
    },
  ];
  return kinds[n % kinds.length] ?? { content: '', asked: [] };
}

/** Returns filler text with natural word frequencies: few words are common, and most are rare. */
function fillerOf(n: number): string {
  const words = Array.from({ length: 8 + (n % 12) }, (_, at) => {
    const roll = ((n * 48_271 + at * 69_621) % 99_991) / 99_991;
    return `${nameOf(Math.floor(5_000 ** roll))}${roll > 0.5 ? 'en' : ''}`;
  });
  return `${words.join(' ')} (${n})`;
}

/** Returns questions about facts that are spread over the whole period, each with one correct answer. */
export function questions(count: number): readonly Question[] {
  return Array.from({ length: count }, (_, n) => {
    const { content, asked } = factOf((n * 4_999) % 2_000);
    return { text: asked[n % asked.length] ?? '', answer: content };
  });
}

/** Adds `count` items: 20,000 facts among filler. The queried facts may be anywhere among them. */
export async function fillItems(db: Database, owner: string, count: number): Promise<void> {
  const every = Math.floor(count / FACTS);
  await insert(
    db,
    owner,
    Array.from({ length: count }, (_, n) => (n % every === 0 ? factOf((n / every) % FACTS).content : fillerOf(n))),
  );
}

export async function fillFacts(db: Database, owner: string, count: number): Promise<void> {
  await insert(
    db,
    owner,
    Array.from({ length: count }, (_, n) => factOf(n).content),
  );
}

async function insert(db: Database, owner: string, contents: readonly string[]): Promise<void> {
  for (let at = 0; at < contents.length; at += 5_000) {
    await db.pool.query(
      `insert into memory_entries (owner, number, kind, content, tags, origin, by, at)
       select $1, $2 + n, 'fact', content, '{}', 'typed', 'bench', now() - ($3::int - n) * interval '1 minute'
       from unnest($4::text[]) with ordinality as c(content, n)`,
      [owner, at, contents.length - at, contents.slice(at, at + 5_000)],
    );
  }
  await db.pool.query('vacuum analyze memory_entries');
}
