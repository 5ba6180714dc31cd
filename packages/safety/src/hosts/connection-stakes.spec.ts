import { describe, expect, it } from '@jest/globals';
import { connectionStakes, type Stake } from './connection-stakes.js';

const ALL = ['firewall', 'sshd', 'network', 'dns'];

describe('the stakes of a connection', () => {
  it.each<[string, readonly Stake[]]>([
    ['nft add rule inet filter input tcp dport 22 drop', ['firewall']],
    ['nft -f /etc/nftables.conf', ['firewall']],
    ['sudo iptables -P INPUT DROP', ['firewall']],
    ['iptables-restore < /root/rules.v4', ['firewall']],
    ['ufw enable', ['firewall']],
    ['ufw --force enable && ufw allow 80', ['firewall']],
    ['firewall-cmd --permanent --remove-service=ssh; firewall-cmd --reload', ['firewall']],
    ['systemctl restart nftables', ['firewall']],
    ['systemctl enable --now ufw.service', ['firewall']],
    ["sed -i 's/22/2222/' /etc/ssh/sshd_config", ['sshd']],
    ['echo Port 2222 >> /etc/ssh/sshd_config.d/port.conf', ['sshd']],
    ['echo Port 2222 | sudo tee /etc/ssh/sshd_config.d/port.conf', ['sshd']],
    ['systemctl restart ssh', ['sshd']],
    ['systemctl stop ssh.socket', ['sshd']],
    ['service ssh restart', ['sshd']],
    ['/etc/init.d/ssh stop', ['sshd']],
    ['sv down /etc/service/sshd', ['sshd']],
    ['pkill -HUP sshd', ['sshd']],
    ['kill $(cat /run/sshd.pid)', ['sshd']],
    ['rm ~/.ssh/authorized_keys', ['sshd']],
    ['ip route del default', ['network']],
    ['ip link set eth0 down', ['network']],
    ['ip addr add 10.0.0.9/24 dev eth0', ['network']],
    ['ifdown eth0 && ifup eth0', ['network']],
    ['netplan apply', ['network']],
    ['nmcli connection down lan', ['network']],
    ['cp new.yaml /etc/netplan/01.yaml && netplan try', ['network']],
    ['systemctl restart systemd-networkd', ['network']],
    ['wg-quick down wg0', ['network']],
    ['echo nameserver 1.1.1.1 > /etc/resolv.conf', ['dns']],
    ['systemctl restart systemd-resolved', ['dns']],
    ['resolvectl dns eth0 1.1.1.1', ['dns']],
    ["sh -c 'nft flush ruleset; systemctl restart ssh'", ['firewall', 'sshd']],
    ['nohup sh -c "sleep 2; systemctl restart ssh" &', ['sshd']],
    ['for p in 80 443; do ufw allow $p; done; ip link set eth1 up', ['firewall', 'network']],
  ])('`%s` puts these parts of the connection at risk: %j', (command, kinds) => {
    expect(connectionStakes(command)).toEqual({ kinds, lasting: [], hidden: [] });
  });

  it.each([
    'nft list ruleset',
    'iptables -L -n',
    'iptables-save',
    'ufw status',
    'ip a; ip route; ip -br link',
    'systemctl status ssh',
    'cat /etc/ssh/sshd_config',
    'grep Port /etc/ssh/sshd_config | tee /tmp/ports',
    'cp /etc/resolv.conf /root/',
    'systemctl restart nginx',
    'docker restart web',
    '/etc/init.d/app restart',
    'docker exec web iptables -P INPUT DROP',
    'docker exec web sh /app/run.sh',
    'pct exec 101 -- systemctl restart ssh',
    "ssh other 'nft flush ruleset'",
    'ip netns exec blue iptables -F',
    'touch /tank/x',
    'git -C /srv/app commit -qm x',
    'rm -rf /tank/x',
    'kill 12',
  ])('`%s` puts no part of the connection at risk', (command) => {
    expect(connectionStakes(command)).toEqual({ kinds: [], lasting: [], hidden: [] });
  });

  it.each<[string, string]>([
    ['./firewall.sh', './firewall.sh'],
    ['cd /opt && sh fmt.sh', 'sh fmt.sh'],
    ['make -C /srv deploy', 'make'],
    ['ansible-playbook site.yml', 'ansible-playbook site.yml'],
  ])('`%s`, which cannot be read, puts every part of the connection at risk', (command, part) => {
    expect(connectionStakes(command)).toMatchObject({ kinds: ALL, hidden: [expect.stringContaining(part)] });
  });

  it('a script next to a readable change puts every part of the connection at risk, and the readable change is named', () => {
    expect(connectionStakes('./x.sh && nft flush ruleset')).toEqual({ kinds: ALL, lasting: [], hidden: [] });
  });

  it.each<[string, string]>([
    ['tc qdisc add dev eth0 root netem loss 100%', 'tc'],
    ['sysctl -w net.ipv4.conf.all.rp_filter=1', 'sysctl'],
    ['modprobe -r e1000e', 'modprobe'],
  ])('`%s` changes something that no host can restore', (command, name) => {
    expect(connectionStakes(command)).toEqual({ kinds: [], lasting: [name], hidden: [] });
  });
});
