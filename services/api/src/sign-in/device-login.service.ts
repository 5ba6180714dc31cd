import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { randomBytes, randomInt } from 'node:crypto';
import type { DecideDevice, DeviceLogin, DeviceToken, WaitingDevice } from '@aish/contracts/device-login';
import { AishError, type ProblemCode } from '@aish/contracts/problems';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import {
  askDevice,
  decideDevice,
  findWaitingDevice,
  insertDeviceLogin,
  type WaitingDeviceRow,
} from '@aish/database/device-logins.repository';
import { inTransaction } from '@aish/database/transaction';
import { hashToken, TokensService } from '../tokens/tokens.service.js';

const MINUTES = 10;
const INTERVAL_S = 5;
const PER_ADDRESS = 5;
const ALL = 1_000;
const TOKEN_DAYS = 90;
const DAY_S = 86_400;
/**
 * The letters of a code. There are no vowels, so that no words appear, and no letters that look alike (RFC 8628, 6.1).
 */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/**
 * Signs devices in with a code (RFC 8628). The device shows the code, and the holder of an admin token approves it.
 * Only an admin token can create tokens. A code is useless without one, so guessing does not help.
 */
@Injectable()
export class DeviceLoginService {
  constructor(
    @Part('db') private readonly db: Database,
    private readonly tokens: TokensService,
  ) {}

  async begin(name: string, address: string, origin: string): Promise<DeviceLogin> {
    const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    const deviceCode = randomBytes(32).toString('base64url');
    const row = { userCode: letters, deviceHash: hashToken(deviceCode), name, address };
    const bounds = { minutes: MINUTES, intervalS: INTERVAL_S };
    await inTransaction(this.db, (tx) => insertDeviceLogin(tx, { ...row, ...bounds }, PER_ADDRESS, ALL));
    return {
      device_code: deviceCode,
      user_code: `${letters.slice(0, 4)}-${letters.slice(4)}`,
      verification_uri: `${origin}/device`,
      expires_in: MINUTES * 60,
      interval: INTERVAL_S,
    };
  }

  /**
   * @param web is set for a browser's session
   * @throws AishError `authorization_pending`, `slow_down`, `access_denied`, `expired_token`
   */
  async token(deviceCode: string, web?: { readonly parentId: null }): Promise<DeviceToken> {
    const answer = await inTransaction(this.db, (tx) => askDevice(tx, hashToken(deviceCode)));
    if (answer.state !== 'approved') throw refusal(answer.state);
    // Several devices may use the same name.
    const name = `${answer.name.slice(0, 48)}.${randomBytes(3).toString('hex')}`;
    const input = { name, scopes: [...answer.scopes], expiresInDays: TOKEN_DAYS };
    const { token, scopes } = await this.tokens.create(answer.decidedBy, input, web);
    const rest = { expires_in: TOKEN_DAYS * DAY_S, scope: scopes.join(' '), name };
    return { access_token: token, token_type: 'Bearer', ...rest };
  }

  /** Returns the waiting device with this code. @throws AishError `not_found` */
  async find(userCode: string): Promise<WaitingDevice> {
    return waiting(await findWaitingDevice(this.db.statements, userCode));
  }

  /** Approves or refuses a device. @throws AishError `not_found`, also if someone has already answered */
  async decide(by: string, userCode: string, { approve, scopes }: DecideDevice): Promise<WaitingDevice> {
    return inTransaction(this.db, async (tx) => {
      const device = waiting(await findWaitingDevice(tx, userCode));
      const state = approve ? 'approved' : 'denied';
      if (!(await decideDevice(tx, userCode, { state, scopes, by }))) throw noDevice();
      const facts = { address: device.address, ...(approve ? { scopes } : {}) };
      await appendAudit(tx, { actor: by, action: `device.${state}`, subject: device.name, facts });
      return device;
    });
  }
}

function waiting(row: WaitingDeviceRow | null): WaitingDevice {
  if (row === null) throw noDevice();
  const { name, address, created_at: createdAt, expires_at: expiresAt } = row;
  return { name, address, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
}

const noDevice = (): AishError => new AishError('not_found', 'No device is waiting with this code');

const REFUSALS = {
  pending: ['authorization_pending', 'The sign-in has not been approved yet'],
  slow_down: ['slow_down', 'Wait 5 s longer between requests'],
  denied: ['access_denied', 'The sign-in was rejected'],
  unknown: ['expired_token', 'This sign-in is unknown or has expired'],
} as const satisfies Record<string, readonly [ProblemCode, string]>;

/** Returns the error of a refused poll. RFC 6749 calls the reason `error`, and problem documents call it `code`. */
function refusal(state: keyof typeof REFUSALS): AishError {
  const [code, message] = REFUSALS[state];
  return new AishError(code, message, { error: code });
}
