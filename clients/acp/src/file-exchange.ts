import type { AgentContext, RequestPermissionRequest, ToolCallContent } from '@agentclientprotocol/sdk';
import type { Effects } from '@aish/contracts/effects';
import type { EditorFiles, Mentioned } from './editor-files.js';

const DIFFS_MAX = 10;

/** Texts of an editor on their way into a workspace and back. Nothing is written that the person does not let through. */
export class FileExchange {
  constructor(
    private readonly files: EditorFiles,
    private readonly sessionId: string,
    private readonly fs: { readonly read: boolean; readonly write: boolean },
  ) {}

  /** Files that a message speaks of go into the workspace, where commands find them. */
  async take(mentioned: readonly Mentioned[], editor: AgentContext, signal: AbortSignal): Promise<void> {
    for (const { path, text } of mentioned) {
      const inside = this.files.below(path);
      const content = inside === null ? null : (text ?? (await this.ask(path, editor)));
      if (inside !== null && content !== null) await this.files.put(inside, content, signal);
    }
  }

  private async ask(path: string, editor: AgentContext): Promise<string | null> {
    if (!this.fs.read) return null;
    const answer = await editor.request('fs/read_text_file', { sessionId: this.sessionId, path });
    return answer.content;
  }

  /** What a command did to texts: to those that the editor has, with what was there before. */
  async diffsOf(effects: Effects | undefined, signal: AbortSignal): Promise<ToolCallContent[]> {
    if (effects === undefined) return [];
    const diffs: ToolCallContent[] = [];
    for (const path of [...effects.changed.paths, ...effects.created.paths].slice(0, DIFFS_MAX)) {
      const changed = await this.files.changed(path, signal);
      const isNew = effects.created.paths.includes(path) && !this.files.paths.includes(path);
      const now = isNew ? await this.files.read(path, signal) : null;
      const whole = this.files.whole(path);
      if (changed !== null) diffs.push({ type: 'diff', path: whole, oldText: changed.before, newText: changed.now });
      else if (now !== null) diffs.push({ type: 'diff', path: whole, oldText: null, newText: now });
    }
    return diffs;
  }

  /** What commands made of the editor's files goes back one by one, each as the person says. */
  async giveBack(editor: AgentContext, signal: AbortSignal): Promise<void> {
    if (!this.fs.write) return;
    const { sessionId } = this;
    for (const path of this.files.paths) {
      const changed = await this.files.changed(path, signal);
      if (changed === null) continue;
      const whole = this.files.whole(path);
      const content: ToolCallContent[] = [{ type: 'diff', path: whole, oldText: changed.before, newText: changed.now }];
      const toolCall = { toolCallId: `write-${path}`, title: `Write ${path}`, kind: 'edit' as const, content };
      const call = { sessionUpdate: 'tool_call', ...toolCall, status: 'pending' } as const;
      await editor.notify('session/update', { sessionId, update: call });
      const question: RequestPermissionRequest = {
        sessionId,
        toolCall,
        options: [
          { optionId: 'write', name: 'Write it', kind: 'allow_once' },
          { optionId: 'leave', name: 'Leave it', kind: 'reject_once' },
        ],
      };
      const { outcome } = await editor.request('session/request_permission', question, { cancellationSignal: signal });
      const isMeant = outcome.outcome === 'selected' && outcome.optionId === 'write';
      if (isMeant) await editor.request('fs/write_text_file', { sessionId, path: whole, content: changed.now });
      this.files.settled(path, changed.now);
      const status = isMeant ? 'completed' : 'failed';
      const update = { sessionUpdate: 'tool_call_update', toolCallId: toolCall.toolCallId, status } as const;
      await editor.notify('session/update', { sessionId, update });
    }
  }
}
