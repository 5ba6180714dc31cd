import type { Command } from '../shell/command.js';
import { exact, has, operands } from './arguments.js';
import type { Rule } from './rule.js';

const code = (c: Command, language: string): string =>
  c.snippets
    .filter((s) => s.language === language)
    .map((s) => s.text)
    .join('\n');

export const EDITING: readonly Rule[] = [
  {
    id: 'edit.in-place',
    title: 'edits files in place',
    why: 'the old content is replaced; without a copy there is no way back',
    severity: 'medium',
    tools: [
      'sed',
      'gsed',
      'perl',
      'ruby',
      'yq',
      'awk',
      'gawk',
      'clang-format',
      'gofmt',
      'goimports',
      'shfmt',
      'autopep8',
      'yapf',
      'xmlstarlet',
      'crudini',
      'augtool',
      'dasel',
      'prettier',
      'eslint',
      'stylelint',
      'biome',
      'sd',
      'rpl',
      'replace',
      'ruplacer',
      'sponge',
      'tidy',
      'csslint',
      'mogrify',
      'ex',
      'patch',
      'gpatch',
      'ast-grep',
      'sg',
      'comby',
      'codemod',
      'jscodeshift',
      'ruff',
      'vise',
      'mlr',
      'toml',
      'tomlq',
      'xq',
      'hexedit',
      'bspatch',
      'chezmoi',
      'yadm',
      'debconf-set-selections',
      'update-alternatives',
    ],
    matches: (c) => {
      switch (c.name) {
        case 'sed':
        case 'gsed':
          return (
            c.args.some((arg) => /^(-[nErszu]*i|--in-place)/.test(arg) || /^-[a-zA-Z]*i\.?\w*$/.test(arg)) &&
            !has(c, '--help')
          );
        case 'perl':
        case 'ruby':
          return c.args.some((arg) => /^-(?!M|I|e$|E$)[a-zA-Z0-9]*i/.test(arg) && !/^-(e|E)/.test(arg));
        case 'awk':
        case 'gawk':
          return c.args.some(
            (arg, at) => (arg === 'inplace' && /^-i$|^--include$/.test(c.args[at - 1] ?? '')) || arg === '-iinplace',
          );
        case 'yq':
        case 'tomlq':
        case 'xq':
          return has(c, '-i', '--inplace', '--in-place');
        case 'gofmt':
        case 'goimports':
        case 'shfmt':
          return has(c, '-w', '--write');
        case 'prettier':
        case 'biome':
          return has(c, '-w', '--write', '--fix', '--apply', '--apply-unsafe');
        case 'eslint':
        case 'stylelint':
        case 'ruff':
          return has(c, '--fix', '--unsafe-fixes');
        case 'xmlstarlet':
          return c.args[0] === 'ed' && has(c, '-L', '--inplace');
        case 'crudini':
          return has(c, '--set', '--del', '--merge');
        case 'dasel':
          return /^(put|delete)$/.test(c.args[0] ?? '') && !has(c, '-o', '--out');
        case 'sd':
        case 'ruplacer':
          return c.name === 'sd' ? operands(c).length > 2 && !has(c, '-p', '--preview') : has(c, '--go');
        case 'patch':
        case 'gpatch':
          return !has(c, '-o', '--output');
        case 'tidy':
          return has(c, '-m', '-modify');
        case 'ast-grep':
        case 'sg':
          return has(c, '-U', '--update-all');
        case 'comby':
          return has(c, '-i', '-in-place');
        case 'augtool':
          return has(c, '-s', '--autosave') || /\bsave\b/.test(c.args.join(' '));
        case 'yadm':
          return operands(c)[0] === 'decrypt' && !has(c, '-l');
        case 'chezmoi':
          return (
            /^(apply|update|destroy|forget|remove|purge|init)$/.test(c.args[0] ?? '') &&
            (c.args[0] !== 'init' || has(c, '--apply'))
          );
        case 'update-alternatives':
          return exact(c, '--set', '--remove', '--remove-all', '--config', '--auto', '--set-selections', '--all');
        case 'mlr':
          return c.args.includes('-I');
        case 'ex':
          return false; // its code is judged with vim's
        case 'sponge':
          return false; // judged as a redirection
        default:
          return (
            has(c, '-i', '--in-place', '--inplace') ||
            /^(rpl|replace|mogrify|codemod|jscodeshift|hexedit|bspatch|debconf-set-selections|vise)$/.test(c.name)
          );
      }
    },
    stops: [
      "sed -i 's/a/b/' f",
      "sed -i.bak 's/a/b/' f",
      "sed -ni '1p' f",
      "sed -Ei 's/a/b/' f",
      "perl -pi -e 's/a/b/' f",
      "perl -i.bak -ne 'print' f",
      "gawk -i inplace '{print}' f",
      "yq -i '.a=1' f.yml",
      'gofmt -w .',
      'prettier --write .',
      'patch -p1 < x.diff',
      "sed --in-place 's/a/b/' f",
    ],
    passes: [
      "sed 's/a/b/' f",
      "sed -n '1,5p' f",
      "perl -ne 'print' f",
      "awk '{print}' f",
      "yq '.a' f.yml",
      'gofmt -l .',
      'prettier --check .',
      'patch --dry-run -p1 < x.diff',
      'sed -e s/i/j/ f',
      "perl -MList::Util -e 'print 1'",
    ],
  },
  {
    id: 'edit.sed-writes',
    title: 'sed writes a file',
    why: 'the file that the w command names is emptied first',
    severity: 'medium',
    tools: ['sed', 'gsed'],
    matches: (c) =>
      /(^|[;{\d$/])\s*w\s+(?!\/dev\/(stdout|stderr|null))\S|\/[gpiI\d]*w\s+(?!\/dev\/)\S/.test(code(c, 'sed')),
    stops: ["sed -n '/a/w out.txt' f", "sed 's/a/b/w out.txt' f"],
    passes: ["sed 's/a w b/c/' f", "sed -n 's/a/b/w /dev/stdout' f"],
  },
  {
    id: 'edit.sed-runs',
    title: 'sed runs what it reads as a command',
    why: 'lines of a file become shell commands',
    severity: 'high',
    tools: ['sed', 'gsed'],
    matches: (c) =>
      /(?:^|[;{}\n])\s*(?:\d+|\$|\/[^/]*\/)?\s*e(?:\s+\S|\s*$)|(?:^|[;{}\n]|\d|\$|\/)\s*s([/|,#@!%:])(?:\\.|(?!\1).)*\1(?:\\.|(?!\1).)*\1[gpiIm\d]*e/.test(
        code(c, 'sed'),
      ),
    stops: ["sed '1e rm x' f", "sed 's/.*/rm &/e' f"],
    passes: ["sed 's/e/f/' f", "sed '/the/d' f", "sed '/a/ s/b/e /' f", "sed -e 's/a/e/g' f"],
  },
  {
    id: 'edit.scripted-editor',
    title: 'an editor saves a file by itself',
    why: 'the old content is replaced',
    severity: 'medium',
    tools: ['vim', 'vi', 'nvim', 'ex', 'ed', 'view', 'emacs'],
    matches: (c) => {
      const text = c.snippets.map((s) => s.text).join('\n');
      if (c.name.endsWith('emacs'))
        return /save-buffer|write-region|delete-file|delete-directory|shell-command/.test(text);
      return (
        /(^|[|:\s])(w|wq|x|wa|wqa|xa|up|update|wq!|w!|x!|ZZ|saveas)(!|\s|$|\|)/m.test(text) ||
        /\b(delete|rename|writefile|system|libcall)\s*\(/.test(text) ||
        (c.name === 'ex' && c.input.kind === 'file')
      );
    },
    stops: [
      "vim -c '%s/a/b/g' -c wq f",
      "printf '%s\\n' '1d' w q | ed -s f",
      'ex -sc "%s/a/b/|x" f',
      "ed f <<< $'1d\\nw\\nq'",
    ],
    passes: ['vim f', "vim -c 'set nu' f", 'view f'],
  },
  {
    id: 'edit.accounts',
    title: 'edits a file that the system lives on',
    why: 'a mistake there locks people out',
    severity: 'high',
    tools: ['visudo', 'vipw', 'vigr', 'edquota', 'sudoedit', 'virt-edit'],
    matches: (c) => !has(c, '-c', '--check'),
    stops: ['visudo', 'vipw -s', 'sudoedit /etc/fstab'],
    passes: ['visudo -c'],
  },
];
