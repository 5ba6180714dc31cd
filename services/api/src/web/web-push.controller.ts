import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { webPushApi } from '@aish/contracts/endpoints/sign-in';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
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
import { isPushService, vapidKeys, type PushSettings } from '../notifications/push.channel.js';

/** Manages the subscribed browsers, and the key. */
@Injectable()
export class WebPushService {
  private readonly publicKey: string;

  constructor(
    @Part('db') private readonly db: Database,
    @Part('push') private readonly settings: PushSettings,
  ) {
    this.publicKey = vapidKeys(settings.key).publicKey;
  }

  async show({ id }: ApiTokenRow): Promise<WebPush> {
    return { publicKey: this.publicKey, isOn: await hasPushSubscription(this.db.statements, id) };
  }

  /** @throws AishError `forbidden` for a push service that PUSH_SERVICES does not list */
  async subscribe(token: ApiTokenRow, { endpoint, keys }: SubscribePush): Promise<WebPush> {
    if (!isPushService(endpoint, this.settings.services)) {
      const { origin } = new URL(endpoint);
      throw new AishError(
        'forbidden',
        `Notifications may not be sent to ${origin}. An admin can add it to PUSH_SERVICES`,
      );
    }
    await inTransaction(this.db, (tx) => savePushSubscription(tx, token.id, { endpoint, ...keys }));
    return this.show(token);
  }

  async unsubscribe({ id }: ApiTokenRow): Promise<void> {
    await deletePushSubscription(this.db.statements, id);
  }
}

/** Serves Web Push for this browser. */
@Controller()
export class WebPushController {
  constructor(private readonly push: WebPushService) {}

  @Serve(webPushApi.show)
  show({ token }: Call<typeof webPushApi.show>) {
    return this.push.show(token);
  }

  @Serve(webPushApi.subscribe)
  subscribe({ token, body: subscription }: Call<typeof webPushApi.subscribe>) {
    return this.push.subscribe(token, subscription);
  }

  @Serve(webPushApi.unsubscribe)
  unsubscribe({ token }: Call<typeof webPushApi.unsubscribe>) {
    return this.push.unsubscribe(token);
  }
}
