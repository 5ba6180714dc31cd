import type { Command } from '../shell/command.js';
import { table } from './table.js';

export const HOMES = table`
rule    home.automation  medium  switches, resets or removes something in a home
why     a device, an automation or its history is changed

program ha
  complete
  loses   ... update|repair|restore|remove|uninstall|restart|stop|reboot|shutdown|rebuild|wipe|reset|rollback|delete|options
  loses   ... import|migrate|unmount|disable|move
  unless  ... info|logs|list|check|stats
  stops   ha core update ; ha supervisor repair
  passes  ha core info ; ha backups new
program hass-cli homeassistant-cli
  loses   raw delete|put, state edit|delete, entity delete|rename, area delete, device delete|assign
  odd     ${callTakesAway}  which service is called is in the words behind it
  stops   hass-cli service call light.turn_off --arguments entity_id=light.x
  passes  hass-cli state list ; hass-cli service call light.turn_on
program mosquitto_pub
  loses   -n|--null-message
  odd     ${takesAway}  what the device is told is in the topic or the payload
  stops   mosquitto_pub -t home/x/set -m OFF ; mosquitto_pub -t home/x -r -n
  passes  mosquitto_pub -t home/x -m '21.5'
program cec-client
  odd     ${tellsDevices}  its commands are in its input
  stops   cec-client -s <<< 'standby 0'
  passes  cec-client -l
program esphome   loses run|upload|clean|clean-mqtt|clean-all|rename   stops esphome run x.yaml   passes esphome compile x.yaml
program idevicerestore   loses ...   unless -l|--list|--info   stops idevicerestore -e a.ipsw   passes idevicerestore --help
program espota.py   loses ...   stops espota.py -i 10.0.0.5 -f a.bin   passes espota.py --help
program snmpset   loses * *   stops snmpset -v2c -c private sw 1.3.6 i 2   passes snmpset --help
program platformio pio
  dry     --dry-run
  loses   ... uninstall|prune|update|upgrade, -t|--target=upload|erase|clean|fullclean|uploadfs
  stops   pio pkg uninstall x
  passes  pio run
program vcgencmd   loses set*|display_power   stops vcgencmd display_power 0   passes vcgencmd measure_temp
program fastboot
  loses   ... flashall|flashing|reboot*|set_active|boot|delete-logical-partition|wipe*
  stops   fastboot set_active a ; fastboot boot a.img
  passes  fastboot devices
program rfkill   loses block|toggle   stops rfkill block wifi   passes rfkill list
program ola_set_dmx   loses ...   stops ola_set_dmx -u 1 -d 0,0   passes ola_set_dmx --help
program tasmotizer   loses *, -*   stops tasmotizer --port x   passes tasmotizer --help

rule    home.storage-server  high  changes data or settings of a storage server
why     its middleware changes pools, datasets, shares and services at once

program midclt
  odd     ${callsMore}  a method is harmless by how its last part begins
  stops   midclt call pool.export 1
  passes  midclt call pool.query ; midclt call system.info
program omv-rpc omv-confdbadm synoshare synouser synoservicectl qcli_volume cli
  odd     ${changesStorage}  the word may stand within an argument or an option
  stops   omv-rpc Services delete x
  passes  omv-rpc Services getStatus

rule    home.media  medium  removes or rewrites media, or stops a media player
why     files of a library are deleted, renamed or rewritten

program transmission-remote
  loses   --remove|--remove-and-delete|-rad|--stop|--exit|--move|--trash-torrent
  odd     ${endsTorrent}  -r and -S are also letters of longer options with one dash
  stops   transmission-remote -t 1 --remove-and-delete ; transmission-remote -t all -r
  passes  transmission-remote -l ; transmission-remote -er
program qbt deluge-console rtcontrol
  odd     ${endsDownload}  the command may be one quoted argument
  stops   deluge-console 'rm x' ; qbt torrent delete x
  passes  qbt torrent list
program beet
  dry     -p --pretend
  loses   remove|rm|move|mv|modify|mod|write|update|up|convert|zero|scrub|import|fetchart|embedart|clearart|replaygain|lastgenre
  loses   duplicates -d|--delete|-m|--move
  stops   beet rm x ; beet move
  passes  beet ls x ; beet duplicates
program filebot   loses -rename !--action=test|copy|hardlink|symlink   stops filebot -rename x   passes filebot -rename x --action test
program kodi-send
  odd     ${stopsPlayer}  names of actions are written in any case
  stops   kodi-send --action=Quit
  passes  kodi-send --action=Play
program mkvpropedit
  loses   --delete*|--set*|--edit*|--replace*|--add*|-a|-d|-s|-e|--tags|--chapters
  stops   mkvpropedit a.mkv --delete-attachment 1
  passes  mkvpropedit --help
program mid3v2 id3v2 eyeD3
  odd     ${writesTags}  every option writes but those that print
  stops   mid3v2 -a x a.mp3
  passes  mid3v2 -l a.mp3
program metaflac
  loses   --remove*|--set*|--import*|--dont-use-padding|--add-replay-gain|--sort*
  stops   metaflac --remove-all-tags a.flac
  passes  metaflac --list a.flac
program yt-dlp youtube-dl
  loses   --rm-cache-dir|--force-overwrites|--yes-overwrites|-U|--update
  stops   yt-dlp --rm-cache-dir
  passes  yt-dlp url
program cmus-remote   loses -s|--stop|--clear   stops cmus-remote -s   passes cmus-remote -Q
program pngquant   loses -f|--force, --ext=.png   stops pngquant --ext .png a.png   passes pngquant a.png
program oxipng svgo   loses *   unless --out|-o|--stdout|--pretend|-P|--dir   stops oxipng a.png   passes oxipng --stdout a.png
program mp3gain rsgain   loses *   unless -s|-x   stops mp3gain a.mp3   passes mp3gain -s c a.mp3
`;

/** Commands to a device or a service of a home, in a topic, a payload or a call. */
const TAKES_AWAY =
  /\b(turn_off|toggle|off|restart|reboot|reset|delete|remove|stop|shutdown|clear|purge|factory|erase|lock|unlock|disarm|close_cover|restore|reload|standby|quit|poweroff)\b/i;
const textOf = (c: Command): string => c.args.join(' ');

function takesAway(c: Command): boolean {
  return TAKES_AWAY.test(textOf(c).replace(/[/_"{}:]/g, ' '));
}

function callTakesAway(c: Command, operands: readonly string[]): boolean {
  return /^(service call|raw post)\b/.test(operands.join(' ')) && TAKES_AWAY.test(textOf(c));
}

function tellsDevices(c: Command): boolean {
  return c.input.kind === 'text' && /\b(standby|on|as|is|volup|voldown|mute|tx|q)\b/.test(c.input.text);
}

function callsMore(_: Command, operands: readonly string[]): boolean {
  return operands.some((word) =>
    /^[\w.]+\.(?!(get|query|list|info|config|choices|is|has|status|stats|ping|read)\w*$)\w+$/.test(word),
  );
}

function changesStorage(c: Command): boolean {
  return /\b(delete|remove|export|destroy|set|--del\w*|--stop|--restart|--hard-stop|update|del)\b/i.test(textOf(c));
}

function endsTorrent(c: Command): boolean {
  return c.args.some((arg) => /^-(r|S|t\d+r)$/.test(arg));
}

function endsDownload(c: Command): boolean {
  return /\b(delete|del|rm|remove|pause|stop|cull|halt)\b|--(cull|delete|stop|purge)/.test(textOf(c));
}

function stopsPlayer(c: Command): boolean {
  return /quit|reboot|shutdown|powerdown|suspend|hibernate|stop|clean|reset/i.test(textOf(c));
}

function writesTags(c: Command): boolean {
  return c.args.some((arg) => /^-(?!l$|L$|v$|h$|-list|-version|-no-color)/.test(arg));
}
