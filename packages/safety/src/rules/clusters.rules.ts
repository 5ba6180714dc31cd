import { exact, has, operands, path } from './arguments.js';
import type { Rule } from './rule.js';

export const CLUSTERS: readonly Rule[] = [
  {
    id: 'cluster.delete',
    title: 'deletes objects of a cluster, or takes a node out',
    why: 'the cluster stops what it ran, and may delete its volumes',
    severity: 'critical',
    tools: ['kubectl', 'oc', 'k', 'kubecolor'],
    matches: (c) =>
      /^(delete|drain|cordon|evict|debug node|certificate (deny|approve)|krew upgrade|rollout latest|adm (drain|prune|policy remove\S*|cordon)|config (delete-\w+|unset)|krew uninstall|plugin remove|rollout (undo|restart|pause)|minio tenant delete|cnpg (destroy|promote|restart|fencing)|cert-manager (renew|deny))\b/.test(
        path(c),
      ) ||
      (/^(apply|create)\b/.test(path(c)) && has(c, '--prune')),
    stops: [
      'kubectl delete pod x',
      'kubectl -n prod delete -f a.yml',
      'kubectl drain node1 --ignore-daemonsets',
      'kubectl --context prod delete ns x',
      'kubectl cordon n1',
      'kubectl rollout restart deploy/x',
      'kubectl config delete-context x',
    ],
    passes: [
      'kubectl get pods',
      'kubectl delete pod x --dry-run=client',
      'kubectl describe pod x',
      'kubectl logs x',
      'kubectl get pods -n delete',
      'kubectl explain pod',
      'kubectl uncordon n1',
      'kubectl rollout status deploy/x',
    ],
  },
  {
    id: 'cluster.change',
    title: 'overwrites objects of a cluster',
    why: 'what the cluster runs is replaced by what the command says',
    severity: 'medium',
    tools: [
      'kubectl',
      'oc',
      'k',
      'kubecolor',
      'kustomize',
      'kapp',
      'skaffold',
      'tilt',
      'helmfile',
      'werf',
      'devspace',
      'ko',
    ],
    matches: (c) =>
      (/^(apply|replace|patch|edit|scale|autoscale|set (?!-)\S+|taint|rollback|sync|deploy|destroy|delete|run|dev|up|down|converge|dismiss|purge|cleanup|adm (taint|policy)|rollout (resume)|cp \S+ \S+:\S+)\b/.test(
        path(c),
      ) &&
        !(/^(kubectl|oc|k|kubecolor)$/.test(c.name) && /^(run|dev|up|down|sync)\b/.test(path(c)))) ||
      (/^(label|annotate)\b/.test(path(c)) &&
        (exact(c, '--overwrite') || operands(c).some((word) => /^[\w./-]+-$/.test(word)))),
    stops: [
      'kubectl apply -f a.yml',
      'kubectl scale deploy x --replicas=0',
      'kubectl patch deploy x -p {}',
      'kubectl edit cm x',
      'kubectl set image deploy/x a=b',
      'kubectl replace --force -f a',
      'kubectl taint nodes n a=b:NoSchedule',
      'helmfile destroy',
    ],
    passes: [
      'kubectl apply -f a.yml --dry-run=server',
      'kubectl create ns x',
      'kubectl diff -f a.yml',
      'kubectl label pod x a=b',
      'kubectl run x --image=nginx',
      'kubectl port-forward svc/x 80',
      'kustomize build .',
      'kubectl get deploy',
    ],
  },
  {
    id: 'cluster.release',
    title: 'changes or removes a release',
    why: 'what the release installed is replaced or deleted',
    severity: 'high',
    tools: [
      'helm',
      'argocd',
      'flux',
      'velero',
      'argo',
      'istioctl',
      'cilium',
      'operator-sdk',
      'kubeseal',
      'tkn',
      'clusterctl',
      'eksctl',
      'kops',
      'rancher',
      'rke',
      'k0sctl',
      'talosctl',
      'k0s',
    ],
    matches: (c) =>
      (c.name === 'istioctl' && /^(install|upgrade)\b/.test(path(c))) ||
      (/^(?:(?:app|cluster|repo|proj|project|account|backup|restore|schedule|nodegroup|addon|iamserviceaccount|create|source|helmrelease|kustomization|appset|cert|gpg|context|plugin|secret|task|pipeline|pipelinerun|node|fargateprofile|backup-location|iamidentitymapping|utils|service|machine|etcd) )?(delete|uninstall|upgrade|rollback|remove|rm|del|destroy|prune|terminate|terminate-op|unset|set|sync|suspend|down|purge|reset|edit|patch|apply|update|drain|scale|reboot|shutdown|wipe|bootstrap|restore|stop|retry|rotate\S*|restart|move|forfeit-leadership|leave|reconcile|edit)(?=\s|$)/.test(
        path(c),
      ) &&
        !/^(repo|plugin|app) (update|set-nothing)\b/.test(path(c)) &&
        !/^dependency\b|^dep\b/.test(path(c))),
    stops: [
      'helm uninstall x',
      'helm -n prod upgrade x chart',
      'helm rollback x 1',
      'argocd app delete x',
      'flux delete kustomization x',
      'velero backup delete x',
      'talosctl reset',
      'eksctl delete cluster x',
    ],
    passes: [
      'helm list',
      'helm install x chart',
      'helm upgrade x chart --dry-run',
      'helm repo update',
      'helm template x',
      'argocd app get x',
      'flux get all',
      'velero backup get',
      'helm create purge-operator',
    ],
  },
  {
    id: 'cluster.node',
    title: 'takes a cluster down',
    why: 'all that the cluster holds on this machine is gone',
    severity: 'critical',
    tools: [
      'kubeadm',
      'k3s-uninstall.sh',
      'k3s-agent-uninstall.sh',
      'k3s-killall.sh',
      'rke2-uninstall.sh',
      'rke2-killall.sh',
      'k3s',
      'k3d',
      'kind',
      'minikube',
      'microk8s',
      'microk8s.reset',
      'k0s',
      'nomad',
      'consul',
      'vault',
      'crc',
      'ranchercli',
      'serf',
    ],
    matches: (c) => {
      if (/(uninstall|killall)\.sh$|\.reset$/.test(c.name)) return true;
      return (
        (/\b(reset|delete|stop|leave|force-leave|down|destroy|uninstall|disable|pause|purge|prune|snapshot restore|system gc|job (stop|purge|revert|dispatch|restart|scale)|node (drain|eligibility|remove|delete)|alloc (stop|restart|signal)|kv (delete|put|destroy|metadata delete|import|patch)|operator (raft|seal|unseal|rekey|rotate|generate-root|init|rekey)|secrets (disable|move|tune)|auth disable|token revoke|lease revoke|policy delete|seal|write|acl (token|policy|role) delete|services? deregister|upgrade|certs renew|secrets-encrypt|etcd-snapshot (delete|prune)|cleanup|run)\b/.test(
          path(c),
        ) &&
          !/^(run|logs|status)\b|^\w+ (list|get|read|show|lookup)\b/.test(path(c)) &&
          !(c.name === 'kubeadm' && /^(token list|upgrade plan|certs check)/.test(path(c)))) ||
        (c.name === 'vault' && /^(write|delete)\b/.test(path(c))) ||
        (c.name === 'nomad' && /^(run|job run)\b/.test(path(c)))
      );
    },
    stops: [
      'kubeadm reset -f',
      '/usr/local/bin/k3s-uninstall.sh',
      'kind delete cluster',
      'minikube delete',
      'microk8s reset',
      'nomad job stop x',
      'vault kv delete secret/x',
      'vault secrets disable x',
      'consul kv delete a',
    ],
    passes: [
      'kind get clusters',
      'minikube start',
      'k3d cluster list',
      'vault kv get secret/x',
      'consul members',
      'nomad status',
      'kubeadm token list',
    ],
  },
];
