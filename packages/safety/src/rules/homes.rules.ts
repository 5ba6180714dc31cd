import type { Command } from '../shell/command.js';
import { exact, has, operands, path } from './arguments.js';
import type { Rule } from './rule.js';

/** What a device or a service of a home is told, in a topic, a payload or a call. */
const TAKES_AWAY =
  /\b(turn_off|toggle|off|restart|reboot|reset|delete|remove|stop|shutdown|clear|purge|factory|erase|lock|unlock|disarm|close_cover|restore|reload|standby|quit|poweroff)\b/i;

export const HOMES: readonly Rule[] = [
  {
    id: 'home.automation',
    title: 'switches, resets or removes something in a home',
    why: 'a device, an automation or its history is not as it was before',
    severity: 'medium',
    tools: [
      'ha',
      'hass-cli',
      'homeassistant-cli',
      'mosquitto_pub',
      'esphome',
      'esptool',
      'esptool.py',
      'espota.py',
      'kasa',
      'tuya-cli',
      'cec-client',
      'zwave-js',
      'openhab-cli',
      'snmpset',
      'avrdude',
      'arduino-cli',
      'platformio',
      'pio',
      'tasmotizer',
      'deconz',
      'ola_set_dmx',
      'irsend',
      'rfkill',
      'vcgencmd',
      'rpi-update',
      'rpi-eeprom-update',
      'raspi-config',
      'idevicerestore',
      'fastboot',
      'heimdall',
      'dfu-util',
      'st-flash',
      'openocd',
    ],
    matches: (c) => home(c),
    stops: [
      'ha core update',
      'ha supervisor repair',
      'hass-cli service call light.turn_off --arguments entity_id=light.x',
      'mosquitto_pub -t home/x/set -m OFF',
      'mosquitto_pub -t home/x -r -n',
      'esphome run x.yaml',
      "cec-client -s <<< 'standby 0'",
      'kasa --host 10.0.0.5 off',
      'openhab-cli clean-cache',
      'snmpset -v2c -c private sw 1.3.6 i 2',
    ],
    passes: [
      'ha core info',
      'ha backups new',
      'hass-cli state list',
      "mosquitto_pub -t home/x -m '21.5'",
      'esphome compile x.yaml',
      'esptool.py chip_id',
      'kasa discover',
      'pio run',
    ],
  },
  {
    id: 'home.storage-server',
    title: 'changes what a storage server holds',
    why: 'its middleware does at once what is called: pools, datasets, shares and services go with it',
    severity: 'high',
    tools: ['midclt', 'cli', 'omv-rpc', 'omv-confdbadm', 'synoshare', 'synouser', 'synoservicectl', 'qcli_volume'],
    matches: (c) =>
      c.name === 'midclt'
        ? operands(c).some((word) =>
            /^[\w.]+\.(?!(get|query|list|info|config|choices|is|has|status|stats|ping|read)\w*$)\w+$/.test(word),
          )
        : /\b(delete|remove|export|destroy|set|--del\w*|--stop|--restart|--hard-stop|update|del)\b/i.test(
            c.args.join(' '),
          ),
    stops: ['midclt call pool.export 1', 'omv-rpc Services delete x'],
    passes: ['midclt call pool.query', 'midclt call system.info', 'omv-rpc Services getStatus'],
  },
  {
    id: 'home.media',
    title: 'removes or rewrites media, or stops what plays them',
    why: 'files of a library are deleted, renamed or rewritten',
    severity: 'medium',
    tools: [
      'transmission-remote',
      'qbt',
      'deluge-console',
      'rtcontrol',
      'aria2rpc',
      'beet',
      'filebot',
      'kodi-send',
      'mpc',
      'immich-admin',
      'mkvpropedit',
      'mid3v2',
      'id3v2',
      'eyeD3',
      'metaflac',
      'mp3gain',
      'rsgain',
      'calibredb',
      'tdarr',
      'yt-dlp',
      'youtube-dl',
      'playerctl',
      'cmus-remote',
      'pngquant',
      'oxipng',
      'svgo',
      'qpdf',
    ],
    matches: (c) => media(c),
    stops: [
      'transmission-remote -t 1 --remove-and-delete',
      'transmission-remote -t all -r',
      'beet rm x',
      'beet move',
      'filebot -rename x',
      'mkvpropedit a.mkv --delete-attachment 1',
      'calibredb remove 5',
      'yt-dlp --rm-cache-dir',
      'qpdf --replace-input a.pdf',
      'kodi-send --action=Quit',
    ],
    passes: ['transmission-remote -l', 'beet ls x', 'calibredb list', 'yt-dlp url', 'mpc status', 'qpdf --check a.pdf'],
  },
];

function home(c: Command): boolean {
  const text = path(c);
  const words = c.args.join(' ');
  switch (c.name) {
    case 'ha':
      return (
        /\b(update|repair|restore|remove|uninstall|restart|stop|reboot|shutdown|rebuild|wipe|reset|rollback|delete|options|import|migrate|unmount|disable|move)\b/.test(
          text,
        ) && !/\b(info|logs|list|check|stats)\b/.test(text)
      );
    case 'hass-cli':
    case 'homeassistant-cli':
      return (
        /^(service call|raw (post|delete|put)|state (edit|delete)|entity (delete|rename)|area delete|device (delete|assign))\b/.test(
          text,
        ) &&
        (!/^(service call|raw post)/.test(text) || TAKES_AWAY.test(words))
      );
    case 'mosquitto_pub':
      return has(c, '-n', '--null-message') || TAKES_AWAY.test(words.replace(/[/_"{}:]/g, ' '));
    case 'esphome':
      return /^(run|upload|clean|clean-mqtt|clean-all|rename)\b/.test(text);
    case 'esptool':
    case 'esptool.py':
    case 'espota.py':
      return c.name === 'espota.py' || /\b(erase|write)[-_]/.test(words);
    case 'cec-client': {
      const told = c.input.kind === 'text' ? c.input.text : '';
      return /\b(standby|on|as|is|volup|voldown|mute|tx|q)\b/.test(told);
    }
    case 'kasa':
    case 'tuya-cli':
      return /\b(off|reset|reboot|remove|toggle|set|update|raw-command|unpair)\b/.test(text);
    case 'irsend':
      return /^send/i.test(text) && TAKES_AWAY.test(words.replace(/_/g, ' '));
    case 'snmpset':
      return operands(c).length > 1;
    case 'openhab-cli':
      return /^(clean-cache|reset-ownership|restore|stop|restart)\b/.test(text);
    case 'arduino-cli':
      return /^(upload|burn-bootloader|cache clean|core (uninstall|upgrade)|lib (uninstall|upgrade)|compile .*-u)\b/.test(
        text,
      );
    case 'platformio':
    case 'pio':
      return /-t\s*(upload|erase|clean|fullclean|uploadfs)\b|\b(uninstall|prune|update|upgrade)\b/.test(words);
    case 'avrdude':
      return /-U\s*\w+:w:|-e\b/.test(words);
    case 'vcgencmd':
      return /\bset|display_power\b/.test(text);
    case 'rpi-eeprom-update':
      return has(c, '-a', '-d', '-f', '-r');
    case 'raspi-config':
      return /\bnonint do_/.test(text);
    case 'fastboot':
    case 'heimdall':
      return (
        /\b(flash\w*|erase|format|oem|flashing|reboot\S*|update|set_active|boot|delete-logical-partition|wipe\S*)\b/.test(
          text,
        ) || has(c, '-w')
      );
    case 'st-flash':
      return /^(write|erase|reset)\b/.test(text);
    case 'dfu-util':
      return has(c, '-D', '--download', '-e');
    case 'openocd':
      return /\b(program|erase|write_image|reset)\b/.test(words);
    case 'rfkill':
    case 'ola_set_dmx':
      return c.name === 'ola_set_dmx' || /\b(block|toggle)\b/.test(text);
    default:
      return !has(c, '-l', '--list', '--info');
  }
}

function media(c: Command): boolean {
  const text = path(c);
  const words = c.args.join(' ');
  switch (c.name) {
    case 'transmission-remote':
      return (
        has(c, '--remove', '--remove-and-delete', '-rad', '--stop', '--exit', '--move', '--trash-torrent') ||
        c.args.some((arg) => /^-(r|S|t\d+r)$/.test(arg))
      );
    case 'qbt':
    case 'deluge-console':
    case 'rtcontrol':
      return /\b(delete|del|rm|remove|pause|stop|cull|halt)\b|--(cull|delete|stop|purge)/.test(words);
    case 'beet':
      return /^(remove|rm|move|mv|modify|mod|write|update|up|convert|zero|scrub|import|fetchart|embedart|clearart|duplicates|replaygain|lastgenre)\b/.test(
        text,
      )
        ? !has(c, '-p', '--pretend') && !(text.startsWith('duplicates') && !has(c, '-d', '--delete', '-m', '--move'))
        : false;
    case 'filebot':
      return exact(c, '-rename') && !/--action\s+(test|copy|hardlink|symlink)\b/.test(words);
    case 'kodi-send':
      return /quit|reboot|shutdown|powerdown|suspend|hibernate|stop|clean|reset/i.test(words);
    case 'mpc':
      return /^(clear|stop|del|delete|rm|crop|clearerror|move|shuffle|playlist-clear)\b/.test(text);
    case 'immich-admin':
      return /reset|disable|enable|delete|change/.test(text);
    case 'mkvpropedit':
      return /--(delete|set|edit|replace|add)|-[adse]\b|--tags|--chapters/.test(words);
    case 'mid3v2':
    case 'id3v2':
    case 'eyeD3':
      return c.args.some((arg) => /^-(?!l$|L$|v$|h$|-list|-version|-no-color)/.test(arg));
    case 'metaflac':
      return /--(remove|set|import|dont-use-padding|add-replay-gain|sort)/.test(words);
    case 'calibredb':
      return /^(remove|remove_\S+|set_\S+|restore_database|backup_metadata|clone|embed_metadata)\b/.test(text);
    case 'yt-dlp':
    case 'youtube-dl':
      return exact(c, '--rm-cache-dir', '--force-overwrites', '--yes-overwrites') || has(c, '-U', '--update');
    case 'playerctl':
    case 'cmus-remote':
      return /^stop\b/.test(text) || has(c, '-s', '--stop', '--clear');
    case 'pngquant':
      return has(c, '-f', '--force') || /--ext[ =]\.png/.test(words);
    case 'oxipng':
    case 'svgo':
      return operands(c).length > 0 && !has(c, '--out', '-o', '--stdout', '--pretend', '-P', '--dir');
    case 'qpdf':
      return exact(c, '--replace-input');
    case 'mp3gain':
    case 'rsgain':
      return operands(c).length > 0 && !has(c, '-s', '-x');
    default:
      return /\b(delete|remove|cancel|purge)\b/i.test(text);
  }
}
