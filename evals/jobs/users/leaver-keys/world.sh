for u in anna carol; do useradd -m $u; install -d -o $u -g $u -m 700 /home/$u/.ssh; done
printf 'ssh-ed25519 AAAA1 anna@desk\nssh-ed25519 AAAA2 bob@laptop\nssh-ed25519 AAAA3 anna@phone\n' > /home/anna/.ssh/authorized_keys
printf 'ssh-ed25519 AAAA4 carol@desk\nssh-ed25519 AAAA5 bobby@desk\n' > /home/carol/.ssh/authorized_keys
install -d -m 700 /root/.ssh; printf 'ssh-ed25519 AAAA6 bob@phone\nssh-ed25519 AAAA7 root@vault\n' > /root/.ssh/authorized_keys
chown anna:anna /home/anna/.ssh/authorized_keys; chown carol:carol /home/carol/.ssh/authorized_keys; chmod 600 /home/anna/.ssh/authorized_keys
