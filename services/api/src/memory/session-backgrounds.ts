import type { Background } from '@aish/sessions';
import type { ToolContext } from '@aish/contracts/tools';
import {
  instructionsFor,
  type InjectSettings,
  type LoadedBackground,
  type MemoryCallers,
  type MemoryParts,
} from '@aish/memory';

const TOLD_KEPT = 10_000;

/** Loads the part of the memory that chats receive. */
export class SessionBackgrounds {
  /** The sessions that have received the memory, as far as this process knows, oldest first. */
  private readonly informed = new Set<string>();

  constructor(
    private readonly memory: MemoryParts,
    private readonly callers: MemoryCallers,
    private readonly settings: InjectSettings,
    private readonly onError: (error: unknown, what: string) => void,
  ) {}

  /**
   * Returns the memory section of a chat's system prompt, or null. It is read before each request to the model, and
   * stays unchanged until it is reloaded.
   */
  of(context: ToolContext, firstMessage: string | null): Background {
    const { sessionId } = context;
    // A session that is new to this process has probably received nothing yet. Its memory starts loading now, and is
    // loaded only once.
    const loading = this.informed.has(sessionId) ? null : this.load(context, firstMessage);
    loading?.catch(() => undefined); // the callers that use it see the error
    return async (shown) => {
      const [{ owner }, inject] = await Promise.all([this.callers.of(context), this.injectOf(context)]);
      const before = shown === undefined ? await this.memory.items.shownBackground(sessionId) : shown;
      const load = () => loading ?? this.load(context, firstMessage);
      const { text, kept } = await this.memory.items.sessionBackground(sessionId, before, owner, inject, load);
      kept.catch((error: unknown) => this.onError(error, 'store the memory background of a session'));
      this.markTold(sessionId);
      return text;
    };
  }

  private async load(context: ToolContext, firstMessage: string | null): Promise<LoadedBackground> {
    const [caller, inject] = await Promise.all([this.callers.inSpace(context), this.injectOf(context)]);
    const items = this.memory.items.background(caller.owner, inject, firstMessage);
    const [instructions, background] = await Promise.all([instructionsFor(this.memory.documents, caller), items]);
    return { background, instructions };
  }

  /**
   * Returns the settings for injecting items. A person's models receive items automatically, and an app searches when
   * it needs them.
   */
  private async injectOf(context: ToolContext): Promise<InjectSettings> {
    const { app } = await this.callers.of(context);
    return app === null ? this.settings : { ...this.settings, mode: 'off' };
  }

  private markTold(sessionId: string): void {
    this.informed.add(sessionId);
    if (this.informed.size <= TOLD_KEPT) return;
    for (const oldest of this.informed) return void this.informed.delete(oldest);
  }
}
