import { createHmac } from 'node:crypto';

/** An event as its sender posts it, with a rule for it. */
export interface SentEvent {
  readonly sender: string;
  readonly proof: 'token' | 'github' | 'gitea' | 'standard-webhooks';
  /** The header with the secret, for `token`. Null means `Authorization`. */
  readonly header: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly match: Readonly<Record<string, string>>;
  readonly key: readonly string[];
  readonly resolved: Readonly<Record<string, string>> | null;
  readonly text: string;
  /** The text of the goal that the event starts. */
  readonly goal: string;
  readonly body: object;
  /** The event that resolves this one, if the sender sends one. */
  readonly over: object | null;
}

const ALERT = { annotations: {}, startsAt: '2026-11-25T19:11:13.394507908Z', generatorURL: '' };
const NEVER = '0001-01-01T00:00:00Z';

/** This event was recorded from Alertmanager 0.25.0. */
const alertmanager = (status: string, endsAt: string): object => ({
  receiver: 'aish',
  status,
  alerts: [
    {
      ...ALERT,
      status,
      labels: { alertname: 'DiskFull', instance: 'nas:9100', severity: 'critical' },
      endsAt,
      fingerprint: '2e6feafa75c7eef9',
    },
    {
      ...ALERT,
      status,
      labels: { alertname: 'DiskFull', instance: 'web:9100', severity: 'warning' },
      endsAt,
      fingerprint: '174c7746fe4ef824',
    },
  ],
  groupLabels: { alertname: 'DiskFull' },
  commonLabels: { alertname: 'DiskFull' },
  commonAnnotations: {},
  externalURL: 'http://watch:9093',
  version: '4',
  groupKey: '{}:{alertname="DiskFull"}',
  truncatedAlerts: 0,
});

const grafana = (status: string, state: string): object => ({
  receiver: 'aish',
  status,
  orgId: 1,
  alerts: [
    {
      status,
      labels: { alertname: 'High load', grafana_folder: 'home', instance: 'odin' },
      annotations: { summary: 'load is 31', runbook_url: 'https://wiki.lan/load' },
      startsAt: '2026-11-25T19:00:00+01:00',
      endsAt: NEVER,
      generatorURL: 'http://grafana.lan/alerting/grafana/f2/view',
      fingerprint: 'a8b7',
      silenceURL: 'http://grafana.lan/alerting/silence/new',
      dashboardURL: '',
      panelURL: '',
      values: { A: 31.4, C: 1 },
      valueString: "[ var='A' labels={instance=odin} value=31.4 ]",
    },
  ],
  groupLabels: { alertname: 'High load', grafana_folder: 'home' },
  commonLabels: { alertname: 'High load', grafana_folder: 'home', instance: 'odin' },
  commonAnnotations: { summary: 'load is 31' },
  externalURL: 'http://grafana.lan/',
  version: '1',
  groupKey: '{}/{}:{alertname="High load", grafana_folder="home"}',
  truncatedAlerts: 0,
  title: `[${status.toUpperCase()}:1] High load home (odin)`,
  state,
  message: '**Firing**\n\nValue: A=31.4, C=1\nLabels:\n - alertname = High load\n',
});

const uptimeKuma = (status: number, msg: string): object => ({
  heartbeat: {
    monitorID: 3,
    status,
    time: '2026-11-25 19:11:13.401',
    msg,
    important: true,
    duration: 61,
    retries: 1,
    timezone: 'Europe/Berlin',
    timezoneOffset: '+01:00',
    localDateTime: '2026-11-25 20:11:13',
  },
  monitor: {
    id: 3,
    name: 'blog',
    description: null,
    url: 'https://blog.lan',
    method: 'GET',
    hostname: null,
    port: null,
    active: true,
    type: 'http',
    interval: 60,
    accepted_statuscodes: ['200-299'],
    notificationIDList: { 1: true },
    tags: [],
  },
  msg: `[blog] [${status === 0 ? '🔴 Down' : '✅ Up'}] ${msg}`,
});

/** People write the body for Gatus and Home Assistant themselves, so these are examples. */
const gatus = (state: string): object => ({
  endpoint: 'core/api',
  url: 'https://api.lan/health',
  state,
  description: 'healthcheck failed',
  errors: 'context deadline exceeded',
});
const homeAssistant = (state: string): object => ({
  entity_id: 'binary_sensor.leak_cellar',
  name: 'Leak, cellar',
  from: state === 'on' ? 'off' : 'on',
  state,
  changed: '2026-11-25T19:11:13.401522+00:00',
});

const PERSON = { id: 1, login: 'me', full_name: '', email: 'me@lan', avatar_url: 'https://git.lan/a', username: 'me' };
const REPOSITORY = {
  id: 7,
  name: 'dots',
  full_name: 'me/dots',
  private: true,
  owner: PERSON,
  html_url: 'https://git.lan/me/dots',
  default_branch: 'main',
  updated_at: '2026-11-25T19:11:12Z',
};
const NOTHING_MORE = { header: null, headers: {}, over: null, resolved: null } as const;

/** One request body for each documented sender, with all documented fields and our own values. */
export const SENT_EVENTS: readonly SentEvent[] = [
  {
    sender: 'Alertmanager',
    proof: 'token',
    header: null,
    headers: { 'user-agent': 'Alertmanager/0.25.0' },
    match: { status: 'firing', 'alerts.*.labels.severity': 'critical' },
    key: ['groupKey'],
    resolved: { status: 'resolved' },
    text: 'Why does {{commonLabels.alertname}} fire on {{alerts.*.labels.instance}}?',
    goal: 'Why does "DiskFull" fire on "nas:9100", "web:9100"?',
    body: alertmanager('firing', NEVER),
    over: alertmanager('resolved', '2026-11-25T19:11:16.448Z'),
  },
  {
    sender: 'Grafana',
    proof: 'token',
    header: null,
    headers: { 'user-agent': 'Grafana' },
    match: { state: 'alerting' },
    key: ['groupKey'],
    resolved: { status: 'resolved' },
    text: 'See {{title}}: {{alerts.0.values.A}}',
    goal: 'See "[FIRING:1] High load home (odin)": "31.4"',
    body: grafana('firing', 'alerting'),
    over: grafana('resolved', 'ok'),
  },
  {
    sender: 'Uptime Kuma',
    proof: 'token',
    header: 'x-aish-token',
    headers: { 'user-agent': 'Uptime-Kuma/2.0.2' },
    match: { 'heartbeat.status': '0' },
    key: ['monitor.id'],
    resolved: { 'heartbeat.status': '1' },
    text: 'Bring {{monitor.name}} back: {{heartbeat.msg}}',
    goal: 'Bring "blog" back: "timeout of 48000ms exceeded"',
    body: uptimeKuma(0, 'timeout of 48000ms exceeded'),
    over: uptimeKuma(1, '200 - OK'),
  },
  {
    sender: 'Gatus',
    proof: 'token',
    header: null,
    headers: { 'user-agent': 'Gatus/1.0' },
    match: { state: 'TRIGGERED' },
    key: ['endpoint'],
    resolved: { state: 'RESOLVED' },
    text: '{{endpoint}}: {{errors}}',
    goal: '"core/api": "context deadline exceeded"',
    body: gatus('TRIGGERED'),
    over: gatus('RESOLVED'),
  },
  {
    ...NOTHING_MORE,
    sender: 'GitHub',
    proof: 'github',
    headers: {
      'user-agent': 'GitHub-Hookshot/5b9d1e0',
      'x-github-event': 'workflow_run',
      'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      'x-github-hook-id': '292430182',
    },
    match: { action: 'completed', 'workflow_run.conclusion': 'failure' },
    key: ['workflow_run.id'],
    text: 'Why did {{workflow_run.name}} of {{repository.full_name}} fail?',
    goal: 'Why did "ci" of "me/dots" fail?',
    body: {
      action: 'completed',
      workflow_run: {
        id: 30433642,
        name: 'ci',
        head_branch: 'main',
        head_sha: 'acb5820ced9479c074f688cc328bf03f341a511d',
        path: '.github/workflows/ci.yml',
        display_title: 'Update the list',
        run_number: 562,
        event: 'push',
        status: 'completed',
        conclusion: 'failure',
        html_url: 'https://github.com/me/dots/actions/runs/30433642',
        pull_requests: [],
        run_attempt: 1,
        actor: PERSON,
      },
      workflow: { id: 159038, name: 'ci', state: 'active' },
      repository: REPOSITORY,
      sender: PERSON,
    },
  },
  {
    ...NOTHING_MORE,
    sender: 'Gitea',
    proof: 'gitea',
    headers: { 'x-gitea-event': 'push', 'x-gitea-event-type': 'push', 'x-gitea-delivery': 'f6266f16-1bf3-46a5' },
    match: { ref: 'refs/heads/main' },
    key: ['repository.id', 'after'],
    text: 'Check {{repository.full_name}} at {{after}}: {{commits.*.message}}',
    goal: 'Check "me/dots" at "bffeb74224043ba2feb48d137756c8a9331c449a": "shell: fewer aliases\\n"',
    body: {
      ref: 'refs/heads/main',
      before: '28e1879d029cb852e4844d9c718537df08844e03',
      after: 'bffeb74224043ba2feb48d137756c8a9331c449a',
      compare_url: 'https://git.lan/me/dots/compare/28e1879d...bffeb742',
      commits: [
        {
          id: 'bffeb74224043ba2feb48d137756c8a9331c449a',
          message: 'shell: fewer aliases\n',
          url: 'https://git.lan/me/dots/commit/bffeb742',
          author: { name: 'me', email: 'me@lan', username: 'me' },
          committer: { name: 'me', email: 'me@lan', username: 'me' },
          verification: null,
          timestamp: '2026-11-25T19:11:10Z',
          added: [],
          removed: [],
          modified: ['zshrc'],
        },
      ],
      total_commits: 1,
      head_commit: null,
      repository: REPOSITORY,
      pusher: PERSON,
      sender: PERSON,
    },
  },
  {
    sender: 'Home Assistant',
    proof: 'token',
    header: null,
    headers: { 'user-agent': 'HomeAssistant/2026.11.1 aiohttp/3.13 Python/3.13' },
    match: { entity_id: 'binary_sensor.leak*', state: 'on' },
    key: ['entity_id'],
    resolved: { entity_id: 'binary_sensor.leak*', state: 'off' },
    text: '{{name}} is {{state}}',
    goal: '"Leak, cellar" is "on"',
    body: homeAssistant('on'),
    over: homeAssistant('off'),
  },
  {
    ...NOTHING_MORE,
    sender: 'ntfy',
    proof: 'token',
    match: { event: 'message', priority: '5' },
    key: ['topic', 'title'],
    text: '{{title}} says {{message}}',
    goal: '"backup" says "no space left on device"',
    body: {
      id: 'sPs71M8A2T',
      time: 1795633873,
      expires: 1795677073,
      event: 'message',
      topic: 'homelab',
      title: 'backup',
      message: 'no space left on device',
      priority: 5,
      tags: ['warning'],
    },
  },
  {
    ...NOTHING_MORE,
    sender: 'any sender of Standard Webhooks',
    proof: 'standard-webhooks',
    match: { type: 'backup.failed' },
    key: ['data.host'],
    text: 'See why the backup of {{data.host}} failed',
    goal: 'See why the backup of "odin" failed',
    body: { type: 'backup.failed', timestamp: '2026-11-25T19:11:13.401Z', data: { host: 'odin' } },
  },
];

/**
 * Signs a body as its sender does. @param at the time in seconds @param id identifies the delivery, if the sender has
 * such IDs
 */
export function proofHeaders(
  { proof, header }: Pick<SentEvent, 'proof' | 'header'>,
  secret: string,
  body: string,
  { at = Math.floor(Date.now() / 1000), id = 'msg_1' }: { readonly at?: number; readonly id?: string } = {},
): Record<string, string> {
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  if (proof === 'github') return { 'x-hub-signature-256': `sha256=${hex}` };
  if (proof === 'gitea') return { 'x-gitea-signature': hex };
  if (proof === 'token') return header === null ? { authorization: `Bearer ${secret}` } : { [header]: secret };
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` };
}
