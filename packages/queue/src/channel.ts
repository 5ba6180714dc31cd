/** Sends and receives lines of text. Adapters: redis.bus.ts, postgres.bus.ts. */
export interface Channel {
  /** Rejects when the texts cannot be sent in time. They keep their order, also against earlier calls. */
  send(texts: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface ChannelEvents {
  readonly onText: (text: string) => void;
  readonly onGap: () => void;
  readonly onError: (error: unknown) => void;
}
