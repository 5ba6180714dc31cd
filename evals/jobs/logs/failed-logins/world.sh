f() { for n in $(seq $2); do echo "Nov 24 03:1$((n%10)):00 nas sshd[$n]: Failed password for ${3:-root} from $1 port 4$n ssh2"; done; }
{ f 203.0.113.9 40; f 198.51.100.7 25 'invalid user admin'; f 192.0.2.44 12; f 192.0.2.45 3
for n in $(seq 60); do echo "Nov 24 04:00:00 nas sshd[$n]: Accepted publickey for aish from 192.168.1.20 port 5$n ssh2"; done; } > auth.log
