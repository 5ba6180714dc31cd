import { DEFAULT_CONTEXT_TOKENS, estimateTokens, type CapabilityStore } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { HiddenTools } from '@aish/contracts/mcp';
import { UNKNOWN_CAPABILITIES } from '@aish/contracts/models';
import type { Toolbox } from '@aish/tools';

/** Returns the number of tools that a new chat of this owner would have to search for, or null without a preset. */
export async function hiddenTools(
  owner: string,
  {
    toolbox,
    capabilityStore,
    presets: [preset],
    toolShare: share,
    autoApproves,
  }: {
    readonly toolbox: Toolbox;
    readonly capabilityStore: CapabilityStore;
    readonly presets: readonly Preset[];
    readonly toolShare: number;
    readonly autoApproves: (label: string) => boolean;
  },
): Promise<HiddenTools | null> {
  if (preset === undefined) return null;
  const [specs, known] = await Promise.all([
    toolbox.specs({ sessionId: '', owner, goalId: null }),
    capabilityStore.known(preset),
  ]);
  const fit = known ?? UNKNOWN_CAPABILITIES;
  const contextTokens = fit.contextTokens ?? DEFAULT_CONTEXT_TOKENS;
  const tokensOf = (text: string): number => estimateTokens(text, fit);
  const room = { budgetTokens: Math.floor(contextTokens * share), tokensOf, autoApproves };
  const { hidden } = toolbox.choose(specs, [], [], room);
  return { hidden, tools: specs.length, preset: preset.name, contextTokens, share };
}
