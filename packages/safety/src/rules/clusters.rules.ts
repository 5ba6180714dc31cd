import { table } from './table.js';

export const CLUSTERS = table`
rule    cluster.delete  critical  deletes objects of a cluster, or takes a node out
why     the cluster stops their workloads, and may delete their volumes

program kubectl oc k kubecolor
  values  -n --namespace --context --cluster --kubeconfig --user -f --filename -l --selector -o --output -c --container
  values  --as --server -s --token --field-selector -k --kustomize --request-timeout --grace-period --timeout --type
  values  -p --patch --replicas --field-manager --image
  dry     --dry-run
  help    -h
  complete
  loses   delete -> the objects, and what they own
  loses   drain|cordon|evict, debug node*, adm drain|cordon -> a node, and what ran on it
  loses   certificate deny|approve, adm prune, adm policy remove*, config delete-*|unset, krew uninstall|upgrade, plugin remove
  loses   rollout undo|restart|pause|latest, minio tenant delete, cnpg destroy|promote|restart|fencing, cert-manager renew|deny
  loses   apply|create --prune
  reads   get|describe|logs|top|explain|version|cluster-info|api-resources|api-versions|diff|events, auth can-i|whoami
  reads   config view|get-contexts|current-context|get-clusters|get-users, rollout status|history
  harmless -n -o -l -f -c -k -w -A -p -L --namespace --all-namespaces --output --selector --container --context
  harmless --cluster --watch --tail --since --follow --previous --timestamps --sort-by --show-labels --field-selector
  harmless --no-headers --all-containers --prefix --containers --filename --recursive --client --short --limit --verbs --raw --as --list -R
  stops   kubectl delete pod x ; kubectl -n prod delete -f a.yml ; kubectl drain node1 --ignore-daemonsets
  stops   kubectl --context prod delete ns x ; kubectl cordon n1 ; kubectl rollout restart deploy/x
  passes  kubectl get pods ; kubectl delete pod x --dry-run=client ; kubectl describe pod x ; kubectl logs x
  passes  kubectl get pods -n delete ; kubectl explain pod ; kubectl uncordon n1 ; kubectl rollout status deploy/x

rule    cluster.change  medium  overwrites objects of a cluster
why     the command replaces what the cluster runs

program kubectl oc k kubecolor
  unless  apply view-last-applied
  loses   apply|replace|patch|edit|scale|autoscale|taint|rollback, adm taint|policy, rollout resume, cp * *:*, set *
  loses   label|annotate --overwrite, label|annotate ... *-
  stops   kubectl apply -f a.yml ; kubectl scale deploy x --replicas=0 ; kubectl patch deploy x -p {} ; kubectl edit cm x
  stops   kubectl set image deploy/x a=b ; kubectl replace --force -f a ; kubectl taint nodes n a=b:NoSchedule
  passes  kubectl apply -f a.yml --dry-run=server ; kubectl create ns x ; kubectl diff -f a.yml ; kubectl label pod x a=b
  passes  kubectl run x --image=nginx ; kubectl port-forward svc/x 80 ; kubectl get deploy

program helmfile   values -e -f -n -l --environment --file --namespace --selector   dry --dry-run
  loses   apply|sync|destroy|delete   reads list|status|diff|lint|template|version
  stops   helmfile destroy ; helmfile -e prod apply   passes helmfile diff ; helmfile list

program skaffold   loses deploy|delete|run|dev|apply   stops skaffold run ; skaffold delete   passes skaffold build
program kapp   loses deploy|delete   reads list|inspect|logs   stops kapp delete -a x   passes kapp list
program werf   loses converge|dismiss|purge|cleanup|apply   stops werf dismiss ; werf converge   passes werf build
program devspace   loses deploy|dev|purge|cleanup|run   stops devspace purge   passes devspace list pods
program kustomize   loses edit   reads build|version   stops kustomize edit set image a=b   passes kustomize build .
program ko   loses apply|delete|run   stops ko apply -f x   passes ko build .

rule    cluster.release  high  changes or removes a release
why     what the release installed is replaced or deleted

program helm
  values  -n --namespace --kube-context --kubeconfig -f --values --set --set-string --version --repo --timeout
  values  --history-max
  dry     --dry-run
  help    -h
  complete
  loses   uninstall|delete|del|un|upgrade|rollback, repo|plugin remove|rm|uninstall, registry logout
  reads   list|ls|status|history|get|show|search|version|env|template|lint|verify, repo|dependency|plugin list
  harmless -n -A -a -o -q -f --all --all-namespaces --namespace --output --values --set --set-string --kube-context --repo
  harmless --version --max --revision --short --strict --uninstalled --uninstalling --failed --deployed --pending
  stops   helm uninstall x ; helm -n prod upgrade x chart ; helm rollback x 1 ; helm repo remove x
  passes  helm list ; helm install x chart ; helm upgrade x chart --dry-run ; helm repo update ; helm template x

program argocd   values --server --auth-token   dry --dry-run   help -h
  loses   app|appset|cluster|repo|proj|project|account|cert|gpg|context|repocreds delete|rm|remove|set|unset|edit
  loses   app sync|rollback|patch|terminate-op|delete-resource|patch-resource, app create --upsert, logout
  reads   app|appset|cluster|repo|proj|account|cert list|get, app diff|history|logs|manifests|resources, version
  stops   argocd app delete x ; argocd app sync x ; argocd app rollback x 1   passes argocd app get x ; argocd app list

program flux   values -n --namespace   help -h
  loses   delete|suspend|uninstall|reconcile|bootstrap|push, create *   reads get|logs|events|stats|version|tree|trace|export|check
  unless  create secret|source --export
  stops   flux delete kustomization x ; flux suspend hr x   passes flux get all ; flux resume hr x ; flux check

program velero   values -n --namespace   help -h
  loses   delete|uninstall, backup|restore|schedule|backup-location|snapshot-location|repo delete|set, schedule pause
  loses   restore create, create restore
  reads   get|describe|version, backup|restore|schedule|backup-location get|describe|logs
  stops   velero backup delete x ; velero restore create --from-backup x   passes velero backup get ; velero backup create x

program talosctl   values -n -e --nodes --endpoints --context --talosconfig   dry --dry-run
  loses   reset|reboot|shutdown|upgrade|upgrade-k8s|rollback|bootstrap|apply-config|patch|edit|restart|wipe|rotate-ca
  loses   service * stop|restart, etcd leave|remove-member|forfeit-leadership|defrag, image delete, config remove
  reads   get|list|ls|read|logs|dmesg|health|version|containers|stats|memory|processes|disks|mounts|netstat|time|events
  stops   talosctl reset ; talosctl -n 10.0.0.1 reboot ; talosctl etcd leave   passes talosctl get members ; talosctl health

program eksctl kops
  loses   delete|upgrade|update|scale|drain|set|unset|replace|edit|rolling-update|terminate|utils, apply *
  reads   get|info|version|validate   stops eksctl delete cluster x   passes eksctl get cluster

program istioctl cilium   loses install|upgrade|uninstall|delete, clustermesh|hubble disable, encrypt rotate-key
  reads   version|status|analyze|proxy-status|proxy-config   stops istioctl uninstall --purge   passes istioctl version

program argo tkn   loses delete|terminate|stop|suspend|retry|cancel, * delete|rm|stop|cancel   reads list|get|logs|describe, * list|describe|logs
  stops   argo delete x ; argo terminate x   passes argo list ; argo submit x.yml

rule    cluster.node  critical  takes a cluster down
why     all cluster data on this machine is lost

program k3s-uninstall.sh k3s-agent-uninstall.sh k3s-killall.sh rke2-uninstall.sh rke2-killall.sh microk8s.reset
  loses   ...   stops /usr/local/bin/k3s-uninstall.sh   passes k3s-uninstall.sh --help
program kubeadm
  loses   reset, upgrade apply|node, certs renew, token delete   reads token list, upgrade plan, certs check-expiration, version, config view
  stops   kubeadm reset -f ; kubeadm upgrade apply v1.30   passes kubeadm token list ; kubeadm upgrade plan
program kind   values --name   help -h   loses delete   reads get, version   stops kind delete cluster   passes kind get clusters
program k3d   help -h   loses * delete|stop|edit, cluster|node|registry|image delete|stop|edit   reads * list, version
  stops   k3d cluster delete x ; k3d node stop x   passes k3d cluster list ; k3d cluster create x
program minikube   values -p --profile   help -h   loses delete|stop|pause, image rm, addons disable, node delete|stop, config unset
  reads   status|ip|version|logs, profile|addons|image|node list   stops minikube delete   passes minikube start ; minikube status
program microk8s   loses reset|stop|disable|leave|remove-node|uninstall|refresh-certs   reads status|inspect|version
  stops   microk8s reset ; microk8s disable dns   passes microk8s status ; microk8s enable dns
program k3s   loses etcd-snapshot delete|prune, certificate rotate*, secrets-encrypt *, token delete|rotate
  reads   etcd-snapshot ls|list, token list, check-config   stops k3s etcd-snapshot prune   passes k3s etcd-snapshot ls
program k0s   loses reset|stop|restore, token invalidate|revoke, etcd leave   reads status|version   stops k0s reset ; k0s stop   passes k0s status
program nomad
  values  -address -namespace -region -token   dry -help   help -h
  loses   stop|run, job stop|purge|revert|dispatch|restart|scale|run, node drain|eligibility|purge, alloc stop|restart|signal|fs-rm
  loses   system gc, operator raft|snapshot restore|remove-peer, namespace|var|volume|quota|acl delete|purge|detach, deployment fail|promote
  reads   status|version|server members, job status|inspect|history|plan, node|alloc|deployment status, alloc logs|fs, namespace list
  stops   nomad job stop x ; nomad node drain -enable x   passes nomad status ; nomad job plan x.nomad
program consul
  help    -h
  loses   leave|force-leave|reload, kv delete|put|import, snapshot restore, acl * delete, services deregister, operator raft *, maint
  reads   members|info|version|catalog, kv get|export, catalog *, acl * list|read, snapshot inspect, operator raft list-peers
  unless  operator raft list-peers
  stops   consul kv delete a ; consul force-leave x   passes consul members ; consul kv get a
program vault
  values  -var -var-file   help -h
  loses   write|delete|seal, kv delete|put|destroy|patch|metadata, secrets|auth disable|move|tune, token|lease revoke, policy delete
  loses   operator raft|seal|unseal|rekey|rotate|generate-root|init|step-down, audit disable, plugin deregister
  unless  kv metadata get
  reads   status|version|read|list, kv get|list, kv metadata get, secrets|auth|policy|audit list, policy read, token lookup
  stops   vault kv delete secret/x ; vault secrets disable x ; vault write a b=c   passes vault kv get secret/x ; vault status
`;
