import { Body, Controller, Delete, Get, HttpCode, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AishError } from '@aish/contracts/problems';
import { SubscribePush, WebPush } from '@aish/contracts/web';
import type { Database } from '@aish/database/client';
import {
  deletePushSubscription,
  hasPushSubscription,
  savePushSubscription,
} from '@aish/database/push-subscriptions.repository';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { inTransaction } from '@aish/database/transaction';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { isPushService, vapidKeys, type PushSettings } from '../notifications/push.channel.js';

/** Which browsers are told, and with which key. */
export class WebPushService {
  private readonly publicKey: string;

  constructor(
    private readonly db: Database,
    private readonly settings: PushSettings,
  ) {
    this.publicKey = vapidKeys(settings.key).publicKey;
  }

  async show({ id }: ApiTokenRow): Promise<WebPush> {
    return { publicKey: this.publicKey, isOn: await hasPushSubscription(this.db.statements, id) };
  }

  /** @throws AishError `forbidden` for a push service that is not among PUSH_SERVICES */
  async subscribe(token: ApiTokenRow, { endpoint, keys }: SubscribePush): Promise<WebPush> {
    if (!isPushService(endpoint, this.settings.services)) {
      const { origin } = new URL(endpoint);
      throw new AishError('forbidden', `Notices may not go through ${origin}; an admin adds it to PUSH_SERVICES`);
    }
    await inTransaction(this.db, (tx) => savePushSubscription(tx, token.id, { endpoint, ...keys }));
    return this.show(token);
  }

  async unsubscribe({ id }: ApiTokenRow): Promise<void> {
    await deletePushSubscription(this.db.statements, id);
  }
}

/** Notices of this browser, by Web Push. */
@ApiTags('web')
@ApiBearerAuth()
@Controller('v1/web/push')
export class WebPushController {
  constructor(private readonly push: WebPushService) {}

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'Whether this browser gets notices, and what it subscribes with' })
  @ApiOkResponse({ standardSchema: WebPush })
  show(@CurrentToken() token: ApiTokenRow): Promise<WebPush> {
    return this.push.show(token);
  }

  @Put()
  @Needs('observe')
  @ApiOperation({ summary: 'Send notices to this browser, until it is signed out' })
  @ApiOkResponse({ standardSchema: WebPush })
  subscribe(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: SubscribePush }) subscription: SubscribePush,
  ): Promise<WebPush> {
    return this.push.subscribe(token, subscription);
  }

  @Delete()
  @HttpCode(204)
  @Needs('observe')
  @ApiOperation({ summary: 'Send no more notices to this browser' })
  unsubscribe(@CurrentToken() token: ApiTokenRow): Promise<void> {
    return this.push.unsubscribe(token);
  }
}
