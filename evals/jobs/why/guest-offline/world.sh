case $machine in
  pve)
    lab reset <<'STATE'
{"zfs": {}, "snapshots": {}, "memory": 34816, "guests": {
  "101": {"kind": "qm", "name": "media", "status": "running", "memory": 28672, "onboot": 1, "starts": 1},
  "102": {"kind": "qm", "name": "cloud", "status": "running", "memory": 4096, "onboot": 1, "starts": 1},
  "103": {"kind": "pct", "name": "dns", "status": "running", "memory": 512, "onboot": 1, "starts": 1},
  "104": {"kind": "qm", "name": "home", "status": "stopped", "memory": 4096, "onboot": 0, "starts": 1}}}
STATE
    mkdir -p /var/log/pve && printf '2026-11-27 22:00:04 root vzdump 101 102 103 104: OK\n2026-11-28 02:13:07 root qm set 101 --memory 28672: OK\n2026-11-28 02:14:31 kernel out of memory: killed process 2210 (kvm, guest 104)\n2026-11-28 02:14:33 root qm set 104 --onboot 0: OK\n2026-11-28 06:02:00 root qm start 104: cannot allocate 4096 MB: 1536 MB are free\n' > /var/log/pve/tasks.log
    ;;
  nas) mkdir -p /srv/docs && printf 'id name memory onboot\n101 media 8192 1\n102 cloud 4096 1\n103 dns 512 1\n104 home 4096 1\n' > /srv/docs/guests.txt && chown aish /srv/docs ;;
esac
