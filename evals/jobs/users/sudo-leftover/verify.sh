[ "$(ls /etc/sudoers.d | grep -v README | tr '\n' ' ')" = 'aish backup ' ] || fail "left: $(ls /etc/sudoers.d)"
visudo -c >/dev/null || fail 'sudoers is not valid'
