import { table } from './table.js';

/** Verbs of machine managers that stop or remove a machine. */
const ENDS =
  '... destroy|delete|del|remove|rm|stop|shutdown|halt|poweroff|restart|reboot|reset|suspend|pause|kill|forget|' +
  'purge|restore|revert*|rollback|prune|update|upgrade|rename|move|unregister|detach|rebuild|resize|edit|set|unset|' +
  'evacuate|terminate|format|clean|wipe';
const LOOKS = 'list|ls|info|find|show|status, create|init|launch|start|up, config|device|profile|network show|list|get';

export const MACHINES = table`
rule    proxmox.change  critical  destroys, stops or changes a guest of Proxmox
why     the guest stops, or its disks are deleted or replaced

program qm
  abbreviates subcommands
  loses   destroy -> the machine, its disks and its settings
  loses   stop|shutdown|reset|reboot|suspend|nbdstop -> what runs in the machine
  loses   rollback -> all that came after the snapshot
  loses   delsnapshot -> the snapshot, and with it that state
  loses   set|template|unlock|sendkey, guest passwd, cloudinit update -> how the machine was set up
  loses   resize|rescan|unlink|importdisk|importovf, move-disk|move_disk|move-volume|move_volume, disk unlink|move|resize|import|rescan -> what the disk was or where it lay
  loses   migrate|remote-migrate|mtunnel|restore -> the machine as it ran here
  makes   start|resume|create|clone|snapshot|import|monitor|terminal|wait|agent|vncproxy|help, guest cmd|exec
  reads   list|config|status|listsnapshot|showcmd|pending, guest exec-status, cloudinit dump|pending
  harmless --full --verbose --current --snapshot --pretty
  stops   qm destroy 101 --purge ; qm des 101 ; qm stop 101 ; qm rollback 101 snap ; qm set 101 --memory 1024
  passes  qm list ; qm sta 101 ; qm config 101 ; qm snapshot 101 a ; qm clone 100 101

program pct
  abbreviates subcommands
  loses   destroy -> the container, its disks and its settings
  loses   stop|shutdown|reboot|suspend -> what runs in the container
  loses   rollback -> all that came after the snapshot
  loses   delsnapshot -> the snapshot, and with it that state
  loses   set|template|unlock -> how the container was set up
  loses   resize|fsck|unmount, move-volume|move_volume -> what the disk was or where it lay
  loses   migrate|remote-migrate|restore -> the container as it ran here
  loses   push -> the file of that name in the container
  makes   start|resume|create|clone|snapshot|enter|exec|console|mount|pull|rescan|fstrim|keygen|help
  reads   list|config|status|listsnapshot|df|cpusets|pending
  harmless --verbose --current --snapshot
  stops   pct destroy 200 ; pct sh 200 ; pct stop 200 ; pct restore 200 a.tar --force
  passes  pct list ; pct enter 200 ; pct start 200

program pvesm
  abbreviates subcommands
  loses   free|remove|set|import, prune-backups !--dry-run|-dry-run
  makes   add|alloc|export|help|extractconfig
  reads   status|list|path, scan *, apiinfo
  harmless --storage --content --vmid --enabled -storage -content
  stops   pvesm free local:101/vm.qcow2 ; pvesm r local ; pvesm prune-backups local
  passes  pvesm status ; pvesm add dir x --path /mnt/x ; pvesm prune-backups local --dry-run

program pvesh
  loses   delete|set
  loses   create */stop|*/stopall|*/shutdown|*/reset|*/reboot|*/suspend|*/rollback|*/migrate|*/migrateall|*/resize
  loses   create */move_disk|*/destroy|*/wipedisk|*/vzdump|*/prunebackups|*/initgpt
  reads   get|ls|usage
  harmless --output-format --human-readable --noborder --type --verbose
  stops   pvesh delete /nodes/a/qemu/101 ; pvesh create /nodes/a/qemu/101/status/stop ; pvesh set /x -a 1
  passes  pvesh get /nodes ; pvesh create /nodes/a/qemu/101/status/start ; pvesh ls /

program pveum
  abbreviates subcommands
  loses   ... delete|del|remove|modify|mod|passwd|userdel|groupdel|roledel|acldel|usermod|aclmod|rolemod
  reads   user|group|role|acl|pool|realm|ticket list|permissions, user token list|permissions
  stops   pveum user delete x@pve ; pveum passwd x@pve ; pveum acl modify / --roles Admin
  passes  pveum user list ; pveum user add x@pve ; pveum role list

program pvecm
  abbreviates subcommands
  loses   delnode|expected|updatecerts|add|mtunnel, qdevice remove
  makes   create|help|keygen|apiver, qdevice setup|start
  reads   status|nodes
  stops   pvecm delnode b ; pvecm expected 1 ; pvecm deln b
  passes  pvecm status ; pvecm nodes

program ha-manager
  abbreviates subcommands
  loses   remove|set|migrate|relocate|crm-command, groupremove|groupset, rules remove|set
  makes   add|groupadd|help, rules add
  reads   status|config|groupconfig, rules list|config
  harmless --verbose
  stops   ha-manager remove vm:101 ; ha-manager migrate vm:101 b
  passes  ha-manager status ; ha-manager add vm:101

program qmrestore   loses *   stops qmrestore a.vma 101   passes qmrestore help

program pveceph
  loses   ... destroy|purge|stop, pool set, osd out|in
  reads   status, pool ls|get, osd details
  stops   pveceph osd destroy 3 ; pveceph purge ; pveceph pool set x --size 2
  passes  pveceph status ; pveceph pool ls ; pveceph start

program pvenode
  loses   stopall|migrateall, acme cert|account revoke|deactivate, cert delete|set, config set
  reads   config get, cert info, task list|log|status, acme account list|info
  stops   pvenode stopall ; pvenode cert delete ; pvenode config set --wakeonlan x
  passes  pvenode task list ; pvenode startall ; pvenode config get

program pveam
  loses   remove
  reads   available|list
  stops   pveam remove local:a
  passes  pveam update ; pveam list local

program pvesr   loses delete|disable|update   reads list|read|status   stops pvesr delete 1-0   passes pvesr list

program pve-firewall
  loses   stop|restart
  reads   status|compile|localnet
  stops   pve-firewall stop
  passes  pve-firewall status

program proxmox-backup-manager proxmox-backup-client proxmox-offline-mirror
  loses   ... remove|delete|forget|prune|destroy|update|restore|wipe|stop|unload, garbage-collection start
  unless  --dry-run|-dry-run
  reads   ... list|status|show|config|catalog|snapshots, version|versions
  harmless --repository --output-format --ns --all
  stops   proxmox-backup-manager datastore remove x ; proxmox-backup-manager garbage-collection start x
  passes  proxmox-backup-manager datastore list ; proxmox-backup-manager prune x --dry-run

rule    machine.virsh  critical  destroys, stops or changes a virtual machine
why     the machine stops as if its power was cut, or its disks and definition are deleted

program virsh
  values  -c --connect
  help    -h
  loses   destroy|shutdown|reboot|reset|suspend|dompmsuspend|inject-nmi|send-process-signal|managedsave|save -> what runs in the machine
  loses   domjobabort|domfsfreeze -> what runs in the machine
  loses   undefine|define|edit|domrename|domif-setlink|domiftune|metadata|update-device|change-media|detach-*|attach-*, autostart --disable -> how the machine was set up
  loses   setvcpus|setmem|setmaxmem|numatune|memtune|vcpupin|update-memory-device|set-user-password -> how the machine was set up
  loses   restore|migrate|managedsave-remove, snapshot-delete|snapshot-revert|checkpoint-delete|checkpoint-revert -> a state of the machine
  loses   vol-delete|vol-wipe|vol-resize|vol-upload|blockresize|blockcommit|blockpull|blockjob|blockcopy -> what was on the disk
  loses   pool-destroy|pool-delete|pool-undefine|secret-undefine -> a store of disks, or a secret
  loses   net-destroy|net-undefine|net-update|net-edit|nwfilter-undefine|iface-destroy|iface-undefine|iface-unbridge -> a network that machines use
  loses   nodedev-destroy|nodedev-detach|nodedev-undefine|qemu-monitor-command -> a device, or the machine that used it
  loses   qemu-agent-command !*guest-get*|*guest-info*|*guest-ping* -> what the agent in the machine is told to change
  reads   list|domblkerror|domblkinfo|domblklist|domblkstat|domcapabilities|domcontrol|domdisplay|domfsinfo|domhostname|domid|dominfo
  reads   domif-getlink|domifaddr|domiflist|domifstat|domjobinfo|dommemstat|domname|domstate|domstats|domtime|domuuid|dumpxml|version|nodeinfo|capabilities|sysinfo|hostname|uri|*-list|*-info|*-dumpxml|vcpuinfo|vcpucount|snapshot-current|snapshot-parent|vol-path|vol-key
  harmless -c --connect --tree --state-* --all --title --name --uuid --inactive --running --pool --details --full --source --domain
  stops   virsh destroy vm ; virsh undefine vm --remove-all-storage ; virsh -c qemu:///system destroy vm
  stops   virsh net-destroy default
  passes  virsh list --all ; virsh start vm ; virsh dumpxml vm ; virsh snapshot-create vm ; virsh console vm

rule    machine.other  high  destroys, stops or changes a virtual machine
why     the machine stops, or its disks are deleted or replaced

program vagrant
  help    -h
  loses   destroy|halt|suspend|reload|provision, snapshot delete|restore|pop, box remove|prune|repackage
  loses   plugin uninstall|expunge
  reads   status|global-status|port|version|ssh-config, box|snapshot|plugin list
  stops   vagrant destroy -f ; vagrant halt ; vagrant box remove x
  passes  vagrant up ; vagrant status ; vagrant box update

program VBoxManage vboxmanage
  loses   unregistervm|closemedium|discardstate|modifyvm|modifymedium|modifyhd|storagectl|storageattach|controlvm|setproperty|setextradata|movevm|encryptmedium
  loses   snapshot * delete|restore|restorecurrent|edit, natnetwork|dhcpserver|hostonlyif|sharedfolder remove
  loses   extpack uninstall|cleanup, extpack install --replace
  reads   list|showvminfo|showmediuminfo|guestproperty get|enumerate, getextradata, metrics list
  stops   VBoxManage unregistervm x --delete ; VBoxManage controlvm x poweroff ; VBoxManage snapshot x restore a
  passes  VBoxManage list vms ; VBoxManage startvm x ; VBoxManage snapshot x take a

program incus lxc
  help    -h
  loses   delete|rm|stop|pause|restart|restore|rename|rebuild|move|mv|update
  loses   config edit|set|unset|device|trust|metadata|template, config device add|remove|set|unset|override
  loses   * delete|rm|edit|set|unset|restore|rename|remove|detach|revert|evacuate
  loses   storage|network * delete|edit|set|unset|restore|detach|remove
  loses   cluster|project|profile ... remove|delete|edit|set|unset|evacuate|restore
  unless  snapshot create, snapshot * * $, config device show|list|get, remote set-default, exec
  unless  launch|init|create|copy|start
  reads   list|ls|info|monitor|version, * show|list|get|info, config|storage|network|cluster * show|list|get|info
  harmless --format -f --columns -c --project --show-log --all-projects
  stops   incus delete x ; incus stop x ; incus snapshot delete x before ; incus snapshot restore x before
  passes  incus list ; incus launch images:debian/12 x ; incus snapshot create x pre-upgrade ; incus config show x

program multipass
  loses   ${ENDS}
  unless  ${LOOKS}
  reads   info|list|find|version|networks|aliases, get *
  stops   multipass delete x ; multipass purge
  passes  multipass info x

program govc
  loses   *.destroy|*.rm|*.remove|*.delete|*.unregister|*.change|*.revert|*.rename|*.disconnect|*.enter|*.update|*.upgrade|*.set|*.create-
  loses   *.power !-on
  reads   about|ls|find|events|tasks|logs|*.info|*.ls|*.ip|*.tree|*.get
  stops   govc vm.destroy x ; govc vm.power -off x ; govc snapshot.revert a
  passes  govc vm.info x ; govc vm.power -on x

program openstack nova cinder
  loses   ${ENDS}
  unless  ${LOOKS}
  reads   * list|show, list|show
  stops   openstack server delete x ; openstack server reboot x
  passes  openstack server list

program xe
  loses   *-destroy|*-uninstall|*-shutdown|*-reboot|*-suspend|*-forget|*-revert|*-unplug|*-disable|*-evacuate|*-set|*-reset|*-restore|*-param-remove|*-param-clear|*-eject|*-migrate
  reads   *-list|*-param-list|*-param-get|help
  stops   xe vm-destroy uuid=x ; xe snapshot-revert uuid=x ; xe vm-shutdown vm=x
  passes  xe vm-list ; xe vm-start vm=x

program qemu-img
  loses   resize|commit|rebase|amend, snapshot !-l|-c
  reads   info|check|map|compare|measure
  harmless -U --output -f
  stops   qemu-img resize a.qcow2 -10G ; qemu-img snapshot -a s a.qcow2
  passes  qemu-img info a.qcow2 ; qemu-img create -f qcow2 a 1G ; qemu-img convert a b
  passes  qemu-img snapshot -c s a.qcow2

program virt-sysprep virt-customize
  values  -d --domain -a --add
  unless  --list-operations
  dry     -n --dry-run
  loses   ...
  stops   virt-sysprep -d vm
  passes  virt-sysprep -n -d vm

program vmkfstools   loses -U|-X|-w|-E|-e|--deletevirtualdisk   stops vmkfstools -U a.vmdk   passes vmkfstools -P /vmfs

program guestfish   loses --rw|-w|-i !--ro|-r   stops guestfish --rw -a d.img   passes guestfish --ro -i -a d.img
`;
