import { exact, has, operands } from './arguments.js';
import type { Rule } from './rule.js';

export const SETTINGS: readonly Rule[] = [
  {
    id: 'desktop.settings',
    title: 'changes or resets settings of a desktop',
    why: 'the old settings are not kept',
    severity: 'low',
    tools: [
      'gsettings',
      'dconf',
      'defaults',
      'xfconf-query',
      'kwriteconfig5',
      'kwriteconfig6',
      'reg',
      'regedit',
      'plutil',
      'PlistBuddy',
      'localectl',
      'hostnamectl',
      'timedatectl',
      'date',
      'hwclock',
      'hostname',
      'locale-gen',
      'nvidia-smi',
      'cpupower',
      'powerprofilesctl',
      'tuned-adm',
      'alternatives',
      'chsh',
      'chfn',
      'authselect',
      'raspi-gpio',
      'pinctrl',
      'scutil',
      'systemsetup',
      'networksetup',
      'domainname',
      'ntpdate',
      'chronyc',
      'machine-id-setup',
      'systemd-machine-id-setup',
      'rfkill',
      'bluetoothctl',
      'fsutil',
      'attrib',
      'icacls',
      'takeown',
      'cipher',
      'wevtutil',
      'clear-eventlog',
    ],
    matches: (c) => {
      const text = c.args.join(' ');
      switch (c.name) {
        case 'gsettings':
        case 'dconf':
          return /^(set|reset|reset-recursively|write|load|update)\b/.test(text);
        case 'defaults':
          return /\b(write|delete|rename|import|delete-all)\b/.test(text);
        case 'date':
          return has(c, '-s', '--set') || /^\d{8,12}(\.\d\d)?$/.test(operands(c)[0] ?? '');
        case 'hwclock':
          return has(c, '-w', '-s', '--systohc', '--hctosys', '--set', '--adjust');
        case 'hostname':
        case 'domainname':
          return operands(c).length > 0 || has(c, '-F', '-b');
        case 'timedatectl':
        case 'localectl':
        case 'hostnamectl':
          return /\b(set-|hostname \S|set |deployment \S|location \S|chassis \S|icon-name \S|revert)/.test(text);
        case 'nvidia-smi':
          return exact(
            c,
            '--gpu-reset',
            '-r',
            '-pm',
            '-pl',
            '-e',
            '-c',
            '-mig',
            '-lgc',
            '-ac',
            '--power-limit',
            '--persistence-mode',
          );
        case 'cpupower':
          return /\bset\b|frequency-set|idle-set/.test(text);
        case 'reg':
          return /^(delete|add|import|restore|unload|copy)\b/i.test(text);
        case 'chronyc':
          return /\b(makestep|delete|offline|reset|settime|shutdown)\b/.test(text);
        case 'rfkill':
          return /\b(block|toggle)\b/.test(text);
        case 'bluetoothctl':
          return /\b(remove|disconnect|power off|block|reset)\b/.test(text);
        case 'powerprofilesctl':
        case 'tuned-adm':
          return /^(set|profile|off)\b/.test(text);
        case 'plutil':
        case 'PlistBuddy':
          return /-(replace|remove|insert|convert)\b|\b(Set|Delete|Add|Clear|Merge)\b/.test(text);
        case 'scutil':
        case 'systemsetup':
        case 'networksetup':
          return /-(set|remove|delete)/.test(text);
        case 'wevtutil':
          return /^(cl|clear-log|sl)\b/.test(text);
        case 'xfconf-query':
          return has(c, '-s', '-r', '--set', '--reset', '-T');
        case 'chsh':
        case 'chfn':
          return !has(c, '-l', '--list-shells');
        case 'authselect':
          return /^(select|apply-changes|enable-feature|disable-feature|opt-out|backup-(remove|restore))/.test(text);
        case 'raspi-gpio':
        case 'pinctrl':
          return /\bset\b/.test(text);
        case 'alternatives':
          return exact(c, '--set', '--remove', '--auto', '--config', '--remove-all');
        case 'attrib':
          return /[-+][rash]/i.test(text);
        case 'systemd-machine-id-setup':
        case 'locale-gen':
        case 'ntpdate':
          return !has(c, '-q', '--print');
        default:
          return c.args.length > 0;
      }
    },
    stops: [
      'gsettings reset-recursively org.gnome.desktop',
      'date -s "2020-01-01"',
      'timedatectl set-time 2020-01-01',
      'hostnamectl set-hostname x',
      'defaults delete com.apple.x',
      'dconf reset -f /',
      'hwclock --systohc',
      'hostname newname',
    ],
    passes: [
      'date',
      'date +%F',
      'timedatectl',
      'hostnamectl',
      'gsettings get a b',
      'hostname',
      'hostname -I',
      'nvidia-smi',
      'defaults read x',
      'date -d yesterday',
    ],
  },
];
