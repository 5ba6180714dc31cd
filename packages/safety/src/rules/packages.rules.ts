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
      switch (c.name) {
        case 'dpkg':
          return (
            has(c, '-r', '-P', '--remove', '--purge', '--force-all', '--clear-selections', '--set-selections') ||
            exact(c, '--remove-architecture')
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
                /^-Yc/.test(arg),
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
            (/^link/.test(text) && has(c, '--overwrite'))
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
          return c.name !== 'tasksel' || /^remove/.test(text);
        case 'dpkg-reconfigure':
        case 'unattended-upgrade':
        case 'unattended-upgrades':
        case 'sysupgrade':
        case 'topgrade':
          return !has(c, '--dry-run', '-n');
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
            exact(c, '--allow-remove-essential', '--allow-downgrades', '--purge') ||
            has(c, '--force-yes')
          );
      }
    },
    stops: [
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
  {
    id: 'package.language',
    title: 'uninstalls, cleans or publishes packages of a language',
    why: 'installed packages are removed, caches and build results deleted, or a release made that cannot be taken back',
    severity: 'medium',
    tools: [
      'pip',
      'pip3',
      'pipx',
      'uv',
      'poetry',
      'pdm',
      'pipenv',
      'conda',
      'mamba',
      'micromamba',
      'npm',
      'pnpm',
      'yarn',
      'bun',
      'deno',
      'gem',
      'bundle',
      'composer',
      'cargo',
      'rustup',
      'go',
      'mvn',
      'gradle',
      'gradlew',
      'mvnw',
      'sbt',
      'lein',
      'dotnet',
      'nuget',
      'cpan',
      'cpanm',
      'luarocks',
      'opam',
      'cabal',
      'stack',
      'mix',
      'rebar3',
      'hex',
      'pub',
      'dart',
      'flutter',
      'pod',
      'swift',
      'nvm',
      'fnm',
      'n',
      'volta',
      'pyenv',
      'rbenv',
      'asdf',
      'mise',
      'sdk',
      'rvm',
      'twine',
      'bazel',
      'bazelisk',
      'lerna',
      'nx',
      'turbo',
      'virtualenv',
      'venv',
      'jupyter',
      'krew',
      'helm-plugin',
      'ollama',
      'huggingface-cli',
      'hf',
      'xcodebuild',
      'xcrun',
      'hatch',
      'tox',
      'vcpkg',
      'conan',
      'spack',
      'julia-pkg',
      'emsdk',
      'ghcup',
      'elan',
      'zvm',
      'tfenv',
      'corepack',
      'code',
      'expo',
      'eas',
      'react-native',
      'ionic',
      'ng',
      'vsce',
      'pre-commit',
      'direnv',
    ],
    matches: (c) => {
      const text = path(c);
      if (/^(venv|virtualenv)$/.test(c.name)) return has(c, '--clear');
      if (c.name === 'cargo')
        return (
          /^(clean|uninstall|yank|publish|fix|owner|remove|rm|sweep|cache)\b/.test(text) &&
          !(text.startsWith('cache') && !has(c, '-a', '--autoclean', '-r', '-e'))
        );
      if (c.name === 'go') return /^clean\b/.test(text) || /^(fix)\b/.test(text) || /^mod edit\b/.test(text);
      if (c.name === 'xcrun' || c.name === 'xcodebuild')
        return /\bsimctl (delete|erase|shutdown|uninstall)|\bclean\b/.test(text);
      if (c.name === 'code') return exact(c, '--uninstall-extension');
      if (c.name === 'pre-commit') return /^(clean|gc|uninstall|autoupdate)\b/.test(text);
      return (
        (/^((?:cache|env|store|global|toolchain|target|default|plugin|plugins|tool|self|version|volume|component|package|python|access|token|owner|dist-tag|team|org|mod|deps|project|workspace|tools|repo|nuget|config|hook|sandbox|exec|cask|archive|run|profile|lock|tag|profiles|models|runtime|archives|simctl) )?(uninstall|remove|rm|un|unlink|r|delete|del|prune|purge|clean|cleanup|clear|clean-all|destroy|unpublish|publish|deprecate|yank|reset|dedupe|downgrade|force-clean|expunge|flush|nuke|locals|revert|disintegrate|implode|unset|implicit|rollback|repair|stop|disable|audit fix|distclean|pristine|deintegrate|update-all|wipe|retire|trunk (delete|deprecate)|clobber|autoclean)\b/.test(
          text,
        ) &&
          !/^(run|r) (?!(clean|reset|purge|prune|destroy|wipe|delete|remove)\b)/.test(text) &&
          !(c.name === 'bun' && text.startsWith('r '))) ||
        (/^(npm|pnpm|yarn)$/.test(c.name) && /^audit( fix)\b/.test(text) && has(c, '--force')) ||
        (/^(mvn|mvnw|gradle|gradlew|sbt|lein|bazel|bazelisk|mix|stack|nx|flutter|dotnet|cabal)$/.test(c.name) &&
          operands(c).some((word) =>
            /(^|:)(clean|cleanBuildCache|expunge|distclean|publish|deploy|release|cleanall|ecto\.(drop|reset|rollback)|reset|purge|hex\.publish|deps\.clean)$/i.test(
              word,
            ),
          )) ||
        (c.name === 'dotnet' && /^ef (database (drop|update)|migrations remove)/.test(text)) ||
        (/^(pip|pip3|uv|npm)$/.test(c.name) && exact(c, '--force-reinstall', '--ignore-installed'))
      );
    },
    stops: [
      'pip uninstall -y x',
      'pip3 uninstall x',
      'python3 -m pip uninstall x',
      'npm uninstall x',
      'npm cache clean --force',
      'yarn remove x',
      'pnpm store prune',
      'cargo clean',
      'cargo uninstall x',
      'gem uninstall x',
      'conda env remove -n x',
      'conda clean -a',
      'poetry remove x',
      'npm unpublish x',
      'mvn clean install',
      './gradlew clean build',
      'go clean -modcache',
      'ollama rm llama3',
      'nvm uninstall 18',
      'rustup toolchain uninstall nightly',
      'npm publish',
      'npm run clean',
      'mix ecto.drop',
      'flutter clean',
    ],
    passes: [
      'pip install x',
      'pip list',
      'pip show x',
      'npm install',
      'npm ci',
      'npm run build',
      'npm test',
      'yarn add x',
      'cargo build',
      'cargo test',
      'gem install x',
      'conda list',
      'conda create -n x',
      'mvn package',
      './gradlew build',
      'go build ./...',
      'go test ./...',
      'ollama pull x',
      'npm publish --dry-run',
      'npm ls',
      'uv sync',
      'bundle install',
      'composer install',
    ],
  },
];
