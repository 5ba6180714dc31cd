import { exact, has, path } from './arguments.js';
import type { Rule } from './rule.js';

export const MACHINES: readonly Rule[] = [
  {
    id: 'proxmox.change',
    title: 'destroys, stops or changes a guest of Proxmox',
    why: 'the guest stops, or its disks are deleted or replaced',
    severity: 'critical',
    tools: [
      'qm',
      'pct',
      'pvesm',
      'pvesh',
      'pveum',
      'pvecm',
      'ha-manager',
      'qmrestore',
      'pveceph',
      'pvenode',
      'vzdump',
      'proxmox-backup-manager',
      'proxmox-backup-client',
      'pmgr',
      'pveam',
      'pvesr',
      'pve-firewall',
      'pvesubscription',
      'pvedaemon',
      'pmxcfs',
      'pvescheduler',
      'proxmox-offline-mirror',
      'pbs',
    ],
    matches: (c) => {
      const text = path(c);
      switch (c.name) {
        case 'qm':
        case 'pct':
          return (
            /^(destroy|stop|shutdown|reset|reboot|rollback|delsnapshot|set|resize|suspend|migrate|remote-migrate|move[-_](disk|volume)|unlink|disk (unlink|move|resize|import)|importdisk|importovf|template|restore|unlock|sendkey|push|fstrim|fsck|rescan|guest passwd|cloudinit update|unmount|mtunnel|disk rescan)\b/.test(
              text,
            ) && !(c.name === 'pct' && /^(rescan|fstrim)/.test(text))
          );
        case 'pvesm':
          return (
            /^(free|remove|set|prune-backups|import)\b/.test(text) &&
            !(text.startsWith('prune-backups') && exact(c, '--dry-run'))
          );
        case 'pvesh':
          return (
            /^(delete|set)\b/.test(text) ||
            (/^create\b/.test(text) &&
              /\/(stop|shutdown|reset|reboot|suspend|rollback|migrate|resize|move_disk|destroy|wipedisk|vzdump|prunebackups|stopall|migrateall|initgpt|status)\b/.test(
                text,
              ) &&
              !/\/(start|current)\b/.test(text))
          );
        case 'pveum':
          return (
            /\b(delete|del|remove|modify|mod|passwd)\b/.test(text) ||
            /^(userdel|groupdel|roledel|acldel|usermod|aclmod|rolemod|passwd)\b/.test(text)
          );
        case 'pvecm':
          return /^(delnode|expected|updatecerts|qdevice remove|add|mtunnel)\b/.test(text);
        case 'ha-manager':
          return /^(group|rules? )?(remove|set|migrate|relocate|crm-command|delete)\b/.test(text);
        case 'qmrestore':
          return has(c, '--force', '-force') || c.args.length > 0;
        case 'pveceph':
          return /\b(destroy|purge|stop|pool set|osd (out|in))\b|^destroy/.test(text);
        case 'pvenode':
          return /^(stopall|migrateall|acme \w+ (revoke|deactivate)|cert delete|config set|acme cert revoke|cert set)\b/.test(
            text,
          );
        case 'pveam':
          return /^remove\b/.test(text);
        case 'pvesr':
          return /^(delete|disable|update)\b/.test(text);
        case 'pve-firewall':
          return /^(stop|restart)\b/.test(text);
        case 'vzdump':
          return (
            has(c, '--remove', '--prune-backups', '--stop', '--stopwait') ||
            /--mode[ =]stop/.test(c.args.join(' ')) ||
            exact(c, '-remove')
          );
        default:
          return (
            /\b(remove|delete|forget|prune|destroy|garbage-collection start|update|restore|wipe|stop|unload)\b/.test(
              text,
            ) && !exact(c, '--dry-run')
          );
      }
    },
    stops: [
      'qm destroy 101 --purge',
      'qm stop 101',
      'pct destroy 200',
      'qm rollback 101 snap',
      'pct stop 200',
      'pvesm free local:101/vm.qcow2',
      'pvesh delete /nodes/a/qemu/101',
      'qm set 101 --memory 1024',
      'pct restore 200 a.tar --force',
      'qm resize 101 scsi0 +10G',
      'qmrestore a.vma 101',
      'qm delsnapshot 101 a',
    ],
    passes: [
      'qm list',
      'qm start 101',
      'qm config 101',
      'pct enter 200',
      'pct list',
      'pvesm status',
      'pvesh get /nodes',
      'qm snapshot 101 a',
      'vzdump 101',
      'pvecm status',
      'qm clone 100 101',
      'pvesh create /nodes/a/qemu/101/status/start',
    ],
  },
  {
    id: 'machine.virsh',
    title: 'destroys, stops or changes a virtual machine',
    why: 'the machine stops as if its cable was pulled, or its disks and definition are deleted',
    severity: 'critical',
    tools: ['virsh'],
    matches: (c) =>
      (/^qemu-agent-command\b/.test(path(c)) && !/guest-(get|info|ping|network|exec-status)/.test(path(c))) ||
      /^(destroy|undefine|shutdown|reboot|reset|suspend|managedsave|managedsave-remove|save|restore|(snapshot|checkpoint)-(delete|revert)|vol-(delete|wipe|resize|upload)|pool-(destroy|delete|undefine)|net-(destroy|undefine|update|edit)|nwfilter-undefine|iface-(destroy|undefine|unbridge)|nodedev-(destroy|detach|undefine)|detach-\S+|attach-\S+|set(vcpus|mem|maxmem)|blockresize|blockcommit|blockpull|blockjob|blockcopy|secret-undefine|edit|define|migrate|update-device|change-media|inject-nmi|send-process-signal|qemu-monitor-command|dompmsuspend|domrename|autostart --disable|set-user-password|metadata|numatune|memtune|vcpupin|update-memory-device)\b/.test(
        path(c),
      ),
    stops: [
      'virsh destroy vm',
      'virsh undefine vm --remove-all-storage',
      'virsh shutdown vm',
      'virsh snapshot-revert vm a',
      'virsh vol-delete x --pool y',
      'virsh -c qemu:///system destroy vm',
      'virsh net-destroy default',
    ],
    passes: [
      'virsh list --all',
      'virsh start vm',
      'virsh dumpxml vm',
      'virsh snapshot-create vm',
      'virsh dominfo vm',
      'virsh pool-list',
      'virsh console vm',
    ],
  },
  {
    id: 'machine.other',
    title: 'destroys, stops or changes a virtual machine',
    why: 'the machine stops, or its disks are deleted or replaced',
    severity: 'high',
    tools: [
      'vagrant',
      'VBoxManage',
      'vboxmanage',
      'lxc',
      'incus',
      'multipass',
      'vmrun',
      'govc',
      'esxcli',
      'vim-cmd',
      'xe',
      'xl',
      'qemu-img',
      'virt-install',
      'virt-sysprep',
      'virt-sparsify',
      'virt-resize',
      'virt-customize',
      'guestfish',
      'prlctl',
      'utmctl',
      'tart',
      'bhyvectl',
      'iocage',
      'bastille',
      'ezjail-admin',
      'midclt',
      'cli',
      'jail',
      'firectl',
      'cobbler',
      'maas',
      'proxmoxer',
      'quickemu',
      'vm',
      'esxtop',
      'vmkfstools',
      'gnt-instance',
      'onevm',
      'openstack',
      'nova',
      'cinder',
      'kcli',
      'terraform-provisioner',
    ],
    matches: (c) => {
      const text = path(c);
      if (c.name === 'qemu-img')
        return /^(resize|commit|rebase|amend|snapshot)\b/.test(text)
          ? !has(c, '-l') && !(text.startsWith('snapshot') && has(c, '-c'))
          : false;
      if (c.name.startsWith('virt-'))
        return c.name === 'virt-sysprep' || c.name === 'virt-customize' || has(c, '--in-place');
      if (c.name === 'vmkfstools') return has(c, '-U', '-X', '-w', '-E', '-e') || exact(c, '--deletevirtualdisk');
      if (c.name === 'guestfish') return has(c, '--rw', '-w', '-i') && !has(c, '--ro', '-r');
      if (/^vboxmanage$/i.test(c.name))
        return /\b(unregistervm|closemedium|poweroff|acpipowerbutton|reset|savestate|pause|discardstate|modifyvm|modifymedium|modifyhd|storagectl|storageattach|snapshot \S+ (delete|restore|restorecurrent|edit)|controlvm|natnetwork remove|dhcpserver remove|hostonlyif remove|extpack (uninstall|cleanup)|setproperty|setextradata|sharedfolder remove|movevm|encryptmedium)\b/.test(
          text,
        );
      return (
        /(^|[ .-])(destroy|delete|del|remove|rm|stop|shutdown|halt|poweroff|power|off|restart|reboot|reset|suspend|pause|kill|forget|purge|restore|revert|revertToSnapshot|deleteSnapshot|rollback|prune|update|upgrade|rename|move|unregister|detach|force-off|rebuild|resize|edit|set|unset|device|evacuate|power-off|terminate|vm-destroy|vm-uninstall|vm-shutdown|vm-reboot|snapshot-destroy|snapshot-revert|vdi-destroy|sr-destroy|sr-forget|pbd-unplug|format|clean|wipe)\b/.test(
          text,
        ) &&
        !/^(snapshot create|snapshot \S+ \S+$|(launch|init|create)\b|box (update|outdated)|remote set|info|list|config get|config show|device info|ls|find|vm\.info|network get|storage list|profile show|config device (show|list))\b/.test(
          text,
        ) &&
        !(c.name === 'govc' && /-on\b/.test(c.args.join(' ')))
      );
    },
    stops: [
      'vagrant destroy -f',
      'vagrant halt',
      'VBoxManage unregistervm x --delete',
      'VBoxManage controlvm x poweroff',
      'lxc delete x',
      'incus stop x',
      'incus snapshot delete x before',
      'incus snapshot restore x before',
      'multipass delete x',
      'multipass purge',
      'qemu-img resize a.qcow2 -10G',
      'govc vm.destroy x',
      'xe vm-destroy uuid=x',
      'openstack server delete x',
    ],
    passes: [
      'vagrant up',
      'vagrant status',
      'VBoxManage list vms',
      'lxc list',
      'incus launch images:debian/12 x',
      'incus snapshot create x pre-upgrade',
      'lxc snapshot x before-restore',
      'multipass info x',
      'qemu-img info a.qcow2',
      'qemu-img create -f qcow2 a 1G',
      'qemu-img convert a b',
      'openstack server list',
    ],
  },
];
