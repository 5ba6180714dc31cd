import type { AgentContext, RequestPermissionRequest, ToolCallContent } from '@agentclientprotocol/sdk';
import type { Effects } from '@aish/contracts/effects';
import type { EditorFiles, Mentioned } from './editor-files.js';

const DIFFS_MAX = 10;

/** Moves texts between the editor and the workspace. Nothing is written without the person's permission. */
export class FileExchange {
  constructor(
    private readonly files: EditorFiles,
    private readonly sessionId: string,
    private readonly fs: { readonly read: boolean; readonly write: boolean },
  ) {}

  /** Copies the mentioned files into the workspace, so that commands can read them. */
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

  /** Returns the changes that a command made to text files, with the old text if the editor has it. */
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

  /** Writes changed files back to the editor one by one, each with the person's permission. */
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
          { optionId: 'write', name: 'Write the file', kind: 'allow_once' },
          { optionId: 'leave', name: 'Do not write it', kind: 'reject_once' },
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
