for p in jellyfin jellyfin photoprism jellyfin mariadbd; do echo "Nov 2 kernel: Out of memory: Killed process $RANDOM ($p) total-vm:9000kB"; echo "Nov 2 kernel: $p invoked oom-killer: gfp_mask=0x0"; done > kern.log
echo 'Nov 3 kernel: usb 1-1: new device' >> kern.log
