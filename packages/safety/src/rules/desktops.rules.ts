import { table } from './table.js';

export const DESKTOPS = table`
rule    desktop.ends  low  closes, clears or removes something on a desktop
why     a window, a list or a setting of the session is gone, with anything unsaved

program xdotool ydotool   loses ... windowkill|windowclose|windowquit|set_desktop_for_window   stops xdotool windowkill 5   passes xdotool getactivewindow ; xdotool search x
program bspc   loses ... -k|--kill|-c|--close|-r|--remove|--remove-desktops, quit, rule -r|--remove, wm -l|--load-state   stops bspc node -k ; bspc monitor x -r y   passes bspc query -T
program herbstclient   loses close|quit|remove|remove_attr|merge_tag|unrule|keyunbind|mouseunbind|reload|close_or_remove|wmexec
  stops   herbstclient close   passes herbstclient layout
program hyprctl   loses dispatch killactive|closewindow|exit|forcerendererreload|killwindow, kill|reload, output remove, plugin unload, dismissnotify
  stops   hyprctl dispatch killactive ; hyprctl output remove x   passes hyprctl clients
program niri   loses msg action close-window|quit|power-off-monitors   stops niri msg action close-window   passes niri msg windows
program openbox   loses --exit|--restart|--replace   stops openbox --exit   passes openbox --reconfigure
program kwin kwin_x11 kwin_wayland plasmashell marco mutter metacity gnome-shell compiz xfwm4 cinnamon muffin   loses --replace|-r   stops kwin --replace   passes kwin --help
program dunstctl   loses close|close-all|history-clear|history-rm|rule   stops dunstctl history-clear   passes dunstctl history ; dunstctl count
program makoctl   loses dismiss|reload, mode -r|-s   stops makoctl dismiss --all ; makoctl mode -r x   passes makoctl list ; makoctl mode
program swaync-client   loses -C|--close-all|--close-latest|-R|--reload-config   stops swaync-client --close-all   passes swaync-client -c
program xrandr wlr-randr   loses --rmmode|--delmode|--delmonitor|--off   stops xrandr --rmmode x ; xrandr --output VGA-1 --off   passes xrandr ; xrandr --query
program xinput   loses disable|delete-prop|remove-master|float, --disable|--delete-prop|--remove-master|--float   stops xinput disable 5   passes xinput list
program pulseaudio   loses -k|--kill   stops pulseaudio -k   passes pulseaudio --check
program pw-link   loses -d|--disconnect   stops pw-link -d a b   passes pw-link -l
program pw-metadata   loses -d|--delete   stops pw-metadata -d   passes pw-metadata
program wpctl   loses clear-default   stops wpctl clear-default   passes wpctl status
program alsactl   loses init|restore|kill   stops alsactl init   passes alsactl store -f a
program audtool   loses playlist-clear|playlist-delete|playqueue-clear|playqueue-remove|shutdown|playback-stop|delete-current-playlist, --*-clear|--*-delete|--shutdown|--playback-stop
  stops   audtool playlist-clear   passes audtool current-song
program cupsctl   loses --no-*   stops cupsctl --no-remote-admin   passes cupsctl
program lpmove   loses *   stops lpmove a b   passes lpmove --help
program cupsenable cupsaccept   loses -c   stops cupsenable -c office   passes cupsenable office
program lp   loses -i -H=hold|immediate|restart   stops lp -i 5 -H hold   passes lp a.pdf
program kpackagetool5 kpackagetool6 plasmapkg2   loses -r|--remove|-u|--upgrade   stops kpackagetool5 -r x   passes kpackagetool5 -l
program unopkg   loses remove|reinstall   stops unopkg remove x   passes unopkg list
program kitty kitten   loses @ close-window|close-tab|detach-window   stops kitty @ close-window   passes kitty @ ls
program tmux   loses delete-buffer|deleteb|unbind-key|unbind|detach-client|unlink-window|unlinkw|suspend-client   stops tmux delete-buffer   passes tmux list-buffers
program byobu-disable byobu-disable-prompt byobu-quiet   loses ...   stops byobu-disable   passes byobu-disable --help
program redshift gammastep   loses -x|-P   stops redshift -x   passes redshift -p
program xset   loses -dpms, b|s off   stops xset -dpms ; xset s off   passes xset q
program xmodmap   loses -e=*clear*|*remove*|*=*   stops xmodmap -e 'clear Lock'   passes xmodmap -pke
program xsel   loses -c|--clear|-d|--delete   stops xsel -bc   passes xsel -b
program virt-xml   loses --remove-device|--edit   stops virt-xml vm --remove-device --disk all   passes virt-xml vm --print-xml --build-xml --disk x
`;
