import type { z } from 'zod';
import { GoalState, isTerminal } from '../goals.js';
import { parseMcpServers } from '../mcp-config.js';
import { isAishError } from '../problems.js';
import { parseUserRules } from './user-rules.js';
import type { Mcp } from './mcp.settings.js';
import type { Notices } from './notices.settings.js';
import { presetNamed, presetsOf, type Presets } from './presets.settings.js';
import type { Safety } from './safety.settings.js';
import type { SignIns } from './sign-ins.settings.js';

/**
 * What is wrong with settings that are each valid: what a start refuses is refused by `aish config check`, too. Files that
 * settings name are read at the start alone.
 */
type Combination<S extends z.ZodObject> = (config: z.infer<S>, fault: (setting: string, what: string) => void) => void;

export const modelSettings: Combination<typeof Presets & typeof Safety & typeof Mcp> = (config, fault) => {
  const check = (setting: string, what: () => unknown): void => {
    try {
      what();
    } catch (error) {
      if (!isAishError(error, 'invalid_config')) throw error;
      const lines = error.message.replace(/^The configuration is not valid:\s*/, '');
      fault(setting, lines.replaceAll(new RegExp(`${setting}[.:] ?`, 'g'), ''));
    }
  };
  check('PRESETS', () => {
    const presets = presetsOf(config);
    check('SAFETY_PRESET', () => presetNamed(presets, config.SAFETY_PRESET));
  });
  check('SAFETY_RULES', () => parseUserRules(config.SAFETY_RULES));
  check('MCP_SERVERS', () => parseMcpServers(config.MCP_SERVERS, () => ''));
};

export const noticeSettings: Combination<typeof Notices> = (config, fault) => {
  if (config.WEBHOOK_URL !== undefined && config.WEBHOOK_SECRET === undefined)
    fault('WEBHOOK_URL', 'needs WEBHOOK_SECRET');
  if (config.SMTP_URL !== undefined && (config.MAIL_FROM === undefined || config.MAIL_TO === undefined))
    fault('SMTP_URL', 'needs MAIL_FROM and MAIL_TO');
  const ends: readonly string[] = GoalState.options.filter((state) => isTerminal(state));
  const unknown = config.NOTIFY_ON.split(',').find((name) => name !== 'halt' && !ends.includes(name));
  if (unknown !== undefined) fault('NOTIFY_ON', `there is no ${unknown}; there are halt, ${ends.join(', ')}`);
};

export const signInSettings: Combination<typeof SignIns & typeof Notices> = (config, fault) => {
  if (config.OIDC_ISSUER !== undefined && (config.OIDC_CLIENT_ID === undefined || config.PUBLIC_URL === undefined))
    fault('OIDC_ISSUER', 'needs OIDC_CLIENT_ID and PUBLIC_URL');
};

interface Issues {
  addIssue(issue: { code: 'custom'; path: string[]; message: string }): void;
}

/** The refinement of a service's settings with one of these. */
export const holding =
  <S extends z.ZodObject>(combination: Combination<S>) =>
  (config: z.infer<S>, context: Issues): void =>
    combination(config, (setting, message) => context.addIssue({ code: 'custom', path: [setting], message }));
