import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { eventually } from './eventually.js';

/** The window sizes of a phone and a desktop. */
export const WINDOWS = { phone: { width: 390, height: 844 }, desk: { width: 1440, height: 900 } } as const;
export type WindowName = keyof typeof WINDOWS;

/** These flags keep Chromium from contacting other servers, because the machine may be offline. */
const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Chromium reports this error for all pending requests when the machine gains or loses an address, even a loopback one.
 * Containers of other suites cause that, and the page is not at fault.
 */
const NETWORK_CHANGED = 'net::ERR_NETWORK_CHANGED';
const RELOADS_MAX = 5;

/** Opens Debian's Chromium. */
export function openChromium(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    // As root, Chromium has no sandbox of its own. It visits only our own pages.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [...FLAGS, ...flags],
  });
}

/** A person's browser, with its storage and the errors of its pages. */
export class Visitor {
  readonly complaints: string[] = [];
  /** The number of requests that a change of the machine's network cut off. */
  cutRequests = 0;
  private readonly reloading = new Set<Page>();

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
    const visitor = new Visitor(context, await context.newPage(), url);
    visitor.watch(visitor.page);
    return visitor;
  }

  /** Opens another tab of the same browser. */
  async openTab(url: string): Promise<Page> {
    const page = await this.context.newPage();
    this.watch(page);
    await page.goto(url);
    return page;
  }

  /** Collects the errors of a page, and reloads it if a change of the machine's network has left it empty. */
  private watch(page: Page): void {
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('requestfailed', (request) => {
      if (request.failure()?.errorText !== NETWORK_CHANGED) return;
      this.cutRequests += 1;
      void this.reloadIfBlank(page);
    });
    page.on('console', (message) => {
      const isOfTheMachine = message.text().includes(NETWORK_CHANGED);
      if (message.type() === 'error' && !isOfTheMachine) this.complaints.push(message.text());
    });
  }

  /** Reloads the page, as a person does, while it is empty because its scripts were cut off. */
  private async reloadIfBlank(page: Page): Promise<void> {
    if (this.reloading.has(page)) return;
    this.reloading.add(page);
    try {
      for (let tries = 0; tries < RELOADS_MAX; tries += 1) {
        await page.waitForLoadState('load');
        if (!(await page.evaluate(`document.querySelector('#app')?.childElementCount === 0`))) break;
        await page.reload();
      }
    } catch {
      // The page was left or closed.
    }
    this.reloading.delete(page);
  }

  /** Pastes the token, as a person does at the first visit. */
  async signIn(token: string): Promise<void> {
    await this.page.goto(`${this.url}/`);
    await this.page.getByLabel('Token').fill(token);
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await this.page.getByRole('navigation').waitFor();
  }

  async go(hash: string): Promise<void> {
    await this.page.goto(`${this.url}/app/#/${hash}`);
  }

  /** Gives a goal as a person does, and waits until the page shows it. */
  async giveGoal(text: string): Promise<void> {
    await this.page.getByRole('link', { name: 'New goal' }).click();
    await this.page.getByLabel('What should be done?').fill(text);
    await this.page.getByRole('button', { name: 'Start goal' }).click();
    await this.page.getByRole('heading', { name: /^Goal \d+/ }).waitFor();
  }

  /** Returns the decision about this action, as soon as it is on the page. */
  async questionAbout(action: string): Promise<Locator> {
    const { page } = this;
    const card = page.getByRole('article').filter({ has: page.locator('pre.action', { hasText: action }) });
    await card.waitFor();
    await this.cardListens();
    return card;
  }

  /** Waits until a card listens: a card that has just appeared or moved ignores clicks for half a second. */
  async cardListens(): Promise<void> {
    await this.page.waitForTimeout(700);
  }

  /** Presses a button that needs a second press, with a pause between the two. */
  async pressTwice(within: Locator, name: RegExp): Promise<void> {
    const button = within.getByRole('button', { name });
    await button.scrollIntoViewIfNeeded();
    await eventually('it may be pressed', async () => (await button.isEnabled()) || null, { timeoutMs: 20_000 });
    await this.pressOnce(within, button);
    await this.pressOnce(within, button);
  }

  /** Presses a button of a card, and again if the card says that it had just moved. */
  private async pressOnce(within: Locator, button: Locator): Promise<void> {
    const moved = within.getByText('This has just moved. Press again.');
    for (let tries = 0; tries < 5; tries += 1) {
      await this.cardListens();
      await button.click();
      if (!(await moved.isVisible())) return;
      await moved.waitFor({ state: 'hidden' });
    }
    throw new Error('the card moves and moves');
  }

  /** Presses a button that may move, until its effect is visible. */
  async pressUntil(button: Locator, shown: Locator): Promise<void> {
    await eventually(
      'what the button is for is shown',
      async () => {
        if (await shown.isVisible()) return true;
        await button.click({ timeout: 2_000 });
        return null;
      },
      { timeoutMs: 30_000, everyMs: 500 },
    );
  }

  /** Undoes a command of the goal on the page: first the preview, then the undo. */
  async takeBack(command: string): Promise<void> {
    const row = this.page.getByRole('listitem').filter({ hasText: command }).last();
    await row.getByRole('button', { name: 'Undo', exact: true }).click();
    await row.getByText('What would change:').waitFor();
    const button = row.getByRole('button', { name: 'Restore it' });
    const undone = this.page
      .getByRole('status')
      .filter({ hasText: command })
      .filter({ hasText: 'The workspace was restored.' });
    const trouble = row.getByRole('alert');
    await button.click();
    let refused: string | undefined;
    await eventually(
      'the workspace is as it was before',
      async () => {
        if (await undone.isVisible()) return true;
        [refused] = await trouble.allTextContents();
        // Repeats a request that a network change cut off, as a person does; a refusal is a failure.
        if (refused !== 'aish is not responding') return refused === undefined ? null : true;
        await button.click({ timeout: 2_000 });
        return null;
      },
      { timeoutMs: 30_000, everyMs: 500 },
    );
    if (!(await undone.isVisible())) throw new Error(`it was not put back: ${String(refused)}`);
  }

  /** Holds a button as long as necessary, and again if it moves away, as a person does. */
  async hold(button: Locator): Promise<void> {
    const { mouse } = this.page;
    const isGone = (): Promise<boolean> =>
      button.waitFor({ state: 'detached', timeout: 4_000 }).then(
        () => true,
        () => false,
      );
    for (let tries = 0; tries < 5; tries += 1) {
      await button.scrollIntoViewIfNeeded();
      const box = await button.boundingBox();
      if (box === null) throw new Error('what is to be held is not to be seen');
      await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await mouse.down();
      const wasHeld = await isGone();
      await mouse.up();
      if (wasHeld) return;
    }
    throw new Error('the button moves and moves');
  }

  close(): Promise<void> {
    return this.context.close();
  }
}
