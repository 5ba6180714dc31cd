import { createTransport, type Transporter } from 'nodemailer';
import type { Channel } from './channel.js';
import type { NotificationText } from './notification.js';

const TIMEOUT_MS = 20_000;

/** Sends plain-text mails. */
export class MailChannel implements Channel {
  readonly name = 'mail';
  private readonly transport: Transporter;

  constructor(
    smtpUrl: string,
    private readonly from: string,
    private readonly to: string,
  ) {
    const url = new URL(smtpUrl);
    for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout']) {
      url.searchParams.set(name, String(TIMEOUT_MS));
    }
    this.transport = createTransport(url.href);
  }

  async send(notification: NotificationText): Promise<void> {
    await this.transport.sendMail({
      from: this.from,
      to: notification.to ?? this.to,
      // A notification that is sent twice keeps its ID, so mail programs show it only once.
      messageId: `<${notification.id}@aish>`,
      subject: notification.title,
      // Mails contain texts of goals. These must not name files or addresses to fetch.
      disableFileAccess: true,
      disableUrlAccess: true,
      text: notification.link === null ? notification.text : `${notification.text}\n\n${notification.link}`,
    });
  }

  close(): void {
    this.transport.close();
  }
}
