import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import type { Digest } from '@aish/contracts/digest';
import type { Database } from '@aish/database/client';
import { readDigest } from '@aish/database/digest.repository';
import { digestOf } from './digest-of.js';

const DAY_MS = 86_400_000;

/** What happened, of all goals and chats. */
@Injectable()
export class Digests {
  constructor(@Part('db') private readonly db: Database) {}

  /** The `days` before `to`. */
  async until(to: Date, days: number): Promise<Digest> {
    const from = new Date(to.getTime() - days * DAY_MS);
    return digestOf(await readDigest(this.db.statements, from, to), from, to);
  }
}
