import type { Notice } from '@aish/contracts';
import type { Redis } from 'ioredis';
import { connectRedis } from './redis.js';
import type { EventBus } from './store.js';
import { Subscribers } from './subscribers.js';

const CHANNEL = 'aish';

export class RedisBus implements EventBus {
  private constructor(
    private readonly publisher: Redis,
    private readonly listener: Redis,
    private readonly subscribers: Subscribers,
  ) {}

  static async open(url: string, onError: (error: unknown) => void): Promise<RedisBus> {
    const subscribers = new Subscribers(onError);
    const listener = connectRedis(url, onError);
    listener.on('message', (_channel, message) => subscribers.deliver(message));
    await listener.subscribe(CHANNEL);
    // It subscribes again by itself after a lost connection; what was said meanwhile is gone.
    listener.on('ready', () => subscribers.gap());
    return new RedisBus(connectRedis(url, onError), listener, subscribers);
  }

  async publish(notice: Notice): Promise<void> {
    await this.publisher.publish(CHANNEL, JSON.stringify(notice));
  }

  async subscribe(handler: (notice: Notice) => void, onGap?: () => void): Promise<() => Promise<void>> {
    const remove = this.subscribers.add(handler, onGap);
    return async () => remove();
  }

  async close(): Promise<void> {
    this.listener.disconnect();
    this.publisher.disconnect();
  }
}
