import type { z } from 'zod';
import { GoalState, isTerminal } from '../goals.js';
import { parseMcpServers } from '../mcp-config.js';
import { isAishError } from '../problems.js';
import { parseUserRules } from './user-rules.js';
import type { Mcp } from './mcp.settings.js';
import type { Notifications } from './notifications.settings.js';
import { presetNamed, presetsOf, type Presets } from './presets.settings.js';
import type { Safety } from './safety.settings.js';
import type { SignIns } from './sign-ins.settings.js';

/**
 * Checks settings that are valid one by one but wrong together. The services and `aish config check` use the same
 * checks, but only a service that starts reads the files that its settings name.
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

export const notificationSettings: Combination<typeof Notifications> = (config, fault) => {
  if (config.WEBHOOK_URL !== undefined && config.WEBHOOK_SECRET === undefined)
    fault('WEBHOOK_URL', 'needs WEBHOOK_SECRET');
  if (config.GOTIFY_URL !== undefined && config.GOTIFY_TOKEN === undefined) fault('GOTIFY_URL', 'needs GOTIFY_TOKEN');
  if (config.HOMEASSISTANT_URL !== undefined && config.HOMEASSISTANT_TOKEN === undefined)
    fault('HOMEASSISTANT_URL', 'needs HOMEASSISTANT_TOKEN');
  if (config.MATRIX_URL !== undefined && (config.MATRIX_TOKEN === undefined || config.MATRIX_ROOM === undefined))
    fault('MATRIX_URL', 'needs MATRIX_TOKEN and MATRIX_ROOM');
  if (config.SMTP_URL !== undefined && (config.MAIL_FROM === undefined || config.MAIL_TO === undefined))
    fault('SMTP_URL', 'needs MAIL_FROM and MAIL_TO');
  const ends: readonly string[] = GoalState.options.filter((state) => isTerminal(state));
  const unknown = config.NOTIFY_ON.split(',').find((name) => name !== 'halt' && !ends.includes(name));
  if (unknown !== undefined) fault('NOTIFY_ON', `${unknown} is unknown; the events are halt, ${ends.join(', ')}`);
};

export const signInSettings: Combination<typeof SignIns & typeof Notifications> = (config, fault) => {
  if (config.OIDC_ISSUER !== undefined && (config.OIDC_CLIENT_ID === undefined || config.PUBLIC_URL === undefined))
    fault('OIDC_ISSUER', 'needs OIDC_CLIENT_ID and PUBLIC_URL');
};

interface Issues {
  addIssue(issue: { code: 'custom'; path: string[]; message: string }): void;
}

/** Turns a combination check into a refinement of a service's settings. */
export const checkedBy =
  <S extends z.ZodObject>(combination: Combination<S>) =>
  (config: z.infer<S>, context: Issues): void =>
    combination(config, (setting, message) => context.addIssue({ code: 'custom', path: [setting], message }));
