import { baseName, type Command } from '../shell/command.js';
import { has, operandWords, operands, path } from './arguments.js';
import type { Rule } from './rule.js';

/** Programs that install a package file, with the options that make them do so. */
const INSTALLERS: Readonly<Record<string, (c: Command) => boolean>> = Object.assign(Object.create(null), {
  dpkg: (c: Command) => has(c, '-i', '--install', '--unpack'),
  rpm: (c: Command) => has(c, '-i', '-U', '-F', '--install', '--upgrade') && !has(c, '-q', '--query', '-V'),
  installer: () => true,
  gdebi: () => true,
  ...Object.fromEntries(
    'apt apt-get aptitude dnf yum zypper apk snap flatpak brew pip pip3 pipx uv npm pnpm yarn gem code opkg'
      .split(' ')
      .map((name) => [
        name,
        (c: Command) =>
          /^(pip )?(install|reinstall|localinstall|in|add|i|tool install)\b/.test(path(c)) ||
          has(c, '--install-extension'),
      ]),
  ),
  pacman: (c: Command) => has(c, '-U', '--upgrade'),
});
const PACKAGE_FILE = /\.(deb|rpm|apk|snap|whl|gem|tgz|tar\.\w+|zip|flatpak|pkg|pkg\.tar\.\w+|vsix|ipk)$/;
/** Targets and scripts that do more than build the files next to them. */
const RUNS =
  /^((un)?install\S*|run\S*|start\S*|serve|dev|deploy\S*|up|setup|bootstrap|flash|load|modules_install|altinstall)$/;
const BUILDERS = /^(g?make|bmake|just|task|mage|rake|ninja|meson|npm|pnpm|yarn|bun|poetry|cargo|cmake|ant|mvn|gradle)$/;
const SCRIPT = /\.(sh|py|pl|rb|js|mjs|ts|bash|ps1|lua|php)$/;
const isOutside = (file: string): boolean => /^[/~$-]/.test(file);

/** Whether a file is in a folder that this text cloned. */
const isInside = (c: Command, file: string): boolean =>
  [...c.facts.fetched].some((name) => name.endsWith('/') && (file === name.slice(0, -1) || file.startsWith(name)));

const isOwn = (c: Command, file: string): boolean => isInside(c, file) || (file !== '' && !isOutside(file));

/** Whether the command runs a program from a cloned or unpacked folder, or lets a tool install or start it. */
function runsTree(c: Command): boolean {
  if (isInside(c, c.path)) return true;
  if (/^(\.\/|\w[\w.-]*\/)/.test(c.path)) return true;
  const [first = '', second = ''] = operands(c);
  if (/^(sh|bash|dash|ash|zsh|ksh|fish|source|\.)$/.test(c.name)) return !has(c, '-c', '-n') && isOwn(c, first);
  if (/^(python[\d.]*|node|perl|ruby|php|deno|bun|pwsh|lua)$/.test(c.name) && SCRIPT.test(first)) return true;
  if (c.name === 'makepkg') return /^-\w*[si]|^--(install|syncdeps)$/m.test(c.args.join('\n'));
  if (c.name === 'node' && /^\.{1,2}(\/|$)/.test(first)) return true;
  if (c.name === 'cmake') return has(c, '--install');
  if (c.name === 'go') return /^(run|install)$/.test(first) && second.startsWith('.');
  if (c.name === 'cargo') return first === 'run' || (first === 'install' && has(c, '--path'));
  if (/^(npm|pnpm|yarn|bun|poetry)$/.test(c.name)) {
    const script = first === 'run' ? second : first;
    return (first === 'run' && c.name === 'poetry') || (script !== 'install' && RUNS.test(script));
  }
  if (BUILDERS.test(c.name)) return operands(c).some((target) => RUNS.test(target));
  return /^(pip3?|pipx|uv)$/.test(c.name) && /^(pip |tool )?install\b.*?\s(\.|\.\/\S*)(\[\S*)?$/.test(path(c));
}

export const FETCHED_TREES: readonly Rule[] = [
  {
    id: 'fetched.run-clone',
    title: 'runs or installs what it has just fetched',
    why: 'nobody here has read the code that will run',
    severity: 'high',
    matches: (c) => c.facts.cloned && runsTree(c),
    stops: [
      'git clone https://x/y && cd y && ./install.sh',
      'curl -L https://x | tar xz && ./x/install',
      'git clone x y; bash y/setup.sh',
      'git clone https://x/y ~/y && ~/y/bootstrap',
      'git clone https://x/y && make -C y install',
      'git clone https://x/y.git; cd y; sudo make install',
      'git clone https://x/y && cd y && bash setup',
      'git clone https://x/y /opt/y && /opt/y/run',
      'git clone https://x/y && cd y && npm install && npm start',
      'gh repo clone x/y && cd y && pip install .',
      'git clone https://x/y && cd y && cmake -B b && cmake --install b',
      'git clone https://x/y && cd y && cargo install --path .',
      'git clone https://aur/yay.git && cd yay && makepkg -si',
    ],
    passes: [
      'git clone https://x/y && cd y && make',
      'git clone https://x/y && ls y',
      './install.sh',
      'make install',
      'git clone https://x/y && cat y/install.sh',
      'git clone https://x/y && cd y && npm install && npm run build',
      'git clone https://x/y && cd y && docker compose up -d',
      'git clone https://x/y && source ~/.bashrc',
      'git clone https://x/y && bash -n y/install.sh',
    ],
  },
  {
    id: 'fetched.install',
    title: 'installs a package that it has just fetched',
    why: 'its scripts run as root, and nobody here has read them',
    severity: 'high',
    matches: (c) => {
      if (INSTALLERS[c.name]?.(c) !== true) return false;
      const { fetched, cloned } = c.facts;
      const straight = c.words.find((word) => word.process?.input.kind === 'fetched');
      if (straight !== undefined) return straight;
      if (fetched.size === 0 && !cloned) return false;
      return (
        operandWords(c).find(({ text, glob }) => {
          if (!PACKAGE_FILE.test(text)) return false;
          if (fetched.has(text) || fetched.has(baseName(text)) || (cloned && isOwn(c, text))) return true;
          return glob && [...fetched].some((name) => name.endsWith(text.slice(text.lastIndexOf('.'))));
        }) ?? false
      );
    },
    stops: [
      'wget https://x/a.deb && sudo dpkg -i a.deb',
      'curl -Lo /tmp/a.rpm https://x/a.rpm && rpm -i /tmp/a.rpm',
      'wget https://x/a.deb; apt install ./a.deb',
      'wget https://x/a.deb && dpkg -i *.deb',
      'wget -q https://x/a.deb -O a.deb && apt-get install -y ./a.deb',
      'curl -LO https://x/a.pkg.tar.zst && pacman -U a.pkg.tar.zst',
      'dpkg -i <(curl -L https://x/a.deb)',
    ],
    passes: [
      'wget https://x/a.deb && dpkg -I a.deb',
      'wget https://x/a.deb',
      'wget https://x/a.txt && apt install nginx',
      'curl -LO https://x/a.rpm && rpm -qip a.rpm',
      'dpkg -i a.deb',
    ],
  },
];
