import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { insertChat } from '@aish/database/chats.repository';
import { connectDatabase, type Database } from '@aish/database/client';
import { migrate } from '@aish/database/migrations/migrate';
import { insertToken } from '@aish/database/tokens.repository';
import { startProgram, type Endpoint } from './endpoint.js';

/** Runs `bare.main` with its own database on an existing server. */
export class Bare {
  private constructor(
    private readonly db: Database,
    private readonly program: Endpoint,
  ) {}

  /** @param beside the URL of another database on that server */
  static async start(endpoint: string, beside: string): Promise<Bare> {
    const url = new URL(beside);
    url.pathname = '/bare';
    await migrate(url.href, { createDatabase: true });
    const db = connectDatabase(url.href, { max: 1 });
    const token = randomUUID();
    await insertToken(db.statements, { id: token, name: 'bare', hash: token, scopes: ['operate'] });
    return new Bare(db, await startProgram('bare.main.js', [endpoint, url.href, token]));
  }

  get pid(): number {
    return this.program.child.pid ?? 0;
  }

  /** Returns the URL for a message to a new chat, because no chat ever ends here. */
  async newChatUrl(): Promise<string> {
    const id = randomUUID();
    const settings = { owner: 'bare', preset: 'fast', autoContinue: false, confirmCommands: false };
    await insertChat(this.db.statements, { id, ...settings, title: null, forkedFrom: null });
    return `${this.program.url}/chats/${id}/messages`;
  }

  async stop(): Promise<void> {
    const { child } = this.program;
    const gone = child.exitCode === null ? once(child, 'exit') : null;
    child.kill('SIGTERM');
    await Promise.all([gone, this.db.close()]);
  }
}
