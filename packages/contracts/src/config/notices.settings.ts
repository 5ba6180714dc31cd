import * as z from 'zod';

export const Notices = z.object({
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Where people reach the api from their phones; links and buttons of notices need it'),
  NOTIFY_ON: z
    .string()
    .regex(/^[a-z]+(,[a-z]+)*$/)
    .default('halt,done,blocked,failed')
    .describe('What people are told of: halt, and the ends of goals by name'),
  NOTIFY_PROCEED: z
    .string()
    .regex(/^(none|(ntfy|webhook|mail)(,(ntfy|webhook|mail))*)$/)
    .default('webhook,mail')
    .describe(
      'Channels whose links may also approve an action, not only stop it: ntfy, webhook, mail, or none. All readers of an ntfy topic have its links',
    ),
  QUIET_HOURS: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/)
    .optional()
    .describe('When notices wait, as 22:00-07:00, in the time zone of the service (TZ)'),
  NTFY_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('An ntfy topic, as https://ntfy.example/aish; unset sends nothing there'),
  NTFY_TOKEN: z.string().min(1).optional().describe('Access token of the ntfy server'),
  WEBHOOK_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Gets each notice as JSON, signed as standardwebhooks.com says; unset sends nothing'),
  WEBHOOK_SECRET: z.string().min(24).optional().describe('Signs what is sent to WEBHOOK_URL, which needs it'),
  PUSH_SERVICES: z
    .string()
    .regex(/^(https:\/\/(\*\.)?[a-z0-9.-]+(:\d+)?(,https:\/\/(\*\.)?[a-z0-9.-]+(:\d+)?)*)?$/)
    .default(
      'https://fcm.googleapis.com,https://updates.push.services.mozilla.com,https://*.push.apple.com,https://*.notify.windows.com',
    )
    .describe(
      'Push services of browsers that may deliver encrypted notices to people who turn them on in the page; empty for none',
    ),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('Mail server, as smtps://user:password@mail.example; unset sends no mail'),
  MAIL_FROM: z.email().optional().describe('Sender of mails; needed with SMTP_URL'),
  MAIL_TO: z.email().optional().describe('Receiver of mails; needed with SMTP_URL'),
});
