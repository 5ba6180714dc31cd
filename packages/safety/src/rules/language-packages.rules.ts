import { exact, has, operands, path } from './arguments.js';
import type { Rule } from './rule.js';

export const LANGUAGE_PACKAGES: readonly Rule[] = [
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
      if (replacesInstalled(c.name, text)) return true;
      if (c.name === 'npm' && /^(version \S|pkg (set|delete|fix)\b)/.test(text)) return true;
      if (/^(cargo|gem|pipx)$/.test(c.name) && text.startsWith('install') && has(c, '--force')) return true;
      if (c.name === 'cargo')
        return (
          /^(clean|uninstall|yank|publish|fix|owner|remove|rm|sweep|cache)\b/.test(text) &&
          !(text.startsWith('cache') && !has(c, '-a', '--autoclean', '-r', '-e'))
        );
      if (
        /^(pip|pip3|uv)$/.test(c.name) &&
        /^(pip )?install\b/.test(text) &&
        (has(c, '-U', '--upgrade') || exact(c, '--upgrade'))
      )
        return true;
      if (c.name === 'go') return /^clean\b/.test(text) || /^(fix)\b/.test(text) || /^mod edit\b/.test(text);
      if (c.name === 'xcrun' || c.name === 'xcodebuild')
        return /\bsimctl (delete|erase|shutdown|uninstall)|\bclean\b/.test(text);
      if (c.name === 'code') return exact(c, '--uninstall-extension');
      if (c.name === 'pre-commit') return /^(clean|gc|uninstall|autoupdate)\b/.test(text);
      return (
        (/^((?:cache|env|store|global|toolchain|target|default|plugin|plugins|tool|self|version|volume|component|package|python|access|token|owner|dist-tag|team|org|mod|deps|project|workspace|tools|repo|nuget|config|hook|sandbox|exec|cask|archive|run|profile|lock|tag|profiles|models|runtime|archives|simctl) )?(uninstall|remove|rm|un|unlink|r|delete|del|prune|purge|clean|cleanup|clear|clean-all|destroy|unpublish|publish|deprecate|yank|reset|dedupe|downgrade|force-clean|expunge|flush|nuke|locals|revert|disintegrate|implode|unset|implicit|rollback|repair|stop|disable|audit fix|distclean|pristine|deintegrate|update-all|wipe|retire|trunk (delete|deprecate)|clobber|autoclean)\b/.test(
          text,
        ) &&
          !/:(check|dry-?run|list|test|status|diff)\b/.test(text) &&
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
      'npm ci',
      'npm update',
      'pip install --upgrade pip',
      'cargo update',
      'flutter clean',
    ],
    passes: [
      'pip install x',
      'pip list',
      'pip show x',
      'npm install',
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

/** What is installed is deleted first (`npm ci`), or replaced by another version. */
const replacesInstalled = (name: string, text: string): boolean =>
  (name === 'npm' && /^(ci|clean-install|ic|install-clean|update|up|upgrade)\b/.test(text)) ||
  (/^(pnpm|yarn|bun)$/.test(name) && /^(update|up|upgrade|upgrade-interactive)\b/.test(text)) ||
  (/^(composer|cargo|bundle|gem|poetry|pdm|pipenv|conda|mamba|micromamba|rustup|cpan|opam|mix|pod|dart|flutter|nuget)$/.test(
    name,
  ) &&
    /^(update|upgrade|deps\.update|pub upgrade|self update|self-update|selfupdate)\b/.test(text)) ||
  (/^(pipx|uv|cargo|dotnet)$/.test(name) &&
    /^(upgrade|upgrade-all|reinstall|reinstall-all|tool (upgrade|update)|lock --upgrade|self update|install-update)\b/.test(
      text,
    ));
