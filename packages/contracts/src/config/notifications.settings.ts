import * as z from 'zod';

export const Notifications = z.object({
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address at which phones reach the api; links and buttons in notifications need it'),
  NOTIFY_ON: z
    .string()
    .regex(/^[a-z]+(,[a-z]+)*$/)
    .default('halt,done,blocked,failed')
    .describe('Events that send notifications: halt, and states in which goals end'),
  NOTIFY_PROCEED: z
    .string()
    .regex(
      /^(none|(ntfy|webhook|mail|gotify|homeassistant|telegram|matrix)(,(ntfy|webhook|mail|gotify|homeassistant|telegram|matrix))*)$/,
    )
    .default('webhook,mail')
    .describe(
      'Channels whose links can approve an action, not only stop it: ntfy, gotify, homeassistant, webhook, mail, telegram, matrix, or none. Everyone who reads an ntfy topic gets its links',
    ),
  QUIET_HOURS: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/)
    .optional()
    .describe('Hours in which notifications wait, such as 22:00-07:00, in the time zone of the service (TZ)'),
  NTFY_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('ntfy topic, such as https://ntfy.example/aish'),
  NTFY_TOKEN: z.string().min(1).optional().describe('Access token of the ntfy server'),
  GOTIFY_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Gotify server, such as https://gotify.example'),
  GOTIFY_TOKEN: z.string().min(1).optional().describe('Token of an application in Gotify; needed with GOTIFY_URL'),
  HOMEASSISTANT_URL: z
    .url({ protocol: /^https?$/ })
    .regex(/\/api\/services\/notify\/[a-z0-9_]+$/)
    .optional()
    .describe('Notify action of Home Assistant, such as https://ha.example/api/services/notify/mobile_app_phone'),
  HOMEASSISTANT_TOKEN: z
    .string()
    .min(1)
    .optional()
    .describe('Long-lived access token of Home Assistant; needed with HOMEASSISTANT_URL'),
  TELEGRAM_TOKEN: z.string().min(1).optional().describe('Token of a Telegram bot that only aish uses'),
  TELEGRAM_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.telegram.org')
    .describe('Server of the Telegram Bot API'),
  MATRIX_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Matrix homeserver, such as https://matrix.example'),
  MATRIX_TOKEN: z
    .string()
    .min(1)
    .optional()
    .describe('Access token of a Matrix account that only aish uses; needed with MATRIX_URL'),
  MATRIX_ROOM: z
    .string()
    .regex(/^[!#].+/)
    .optional()
    .describe('Matrix room, without encryption, such as #aish:matrix.example; needed with MATRIX_URL'),
  WEBHOOK_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address that gets each notification as JSON, signed in the format of standardwebhooks.com'),
  WEBHOOK_SECRET: z
    .string()
    .min(24)
    .optional()
    .describe('Key that signs the requests to WEBHOOK_URL; required with it'),
  PUSH_SERVICES: z
    .string()
    .regex(/^(https:\/\/(\*\.)?[a-z0-9.-]+(:\d+)?(,https:\/\/(\*\.)?[a-z0-9.-]+(:\d+)?)*)?$/)
    .default(
      'https://fcm.googleapis.com,https://updates.push.services.mozilla.com,https://*.push.apple.com,https://*.notify.windows.com',
    )
    .describe(
      'Push services of browsers that may deliver encrypted notifications to people who turn them on in the page; empty for none',
    ),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('Mail server, such as smtps://user:password@mail.example'),
  MAIL_FROM: z.email().optional().describe('Sender of mails; needed with SMTP_URL'),
  MAIL_TO: z.email().optional().describe('Recipient of mails; needed with SMTP_URL'),
});
