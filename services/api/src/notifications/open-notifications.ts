import { randomBytes } from 'node:crypto';
import type { ApiConfig } from '@aish/contracts/config/api.config';
import { CHANNEL_NAMES } from '@aish/contracts/escalation';
import { invariant } from '@aish/contracts/invariant';
import type { Database } from '@aish/database/client';
import { signingKey } from '@aish/database/notifications.repository';
import type { Logger } from '@aish/http';
import type { EventHub } from '../sessions/event-hub.js';
import type { Channel } from './channel.js';
import { LinkKey } from './decision-page.controller.js';
import { LINK_KEY, signLink } from './decision-link.js';
import { MailChannel } from './mail.channel.js';
import { Notifier } from './notifier.js';
import { NtfyChannel } from './ntfy.channel.js';
import { PUSH_KEY, PushChannel, type PushSettings } from './push.channel.js';
import { parseQuietHours } from './quiet-hours.js';
import { WebhookChannel } from './webhook.channel.js';

/** The notifier of a configuration, and the key of its links; not started yet. */
export async function openNotifications(
  config: ApiConfig,
  db: Database,
  hub: EventHub,
  logger: Logger,
): Promise<{ notifier: Notifier; linkKey: LinkKey; push: PushSettings }> {
  const key = await signingKey(db.statements, LINK_KEY, randomBytes(32));
  const mayProceed = CHANNEL_NAMES.filter((name) => config.NOTIFY_PROCEED.split(',').includes(name));
  const base = config.PUBLIC_URL?.replace(/\/+$/, '');
  const push: PushSettings = {
    key: await signingKey(db.statements, PUSH_KEY, randomBytes(32)),
    services: config.PUSH_SERVICES.split(',').filter((each) => each !== ''),
    contact: contactOf(config),
  };
  const notifier = new Notifier(
    db,
    hub,
    {
      channels: [...channelsOf(config), ...(push.services.length === 0 ? [] : [new PushChannel(db, push)])],
      on: config.NOTIFY_ON.split(','),
      quietHours: parseQuietHours(config.QUIET_HOURS),
      mayProceed,
      briefLink: base === undefined ? null : `${base}/app/#/lab`,
      linkTo: ({ id, expiresAt }, channel) => {
        if (base === undefined) return null;
        const until = expiresAt === null ? null : new Date(expiresAt);
        return `${base}/d/${signLink(key, id, channel, new Date(), until)}`;
      },
    },
    logger,
  );
  return { notifier, linkKey: new LinkKey(key, mayProceed), push };
}

/** RFC 8292 wants one; some push services take no notice without. */
function contactOf({ MAIL_FROM, PUBLIC_URL }: ApiConfig): string {
  if (MAIL_FROM !== undefined) return `mailto:${MAIL_FROM}`;
  return PUBLIC_URL?.startsWith('https://') === true ? PUBLIC_URL : 'mailto:root@localhost';
}

function channelsOf(config: ApiConfig): Channel[] {
  const channels: Channel[] = [];
  if (config.NTFY_URL !== undefined) channels.push(new NtfyChannel(config.NTFY_URL, config.NTFY_TOKEN));
  if (config.WEBHOOK_URL !== undefined) {
    invariant(config.WEBHOOK_SECRET !== undefined, 'a webhook has a secret');
    channels.push(new WebhookChannel(config.WEBHOOK_URL, config.WEBHOOK_SECRET));
  }
  if (config.SMTP_URL !== undefined) {
    invariant(config.MAIL_FROM !== undefined && config.MAIL_TO !== undefined, 'mails have a sender and a receiver');
    channels.push(new MailChannel(config.SMTP_URL, config.MAIL_FROM, config.MAIL_TO));
  }
  return channels;
}
