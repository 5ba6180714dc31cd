import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

/** A phone in one hand, and a desk. */
export const WINDOWS = { phone: { width: 390, height: 844 }, desk: { width: 1440, height: 900 } } as const;
export type WindowName = keyof typeof WINDOWS;

/** Nothing of it asks other servers: the machine may have no way out. */
const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Debian's Chromium. */
export function openChromium(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    // As root there is no sandbox of its own; it sees our own pages alone.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [...FLAGS, ...flags],
  });
}

/** A browser of somebody, with what it keeps, and what its pages complained of. */
export class Visitor {
  readonly complaints: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    readonly url: string,
  ) {}

  static async open(
    browser: Browser,
    url: string,
    window: WindowName = 'desk',
    options: { readonly colorScheme?: 'dark' | 'light' } = {},
  ): Promise<Visitor> {
    const isPhone = window === 'phone';
    const context = await browser.newContext({
      viewport: WINDOWS[window],
      hasTouch: isPhone,
      isMobile: isPhone,
      deviceScaleFactor: 1,
      ...options,
    });
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    const visitor = new Visitor(context, page, url);
    page.on('pageerror', (error) => visitor.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') visitor.complaints.push(message.text());
    });
    return visitor;
  }

  /** Pastes the token, as the first time. */
  async signIn(token: string): Promise<void> {
    await this.page.goto(`${this.url}/`);
    await this.page.getByLabel('Token').fill(token);
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await this.page.getByRole('navigation').waitFor();
  }

  async go(hash: string): Promise<void> {
    await this.page.goto(`${this.url}/app/#/${hash}`);
  }

  /** Holds a button as long as it wants to be held. */
  async hold(name: string): Promise<void> {
    const button = this.page.getByRole('button', { name });
    await button.scrollIntoViewIfNeeded();
    const box = await button.boundingBox();
    if (box === null) throw new Error(`${name} is not to be seen`);
    await this.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await this.page.mouse.down();
    await button.waitFor({ state: 'detached' });
    await this.page.mouse.up();
  }

  close(): Promise<void> {
    return this.context.close();
  }
}
