import { findApprovals, keptResults, type Database } from '@aish/database';
import type { ToolProvider, WorkerConfig } from '@aish/contracts';
import type { Logger } from '@aish/http';
import type { GoalTools, ToolPolicy } from '@aish/norris';
import { TOOLBOX_DEFAULTS, Toolbox, authorize } from '@aish/tools';

/**
 * The tools of goals, and who may call them: what is not approved by the configuration is asked about, as is a tool that
 * has changed since a person last approved it. Source: Phase 3 manifest, "Auto-approve under Norris".
 */
export function goalTools(
  db: Database,
  config: WorkerConfig,
  providers: () => readonly ToolProvider[],
  isAutoApproved: (label: string) => boolean,
  logger: Logger,
): { readonly tools: GoalTools; readonly policy: ToolPolicy } {
  const tools = new Toolbox(
    providers,
    keptResults(db),
    { ...TOOLBOX_DEFAULTS, timeoutMs: config.TOOL_TIMEOUT_MS },
    (err, provider) => logger.warn({ err }, `could not list the tools of ${provider}`),
  );
  const policy: ToolPolicy = async ({ spec }, classification) => {
    const seen = await findApprovals(db.statements, [spec.label]);
    const autoApprove = [...config.AUTO_APPROVE, ...(isAutoApproved(spec.label) ? [spec.label] : [])];
    const authorization = authorize(spec, classification, { autoApprove, grants: [], seen });
    return authorization.kind === 'ask' ? authorization.reason : null;
  };
  return { tools, policy };
}
