useradd backup2
echo 'backup2 ALL=(root) NOPASSWD: /usr/bin/rsync' > /etc/sudoers.d/backup
echo 'oldadmin ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/oldadmin
echo 'trainee ALL=(ALL) ALL' > /etc/sudoers.d/50-trainee
chmod 440 /etc/sudoers.d/*
