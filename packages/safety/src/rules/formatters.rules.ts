import type { Command } from '../shell/command.js';
import { exact, has, operands, path } from './arguments.js';
import type { Rule } from './rule.js';

export const FORMATTERS: readonly Rule[] = [
  {
    id: 'edit.formatter',
    title: 'rewrites source files',
    why: 'formatters and automatic fixes write over the files that they are given',
    severity: 'low',
    tools: [
      'black',
      'isort',
      'rustfmt',
      'ruff',
      'yapf',
      'autoflake',
      'docformatter',
      'pyupgrade',
      'cargo',
      'go',
      'deno',
      'dart',
      'mix',
      'zig',
      'dotnet',
      'terraform',
      'tofu',
      'terragrunt',
      'packer',
      'caddy',
      'nomad',
      'nixfmt',
      'alejandra',
      'nixpkgs-fmt',
      'stylua',
      'taplo',
      'swiftformat',
      'ktlint',
      'google-java-format',
      'php-cs-fixer',
      'phpcbf',
      'rubocop',
      'standardrb',
      'rufo',
      'gofumpt',
      'yamlfmt',
      'markdownlint',
      'markdownlint-cli2',
      'mdformat',
      'sqlfluff',
      'sqlfmt',
      'golangci-lint',
      'codespell',
      'oxfmt',
      'oxlint',
      'biome',
      'djlint',
      'cmake-format',
      'stylish-haskell',
      'ormolu',
      'fourmolu',
      'elm-format',
      'scalafmt',
      'shellharden',
      'fish_indent',
      'perltidy',
      'just',
      'dprint',
      'treefmt',
      'buf',
      'latexindent',
      'pre-commit',
      'standard',
      'xo',
      'tslint',
      'rector',
      'jq-fmt',
      'npm-check-updates',
      'ncu',
      'sort-package-json',
      'buildifier',
    ],
    matches: (c) => formats(c),
    stops: [
      'black src/',
      'isort .',
      'rustfmt src/main.rs',
      'ruff format .',
      'cargo fmt',
      'go fmt ./...',
      'terraform fmt',
      'rubocop -a',
      'mix format',
      'dart format .',
      'npx sort-package-json',
      'buildifier BUILD',
      'ncu -u',
    ],
    passes: [
      'black --check .',
      'black --diff a.py',
      'isort --check-only .',
      'rustfmt --check src/main.rs',
      'ruff check .',
      'cargo fmt --check',
      'cargo fmt -- --check',
      'terraform fmt -check',
      'rubocop',
      'dart format --output=none --set-exit-if-changed .',
      'ncu',
    ],
  },
];

function formats(c: Command): boolean {
  const text = path(c);
  const words = c.args.join(' ');
  if (
    /(^|\s)-{1,2}(check|check-only|diff|dry-run|list-files|verify|validate|stdin\S*|version|help|no-write|recheck|fail-on-change|write=false|set-exit-if-changed .*)(\s|=|$)/.test(
      words,
    )
  )
    return false;
  switch (c.name) {
    case 'black':
    case 'isort':
    case 'pyupgrade':
    case 'taplo':
    case 'swiftformat':
    case 'nixfmt':
    case 'alejandra':
    case 'nixpkgs-fmt':
    case 'stylua':
    case 'yamlfmt':
    case 'mdformat':
    case 'sqlfmt':
    case 'oxfmt':
    case 'rufo':
    case 'phpcbf':
    case 'elm-format':
    case 'scalafmt':
    case 'treefmt':
    case 'rustfmt':
    case 'djlint':
      if (c.name === 'taplo') return /^(fmt|format)\b/.test(text);
      if (c.name === 'djlint') return exact(c, '--reformat');
      if (c.name === 'rustfmt') return operands(c).length > 0 && !/--emit[ =]stdout/.test(words);
      if (/^(nixfmt|elm-format|stylua|black|isort|pyupgrade|swiftformat)$/.test(c.name))
        return operands(c).some((word) => word !== '-');
      return true;
    case 'ruff':
      return /^format\b/.test(text);
    case 'cargo':
      return /^(fmt|set-version|upgrade|sort|autoinherit)\b/.test(text) || exact(c, '--fix');
    case 'go':
      return /^fmt\b/.test(text);
    case 'zig':
    case 'terraform':
    case 'tofu':
    case 'packer':
    case 'nomad':
    case 'deno':
      return /^fmt\b/.test(text) && !words.endsWith(' -');
    case 'terragrunt':
      return /^hcl(fmt| fmt| format)\b/.test(text);
    case 'caddy':
      return /^fmt\b/.test(text) && has(c, '--overwrite', '-w');
    case 'dart':
      return (
        (/^format\b/.test(text) && !/(-o|--output)[ =](none|show|json)/.test(words)) ||
        (/^fix\b/.test(text) && exact(c, '--apply'))
      );
    case 'mix':
    case 'dotnet':
      return /^format\b/.test(text);
    case 'dprint':
      return /^fmt\b/.test(text);
    case 'just':
      return exact(c, '--fmt');
    case 'buf':
      return /^format\b/.test(text) && has(c, '-w', '--write');
    case 'yapf':
    case 'autoflake':
    case 'docformatter':
    case 'google-java-format':
    case 'cmake-format':
    case 'stylish-haskell':
      return has(c, '-i', '--in-place', '--replace');
    case 'ormolu':
    case 'fourmolu':
      return has(c, '-i') || /--mode[ =]inplace/.test(words);
    case 'gofumpt':
    case 'fish_indent':
    case 'codespell':
      return has(c, '-w', '--write', '--write-changes');
    case 'perltidy':
      return has(c, '-b');
    case 'latexindent':
      return has(c, '-w', '-l');
    case 'shellharden':
      return exact(c, '--replace');
    case 'ktlint':
      return has(c, '-F', '--format');
    case 'php-cs-fixer':
      return /^fix\b/.test(text);
    case 'rector':
      return /^process\b/.test(text);
    case 'rubocop':
      return has(c, '-a', '-A', '--autocorrect', '--autocorrect-all', '--auto-correct', '--auto-gen-config');
    case 'sqlfluff':
      return /^(fix|format)\b/.test(text);
    case 'npm-check-updates':
    case 'ncu':
      return has(c, '-u', '--upgrade');
    case 'buildifier':
      return !/-mode[ =](check|diff|print_if_changed)/.test(words);
    case 'sort-package-json':
      return true;
    case 'biome':
      return /^(format|lint|check)\b/.test(text) && has(c, '--write', '--fix', '--apply');
    case 'pre-commit':
      return false;
    default:
      return exact(c, '--fix', '--autofix', '--write', '-fix');
  }
}
