import { exact, has, operands, path } from './arguments.js';
import type { Rule } from './rule.js';

export const PACKAGES: readonly Rule[] = [
  {
    id: 'package.remove',
    title: 'removes or replaces packages of the system',
    why: 'what needs them stops working, and purging deletes their settings and data',
    severity: 'high',
    tools: [
      'apt',
      'apt-get',
      'aptitude',
      'nala',
      'dnf',
      'dnf5',
      'yum',
      'microdnf',
      'tdnf',
      'zypper',
      'dpkg',
      'rpm',
      'pacman',
      'yay',
      'paru',
      'pamac',
      'apk',
      'xbps-remove',
      'xbps-install',
      'emerge',
      'eopkg',
      'slackpkg',
      'removepkg',
      'pkg',
      'opkg',
      'rpm-ostree',
      'transactional-update',
      'swupd',
      'urpme',
      'snap',
      'flatpak',
      'brew',
      'port',
      'mas',
      'nix-env',
      'nix-collect-garbage',
      'nix-store',
      'nix',
      'nixos-rebuild',
      'guix',
      'apt-mark',
      'apt-key',
      'add-apt-repository',
      'deborphan',
      'winget',
      'choco',
      'scoop',
      'tasksel',
      'dpkg-reconfigure',
      'unattended-upgrade',
      'unattended-upgrades',
      'synopkg',
      'ipkg',
      'dnf-automatic',
      'pkg_delete',
      'pkg_add',
      'freebsd-update',
      'sysupgrade',
      'softwareupdate',
      'home-manager',
      'bootc',
      'ostree',
      'topgrade',
    ],
    matches: (c) => {
      const text = path(c);
      // apt removes what is named with a minus behind it.
      if (/^(apt|apt-get|aptitude|nala)$/.test(c.name) && /^(re)?install\b/.test(text)) {
        const leaving = operands(c)
          .slice(1)
          .some((name) => name.endsWith('-'));
        if (leaving) return true;
      }
      switch (c.name) {
        case 'dpkg':
          return (
            has(
              c,
              '-r',
              '-P',
              '--remove',
              '--purge',
              '--force-all',
              '--force-overwrite',
              '--force-downgrade',
              '--force-depends',
              '--force-remove-essential',
              '--clear-selections',
              '--set-selections',
            ) || exact(c, '--remove-architecture')
          );
        case 'rpm':
          return c.args.some((arg) =>
            /^(-e\w*|--erase|-U\w*|-F\w*|--upgrade|--freshen|--rebuilddb|--force)$/.test(arg),
          );
        case 'pacman':
        case 'yay':
        case 'paru':
          return (
            c.args.some(
              (arg) =>
                /^-(R|Sc|Scc|Syu|Su|Syyu|Syuu|D)[a-z]*$/.test(arg) ||
                /^--(remove|clean|sysupgrade|overwrite)/.test(arg) ||
                arg.startsWith('-Yc'),
            ) ||
            (c.name !== 'pacman' && c.args.length === 0)
          );
        case 'emerge':
          return (
            has(c, '-C', '-c', '--unmerge', '--depclean', '--prune', '-P') ||
            (has(c, '-u', '--update') && operands(c).some((word) => /^@(world|system)$/.test(word)))
          );
        case 'nix-env':
          return (
            has(c, '-e', '--uninstall', '-u', '--upgrade') ||
            exact(c, '--rollback', '--delete-generations', '--switch-generation', '-G')
          );
        case 'nix-collect-garbage':
          return true;
        case 'nix-store':
          return (
            (exact(c, '--gc', '--delete') && !exact(c, '--print-dead', '--print-roots', '--print-live')) ||
            exact(c, '--optimise', '--repair-path')
          );
        case 'nix':
          return /^(store (gc|delete|repair|optimise)|profile (remove|wipe-history|rollback|upgrade)|upgrade-nix|registry remove)\b/.test(
            text,
          );
        case 'nixos-rebuild':
          return /^(switch|boot|test)\b/.test(text);
        case 'guix':
          return (
            /^(gc|remove|system (reconfigure|delete-generations|roll-back)|pull --delete|upgrade|package)\b/.test(
              text,
            ) &&
            (text !== 'package' || exact(c, '-r', '-u', '--delete-generations', '--roll-back'))
          );
        case 'brew':
          return (
            /^(uninstall|remove|rm|cleanup|autoremove|unlink|untap|upgrade|reinstall|services (stop|restart|kill|cleanup)|link --overwrite|cask (uninstall|zap)|zap)\b/.test(
              text,
            ) ||
            exact(c, '--zap') ||
            (text.startsWith('link') && has(c, '--overwrite'))
          );
        case 'snap':
          return (
            /^(remove|revert|disable|stop|restart|set|unset|disconnect|refresh|forget|unalias|restore|switch)\b/.test(
              text,
            ) && !exact(c, '--list', '--time')
          );
        case 'flatpak':
          return /^(uninstall|remove|update|upgrade|repair|remote-delete|remote-modify|override|kill|document-unexport|permission-(reset|remove)|mask|make-current|purge)\b/.test(
            text,
          );
        case 'apt-mark':
          return /^(auto|minimize-manual)\b/.test(text);
        case 'apt-key':
          return /^(del|remove)\b/.test(text);
        case 'add-apt-repository':
          return has(c, '-r', '--remove');
        case 'deborphan':
          return false;
        case 'xbps-install':
          return has(c, '-u', '--update', '-f', '--force');
        case 'port':
          return /^(uninstall|upgrade|deactivate|reclaim|clean)\b/.test(text);
        case 'rpm-ostree':
        case 'ostree':
        case 'bootc':
        case 'transactional-update':
        case 'freebsd-update':
          return (
            !/^(status|db|search|fetch|log|show|ls|refs|cat|list|updatesready|check)\b/.test(text) &&
            !has(c, '--check', '--preview') &&
            c.args.length > 0
          );
        case 'home-manager':
          return /^(switch|remove-generations|expire-generations|uninstall)\b/.test(text);
        case 'tasksel':
        case 'urpme':
        case 'removepkg':
        case 'xbps-remove':
        case 'pkg_delete':
          return c.name !== 'tasksel' || text.startsWith('remove');
        case 'dpkg-reconfigure':
        case 'unattended-upgrade':
        case 'unattended-upgrades':
        case 'topgrade':
          return !has(c, '--dry-run', '-n');
        case 'sysupgrade': // OpenWrt's -n keeps no settings
          return !has(c, '-T', '--test', '-l', '--list-backup', '-b', '--create-backup');
        case 'softwareupdate':
          return has(c, '-i', '--install', '-r', '-a');
        default:
          return (
            (/^(remove|purge|autoremove|autopurge|auto-remove|erase|uninstall|del|delete|rm|upgrade|full-upgrade|dist-upgrade|safe-upgrade|dselect-upgrade|distro-sync|distrosync|system-upgrade|downgrade|reinstall|clean|autoclean|auto-clean|dup|up|patch|swap|history (undo|rollback|redo)|removerepo|rr|removelock|module (remove|reset|disable)|mark remove|group (remove|upgrade)|groupremove|clean-system|fix|rollback|cache clean|bundle-remove|upgrade-all|reset|offline-upgrade|upgrade-minimal)\b/.test(
              text,
            ) &&
              !/^up$/.test(text.replace(/^apt.*/, ''))) ||
            (/^(dnf|dnf5|yum|microdnf|tdnf)$/.test(c.name) && /^(update|upgrade)\b/.test(text)) ||
            (c.name === 'zypper' && /^(update|up|dup)\b/.test(text)) ||
            exact(
              c,
              '--allow-remove-essential',
              '--allow-downgrades',
              '--purge',
              '--reinstall',
              '--only-upgrade',
              '--force-reinstall',
              '--overwrite',
            ) ||
            has(c, '--force-yes')
          );
      }
    },
    stops: [
      'apt-get install -y exim4-',
      'apt remove nginx',
      'apt-get -y purge nginx',
      'apt autoremove',
      'apt upgrade',
      'sudo apt-get dist-upgrade -y',
      'dnf remove x',
      'yum erase x',
      'pacman -Rns x',
      'pacman -Syu',
      'dpkg --purge x',
      'dpkg -r x',
      'rpm -e x',
      'snap remove x',
      'brew uninstall x',
      'apk del x',
      'zypper rm x',
      'apt-get clean',
      'flatpak uninstall x',
      'nix-collect-garbage -d',
      'dnf upgrade -y',
    ],
    passes: [
      'apt update',
      'apt install nginx',
      'apt-get install -y curl',
      'apt list --upgradable',
      'apt -s upgrade',
      'apt-get --dry-run remove x',
      'apt search remove',
      'apt show x',
      'dnf install x',
      'dpkg -l',
      'dpkg -i a.deb',
      'rpm -qa',
      'pacman -Ss x',
      'pacman -S x',
      'brew install x',
      'snap list',
      'apt-cache policy x',
      'apk add x',
      'yum check-update',
    ],
  },
];
