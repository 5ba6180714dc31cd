import { createTransport, type Transporter } from 'nodemailer';
import type { Channel } from './channel.js';
import type { NoticeText } from './notice.js';

const TIMEOUT_MS = 20_000;

/** Plain-text mail. */
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

  async send(notice: NoticeText): Promise<void> {
    await this.transport.sendMail({
      from: this.from,
      to: notice.to ?? this.to,
      // A notice that is sent twice keeps its ID, so mail programs show it only once.
      messageId: `<${notice.id}@aish>`,
      subject: notice.title,
      // Texts of goals go into mails: they must not be able to name files or addresses to fetch.
      disableFileAccess: true,
      disableUrlAccess: true,
      text: notice.link === null ? notice.text : `${notice.text}\n\n${notice.link}`,
    });
  }

  close(): void {
    this.transport.close();
  }
}
