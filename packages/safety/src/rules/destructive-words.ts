/** Words that mean destruction when a program takes them as its subcommand, its task or its option. */
const WORDS = new Set(
  'delete del destroy remove rm purge wipe wipeout erase drop truncate uninstall prune nuke obliterate shred flush reset clean cleanup clear terminate kill stop shutdown poweroff reboot restart halt teardown tear-down rollback revert revoke unpublish deprovision decommission evict format reformat overwrite discard expunge zap deregister unregister undeploy cancel abort suspend disable unset unlink restore expire vacuum factory-reset forget quit exit detach force-delete delete-all removeall deleteall dropdb droptables disconnect downgrade down off gc empty logout log-out hibernate reimage reinit reinitialize recreate apply upgrade edit modify rename move replace migrate resize shrink rewrite patch reconfigure rotate deploy redeploy flash burn reflash factory-default set-default set-defaults restore-defaults unregister unmount umount eject unload unbind deactivate deauthorize kick ban trash demote failover drain cordon offline unpair blacklist reassign retire cleanse sweep compact defrag expurge unrecord leave unjoin undo hangup unpark implode scrub uncommit unmap unenroll unassign unsubscribe unpersist unprovision unban evacuate decommission seal power-cycle powercycle poweroff reload'.split(
    ' ',
  ),
);

/**
 * Whether a word means destruction. It is a destructive word, or a compound that begins or ends with one: `delete`,
 * `delete-user`, `db:drop`, `removeAll`.
 */
export function isDestructiveWord(text: string): boolean {
  if (text.length > 60 || /[/=\s]/.test(text)) return false;
  if (
    /\.(sh|py|js|ts|ya?ml|json|conf|txt|log|sql|md|toml|ini|cfg|rb|pl|php|tf|html?|css|xml|csv|env|service|timer|target|socket|mount)$/i.test(
      text,
    )
  )
    return false;
  if (
    /[:._-](status|list|show|info|history|check|plan|diff|logs?|preview|help|dry-?run|id|ids|name|size|count|type|version|time|url)$/i.test(
      text,
    )
  )
    return false;
  const plain = text.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
  if (WORDS.has(plain)) return true;
  // The word may be inside the text without a separator: `groupremove`, `deleteall`, `osddestroy`.
  if (
    /^[a-z]{5,24}$/.test(plain) &&
    /(remove|delete|destroy|purge|uninstall|truncate)$|^(remove|delete|destroy|purge|uninstall|truncate)(?!d|r$|rs$)/.test(
      plain,
    )
  )
    return true;
  if (RUN_TOGETHER.test(plain)) return true;
  return isDestructiveCompound(plain, text.includes(':'));
}

/** `rmuser`, `delsnap`, `userdel`, `stopall`, `killserver`: short destructive words joined with their object. */
const RUN_TOGETHER =
  /^(?:rm|del|kill|stop|wipe|erase|flush|nuke)(?:all|user|group|host|key|node|vm|image|snap|snapshot|vol|volume|disk|tag|link|env|repo|server|service|zone|record|rule|job|session|domain|alias|member|policy|pool|module|port|route|config|peer|binaries|packages|tree|tables|data|cache|acl|role|db|table|topic|queue|part|res|entry)s?$|^(?:user|group|host|key|node|vm|image|snap|volume|tag|link|role|acl|alias|member|rule|zone|job)(?:del|rm)$/;

/**
 * Whether the compound begins or ends with a destructive word, or has one as a part between colons: `delete-user`,
 * `db:drop`.
 */
function isDestructiveCompound(plain: string, hasColon: boolean): boolean {
  const parts = plain.split(/[-_:.]/).filter((part) => part !== '');
  if (parts.length < 2 || /^(no|non|un|pre|post|test|spec|check|list|show|get|with|without|is)$/.test(parts[0] ?? ''))
    return false;
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  return (
    /-del(-all)?$/.test(plain) ||
    (WORDS.has(first) && !/^(format|down|off|empty|exit|reload|clean|clear)$/.test(first)) ||
    /^(clean|clear)-(all|cache|caches|data|db|database|logs?|queue|history|up|everything|store|state|old|tmp|build)\b/.test(
      plain,
    ) ||
    (hasColon && parts.some((part) => WORDS.has(part) || /^(fresh|refresh)$/.test(part))) ||
    /^(delete|destroy|remove|drop|purge|wipe|erase|truncate|uninstall|clean|reset|prune|restart|stop|kill|shutdown|reboot|terminate)$/.test(
      last,
    )
  );
}

/** Programs with a destructive name: `fprintd-delete`, `gnome-session-quit`. */
const PROGRAM =
  /^[a-z0-9]+[-_](?:[a-z0-9]+[-_])?(?:delete|destroy|remove|purge|wipe|erase|uninstall|nuke|kill|shutdown|reboot|poweroff|quit|cleanup|clear|upgradecluster|deluser|stop|rm|rmi|disconnect|restart|umount|unmount|disable|uninstall|flush|cleaner|remover|killer)$/;

/** Whether the name of a script sounds destructive: `cleanup.sh`, `./wipe-all`, `delete_users.py`. */
export function isDestructiveScript(file: string): boolean {
  if (PROGRAM.test(file)) return true;
  if (!/[/.]/.test(file) || /(^|[/_.-])(test|tests|spec|specs|example|mock)s?[/_.-]/i.test(file)) return false;
  const name = file
    .slice(file.lastIndexOf('/') + 1)
    .replace(/\.\w{1,4}$/, '')
    .toLowerCase();
  return name
    .split(/[-_.]/)
    .some((part) =>
      /^(delete|destroy|remove|purge|wipe|erase|drop|truncate|uninstall|prune|nuke|cleanup|clean|reset|kill|teardown|shutdown|reboot|restart|stop|rollback|flush|format|rm)$/.test(
        part,
      ),
    );
}
