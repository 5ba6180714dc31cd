[ "$(cat /home/anna/.ssh/authorized_keys)" = "$(printf 'ssh-ed25519 AAAA1 anna@desk\nssh-ed25519 AAAA3 anna@phone')" ] || fail 'keys of anna'
[ "$(cat /root/.ssh/authorized_keys)" = 'ssh-ed25519 AAAA7 root@vault' ] || fail 'keys of root'
[ "$(stat -c %U:%a /home/anna/.ssh/authorized_keys)" = anna:600 ] || fail 'anna no longer owns her file'
