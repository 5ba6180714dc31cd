import { rootCertificates } from 'node:tls';
import { McpServerList } from '@aish/contracts/mcp';
import { SecretList, certificatesIn } from '@aish/contracts/secrets';
import { Space } from '@aish/contracts/spaces';
import { expect } from '@jest/globals';
import type { ApiClient } from '../support/api.client.js';
import type { Visitor } from '../support/browser.js';
import { EverythingServer } from '../support/everything.server.js';
import type { SshHost } from '../support/ssh.hosts.js';

/** Adds a machine, compares and trusts its key, and sets the command before each change. */
export async function addHost(visitor: Visitor, nas: SshHost): Promise<void> {
  const { page } = visitor;
  await visitor.go('hosts');
  await page.getByLabel('Name').fill('nas');
  await page.getByLabel('Address').fill(nas.address);
  await page.getByRole('button', { name: 'Add the host' }).click();
  await page.getByText('not trusted yet').waitFor();
  await page.getByText('Step 2 of 3').waitFor();
  const check = page.getByRole('button', { name: 'Check', exact: true });
  await check.click();
  await page.getByText('Compare the key of the host, then trust it.').waitFor();
  await page.getByRole('button', { name: 'Keys that the host presents' }).click();
  const own = (await nas.exec('ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub')).split(' ')[1] ?? '?';
  const key = page.getByRole('listitem').filter({ hasText: own }).last();
  await key.getByRole('button', { name: 'Trust this key' }).click();
  await key.getByText('trusted', { exact: true }).waitFor();
  await check.click();
  await page.getByText('The host refused the sign-in.').waitFor();
  // A reload keeps the place in the guide.
  await page.reload();
  await page.getByText('Step 2 of 3').waitFor();
  await nas.authorize((await page.locator('pre.exact').textContent()) ?? '');
  await check.click();
  await page
    .locator('.s-good', { hasText: /Linux|aish/ })
    .first()
    .waitFor();
  await page.getByText('Before each approved command').first().click();
  await page.getByLabel('Before each approved command').fill('cp -a /tank /tank-{name}');
  await page.getByRole('button', { name: 'Save both commands' }).click();
  await page.getByText('before each approved command: ').waitFor();
}

/** Creates a space, sees the errors of a wrong value, and changes the space. */
export async function changeSpace(visitor: Visitor, client: ApiClient): Promise<void> {
  const { page } = visitor;
  await visitor.go('spaces');
  await page.getByText('New space').click();
  await page.getByLabel('Name', { exact: true }).fill('media');
  await page.getByLabel('Network').fill('grafana.lan:3000 private\napi.example.org');
  await page.getByLabel('Change windows').fill('sat,sun 2-5');
  await page.getByRole('button', { name: 'Create the space' }).click();
  await page.getByText('“sat,sun 2-5” is not right').waitFor();
  await page.getByLabel('Change windows').fill('sat,sun 02:00-05:00 Europe/Berlin');
  await page.getByLabel('Approval rules').fill('2 destructive not-author');
  await page.getByRole('button', { name: 'Create the space' }).click();
  const card = page
    .locator('section.card')
    .filter({ has: page.getByRole('heading', { name: 'media' }) })
    .first();
  await card.getByRole('button', { name: 'Change', exact: true }).click();
  await card.getByLabel('Hosts').fill('nas');
  await card.getByLabel('Memory per command, MB').fill('2048');
  await card.getByRole('button', { name: 'Save: media' }).click();
  await card.getByRole('button', { name: 'Change', exact: true }).waitFor();
  expect(await client.json(Space, 'GET', '/v1/spaces/media')).toMatchObject({
    network: {
      mode: 'allow',
      rules: [
        { host: 'grafana.lan', ports: [3000], private: true },
        { host: 'api.example.org', ports: [443], private: false },
      ],
    },
    hosts: ['nas'],
    limits: { memoryMb: 2048 },
    windows: [{ days: ['sat', 'sun'], from: '02:00', to: '05:00', timezone: 'Europe/Berlin' }],
    approvals: [{ people: 2, findings: ['destructive'], notAuthor: true }],
    users: null,
  });
}

/** Adds an event source and a rule, and sends an event. */
export async function addSenders(visitor: Visitor, client: ApiClient): Promise<void> {
  const { page } = visitor;
  await visitor.go('events');
  await page.getByLabel('Name', { exact: true }).fill('alerts');
  await page.getByRole('button', { name: 'Add an event source' }).click();
  const secret = (await page.getByLabel('Secret', { exact: true }).textContent()) ?? '';
  expect(secret.length).toBeGreaterThanOrEqual(16);
  await page.getByRole('button', { name: 'Close' }).click();
  expect(await page.locator('#main').textContent()).not.toContain(secret);
  await page.getByLabel(/^Goal\{/).fill('with a runbook: {{title}}');
  await page.getByLabel('Only events with').fill('status=firing');
  await page.getByRole('button', { name: 'Add the rule' }).click();
  await page.locator('.row').filter({ hasText: 'status=firing' }).first().waitFor();
  const send = (status: string) =>
    fetch(`${client.url}/v1/events/alerts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ status, title: 'disk' }),
    });
  expect((await send('firing')).status).toBe(202);
  expect((await send('quiet')).status).toBe(202);
  await page.reload();
  const quiet = page.locator('.row').filter({ hasText: 'unmatched' });
  await quiet.getByRole('button', { name: 'Test the rules' }).click();
  await quiet.getByText('No rule matches this event.').waitFor();
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await page.getByLabel('Only events with').fill('status=quiet');
  await page.getByRole('button', { name: 'Add the rule' }).click();
  await page.locator('.row').filter({ hasText: 'status=quiet' }).first().waitFor();
  await quiet.getByRole('button', { name: 'Test the rules' }).click();
  await quiet.getByText(/Rule \d+ would start: with a runbook: .*disk/).waitFor();
}

/** Sets a secret for a server with a private certificate. The pasted text contains other lines, too. */
export async function setSecret(visitor: Visitor, client: ApiClient): Promise<void> {
  const { page } = visitor;
  const [certificate = ''] = rootCertificates;
  await visitor.go('secrets');
  await page.getByLabel('Name').fill('NAS_KEY');
  await page.getByLabel('Host').fill('nas.lan');
  await page.getByLabel('Value').fill('a key of eight and more');
  await page.getByLabel('Certificate (PEM)').fill('no certificate');
  await page.getByRole('button', { name: 'Set the secret' }).click();
  await page.getByText('certificate cannot be read').waitFor();
  await page.getByLabel('Certificate (PEM)').fill(`subject=nas\n${certificate}`);
  await page.getByRole('button', { name: 'Set the secret' }).click();
  await page.getByRole('listitem').filter({ hasText: 'NAS_KEY' }).waitFor();
  expect((await client.json(SecretList, 'GET', '/v1/secrets')).items).toContainEqual(
    expect.objectContaining({ name: 'NAS_KEY', certificate: certificatesIn(certificate) }),
  );
  expect(await page.getByLabel('Certificate (PEM)').inputValue()).toBe('');
}

/** Connects an MCP server, checks that the page lists it as the terminal does, and disconnects it. */
export async function connectServer(visitor: Visitor, client: ApiClient): Promise<void> {
  const { page } = visitor;
  const server = await EverythingServer.start('streamableHttp');
  try {
    await visitor.go('mcp');
    await page.getByLabel('Address', { exact: true }).fill(server.url);
    await page.getByLabel('Name').fill('every');
    await page.getByLabel('keep it until it is disconnected').check();
    await page.getByRole('button', { name: 'Connect a server' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'every' }).filter({ hasText: 'connected' });
    await row.waitFor();
    const [status] = (await client.json(McpServerList, 'GET', '/v1/mcp/servers')).items;
    expect(status).toMatchObject({ alias: 'every', state: 'connected', source: 'saved' });
    expect(await row.textContent()).toContain(`${status?.tools} tools`);
    const disconnect = row.getByRole('button', { name: /disconnect/i });
    await disconnect.click();
    expect((await client.json(McpServerList, 'GET', '/v1/mcp/servers')).items).toHaveLength(1);
    // A double click counts as one press.
    await page.waitForTimeout(500);
    await disconnect.click();
    await page.getByText('No MCP servers.').waitFor();
    expect((await client.json(McpServerList, 'GET', '/v1/mcp/servers')).items).toEqual([]);
  } finally {
    await server.stop();
  }
}
