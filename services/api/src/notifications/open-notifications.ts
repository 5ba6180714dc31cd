import { randomBytes } from 'node:crypto';
import type { ApiConfig } from '@aish/contracts/config/api.config';
import { CHANNEL_NAMES } from '@aish/contracts/escalation';
import { invariant } from '@aish/contracts/invariant';
import type { Database } from '@aish/database/client';
import { signingKey } from '@aish/database/notifications.repository';
import type { Logger } from '@aish/http';
import type { EventHub } from '../sessions/event-hub.js';
import { Matrix } from '../messenger/matrix.js';
import { MessengerChannel } from '../messenger/messenger.channel.js';
import type { Messenger, Messengers } from '../messenger/messenger.js';
import { Telegram } from '../messenger/telegram.js';
import type { Channel } from './channel.js';
import { LinkKey } from './decision-page.controller.js';
import { LINK_KEY, signLink } from './decision-link.js';
import { GotifyChannel } from './gotify.channel.js';
import { HomeAssistantChannel } from './home-assistant.channel.js';
import { MailChannel } from './mail.channel.js';
import { Notifier } from './notifier.js';
import { NtfyChannel } from './ntfy.channel.js';
import { Presence } from './presence.js';
import { PUSH_KEY, PushChannel, type PushSettings } from './push.channel.js';
import { parseQuietHours } from './quiet-hours.js';
import { WebhookChannel } from './webhook.channel.js';

/** Creates the notifier of a configuration, and its link key. The notifier is not started yet. */
export async function openNotifications(
  config: ApiConfig,
  db: Database,
  hub: EventHub,
  logger: Logger,
): Promise<{ notifier: Notifier; linkKey: LinkKey; push: PushSettings; presence: Presence; messengers: Messengers }> {
  const key = await signingKey(db.statements, LINK_KEY, randomBytes(32));
  const mayProceed = CHANNEL_NAMES.filter((name) => config.NOTIFY_PROCEED.split(',').includes(name));
  const base = config.PUBLIC_URL?.replace(/\/+$/, '');
  const push: PushSettings = {
    key: await signingKey(db.statements, PUSH_KEY, randomBytes(32)),
    services: config.PUSH_SERVICES.split(',').filter((each) => each !== ''),
    contact: contactOf(config),
  };
  const presence = new Presence();
  const messengers: Messengers = { key, all: messengersOf(config) };
  const notifier = new Notifier(
    db,
    hub,
    {
      channels: [
        ...channelsOf(config),
        ...messengers.all.map((messenger) => new MessengerChannel(db, messenger, key)),
        ...(push.services.length === 0 ? [] : [new PushChannel(db, push)]),
      ],
      presence,
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
  return { notifier, linkKey: new LinkKey(key, mayProceed), push, presence, messengers };
}

/** Returns the contact that RFC 8292 asks for. Some push services refuse messages without one. */
function contactOf({ MAIL_FROM, PUBLIC_URL }: ApiConfig): string {
  if (MAIL_FROM !== undefined) return `mailto:${MAIL_FROM}`;
  return PUBLIC_URL?.startsWith('https://') === true ? PUBLIC_URL : 'mailto:root@localhost';
}

function messengersOf(config: ApiConfig): Messenger[] {
  const messengers: Messenger[] = [];
  if (config.TELEGRAM_TOKEN !== undefined) messengers.push(new Telegram(config.TELEGRAM_URL, config.TELEGRAM_TOKEN));
  if (config.MATRIX_URL !== undefined) {
    const { MATRIX_TOKEN: token, MATRIX_ROOM: room } = config;
    invariant(token !== undefined && room !== undefined, 'a Matrix server has a token and a room');
    messengers.push(new Matrix(config.MATRIX_URL, token, room));
  }
  return messengers;
}

function channelsOf(config: ApiConfig): Channel[] {
  const channels: Channel[] = [];
  if (config.NTFY_URL !== undefined) channels.push(new NtfyChannel(config.NTFY_URL, config.NTFY_TOKEN));
  if (config.GOTIFY_URL !== undefined) {
    invariant(config.GOTIFY_TOKEN !== undefined, 'a Gotify server has a token');
    channels.push(new GotifyChannel(config.GOTIFY_URL, config.GOTIFY_TOKEN));
  }
  if (config.HOMEASSISTANT_URL !== undefined) {
    invariant(config.HOMEASSISTANT_TOKEN !== undefined, 'Home Assistant has a token');
    channels.push(new HomeAssistantChannel(config.HOMEASSISTANT_URL, config.HOMEASSISTANT_TOKEN));
  }
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
