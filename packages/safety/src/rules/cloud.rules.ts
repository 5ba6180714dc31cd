import type { Command } from '../shell/command.js';
import { option } from './options.js';
import { table } from './table.js';

/** Verbs of cloud tools that cannot be undone: `delete`, `delete-db-instance`, `force-delete`. */
const ENDS = compounds(
  'delete terminate remove destroy purge deregister detach disable disassociate revoke reset reboot stop restart restore revert rollback release cancel deallocate drain evict abandon rm rb mv unset unlink wipe expire failover kill rotate redeploy reimage shutdown power-off poweroff power-cycle powercycle suspend hibernate empty clear flush uninstall unsubscribe untag unassign decommission promote invalidate overwrite erase rebuild reinstall unbind demote prune archive transfer',
);
/** Verbs of cloud tools that change existing things. */
const CHANGES = compounds(
  'set replace resize modify update put patch edit change scale import move rename switch schedule-key-deletion',
);
/** Compounds of these verbs that create something or only configure the client. */
const MAKES =
  'put-metric-data|put-events|put-record|put-records|put-log-events|set-credentials|update-kubeconfig|set-context|update-ca|set-default|stop-query|update-token';
const SETUP = 'config|auth|login|init|feature|extension|version|help|completion';

export const CLOUD = table`
rule    cloud.change  critical  deletes, stops or replaces something in a cloud
why     resources that a provider deletes are gone at once, with their data and addresses

program aws awslocal
  values  --region --profile --output --query --endpoint-url --cli-input-json --ca-bundle
  dry     --dryrun --dry-run --generate-cli-skeleton
  complete
  unless  configure|sso, * wait, ... help, * ${MAKES}, dynamodb put-item --condition-expression
  loses   s3 rm|rb|mv|website, s3 sync --delete -> objects of a bucket
  loses   * ${ENDS}|*-delete, ssm send-command, cloudformation deploy|execute-change-set
  loses   !s3|s3api ${CHANGES}, s3api ${CHANGES}
  reads   s3 ls, !s3api|glacier|iot-data|apigateway|mediastore-data|signer-data get-*, * describe-*|list-*|head-*|lookup-*|search-*|batch-get-*, dynamodb query|scan, logs tail|filter-log-events
  harmless --region --profile --output --query --filters --max-items --page-size --no-* --recursive --human-readable --summarize
  harmless --*-id --*-ids --*-name --*-names --*-arn --bucket --key --prefix --follow --since --log-group-name
  stops   aws s3 rm s3://b --recursive ; aws ec2 terminate-instances --instance-ids i-1 ; aws s3 sync . s3://b --delete
  stops   aws --region x rds delete-db-instance --db-instance-identifier x ; aws lambda update-function-code --function-name x
  passes  aws s3 ls ; aws s3 cp a s3://b/ ; aws ec2 describe-instances ; aws s3 rm s3://b --recursive --dryrun
  passes  aws ec2 run-instances --image-id x ; aws eks update-kubeconfig --name x ; aws ec2 terminate-instances help

program gcloud
  values  --project --account --region --zone --format --filter --configuration
  dry     --dry-run --validate-only   help -h
  unless  ${SETUP}
  loses   * ... ${ENDS}|${CHANGES}|deploy
  reads   ... list|describe|info|get-iam-policy|get-server-config
  harmless --project --region --zone --format --filter --limit --sort-by --quiet -q --uri
  stops   gcloud compute instances delete x ; gcloud projects delete x ; gcloud run deploy x
  passes  gcloud compute instances list ; gcloud config set project x ; gcloud compute instances create x

program az
  values  -g --resource-group -n --name -o --output --subscription --query -l --location
  dry     --dryrun --dry-run --what-if   help -h
  loses   config|extension|feature delete|remove
  unless  config|extension|feature !delete|remove, auth|login|init|version|help|completion, account set
  loses   * ... ${ENDS}|${CHANGES}
  reads   ... list|show|list-*|show-*|version
  harmless -g --resource-group -n --name -o --output --query --subscription --ids --all
  stops   az group delete -n x ; az vm deallocate -g a -n b ; az extension remove -n x
  passes  az vm list ; az group create -n x -l y ; az login

program doctl
  values  -t --access-token --context -o --output --api-url   help -h
  unless  auth|version|help|completion
  loses   kubernetes|kube|k8s|k cluster|c delete|d|rm|update|upgrade|u, kubernetes|kube|k8s|k cluster|c node-pool|np|p ... delete|d|rm
  loses   compute|c ... delete|d|rm, databases|database|db|d ... delete|d|rm, registry|reg|r ... delete|d|rm|garbage-collection
  loses   apps|app|a delete|d|rm, projects|project delete|d|rm, * ... ${ENDS}|${CHANGES}
  reads   ... list|ls|get|g, account get, balance get
  harmless -t --access-token --context -o --output --format --no-header
  stops   doctl compute droplet delete 1 ; doctl k c d x ; doctl db d x   passes doctl compute droplet list ; doctl k c list

program hcloud   values --context -o --config   help -h
  unless  ${SETUP}, context *
  loses   * ... ${ENDS}|${CHANGES}   reads ... list|describe   harmless -o --output --context -l --selector
  stops   hcloud server delete x ; hcloud server rebuild x   passes hcloud server list ; hcloud server create --name x

program linode-cli oci ibmcloud scw vultr-cli exo upctl civo aliyun yc equinix metal cntb tccli ovh
  help    -h   unless ${SETUP}   loses * ... ${ENDS}|${CHANGES}
  stops   linode-cli linodes delete 1 ; linode-cli linodes reboot 1   passes linode-cli linodes list ; linode-cli linodes create

program bq   values --project_id --location --dataset_id   dry --dry_run
  loses   rm|update|truncate|cancel, cp|load --replace|-f|--force   reads ls|show|head|version
  stops   bq rm -t d.t ; bq load --replace d.t a.csv   passes bq ls ; bq load d.t a.csv ; bq query 'SELECT 1'

rule    cloud.storage  high  deletes or replaces objects in object storage
why     objects without versions cannot be restored

program gsutil   values -o -h -u   dry -n --dry-run
  loses   rm|rb|mv|rewrite|setlifecycle, rsync -d, lifecycle|acl|defacl|iam set|ch|remove, retention clear|set
  loses   cors|versioning|web|label|logging|ubla|autoclass|rpo|pap set|ch|clear|off   reads ls|cat|du|stat|version|hash
  harmless -l -h -r -a -m   stops gsutil rm -r gs://b ; gsutil -m rsync -d a gs://b   passes gsutil ls ; gsutil rsync a gs://b

program s3cmd   values -c --config --access_key --secret_key   dry -n --dry-run   help -h
  loses   rm|rb|del|mv|expire|setlifecycle|dellifecycle|setpolicy|delpolicy|setacl|delcors, sync --delete-removed
  reads   ls|la|du|info   stops s3cmd del s3://b/x ; s3cmd sync --delete-removed a s3://b   passes s3cmd ls ; s3cmd sync a s3://b

program mc mcli minio-client   dry --dry-run --fake   help -h
  loses   rm|rb|mv|undo, mirror|sync --remove|--overwrite, ilm ... add|rm|remove|import|edit, version suspend
  loses   admin * remove|rm|disable|stop|restart|set|detach|unset|start|import|purge, admin service, retention clear|set
  loses   anonymous|policy set, event|alias|tag remove|rm, batch cancel
  reads   ls|stat|cat|head|du|find|diff|tree, admin info   harmless -r --recursive --json --versions
  stops   mc rm --recursive --force a/b ; mc mirror --remove a b   passes mc ls a ; mc cp a b/c ; mc mirror a b

program s5cmd   dry --dry-run   loses rm|rb|mv, sync --delete   reads ls|du|cat|head   stops s5cmd rm s3://b/x   passes s5cmd ls
program b2 backblaze-b2   loses rm|delete*|cancel*|hide-file|update-bucket, bucket delete|update, file delete*|hide|large, sync --delete
  reads   ls|get-*|list-*   stops b2 delete-file-version x ; b2 sync --delete a b2://x   passes b2 ls ; b2 sync a b2://x
program swift   loses delete   reads list|stat   stops swift delete c x   passes swift list
rule    cloud.infrastructure  critical  applies or destroys infrastructure
why     machines, disks and addresses are created, replaced and deleted

program terraform tofu terragrunt
  values  -var -var-file -target -state -out -chdir   dry -help   help -h   complete
  loses   apply|destroy|import|logout|taint|untaint|force-unlock|refresh|0.13upgrade, run-all|run apply|destroy|import|refresh
  loses   stack run apply|destroy, state rm|mv|push|replace-provider, workspace delete, init -migrate-state|-force-copy|-reconfigure
  reads   plan|show|output|validate|version|providers|graph, state list|show, workspace list|show, fmt -check
  harmless -recursive -diff -json -no-color -raw -destroy -var -var-file -target -chdir -input -lock -refresh-only
  stops   terraform destroy ; terraform apply -auto-approve ; terraform -chdir=x apply ; terraform state rm x
  passes  terraform plan ; terraform init ; terraform validate ; terraform state list ; terraform plan -destroy

program pulumi   values -s --stack -C --cwd   dry --preview-only   help -h
  loses   up|update|destroy|refresh|import|cancel|watch, stack rm|import|rename, config|policy|plugin rm
  loses   state delete|rename|unprotect|move|repair|edit   reads preview|version|whoami|logs, stack ls|output, config get
  stops   pulumi up -y ; pulumi destroy   passes pulumi preview ; pulumi stack ls

program packer   dry -help   values -var -var-file   unless -force=false   loses build -force   reads validate|inspect|version
  stops   packer build -force x.hcl   passes packer build x.hcl ; packer validate x.hcl

program ansible-playbook   dry -C --check --syntax-check --list-tasks --list-hosts --list-tags
  values  -i -e -l -t -u --inventory --limit --tags --skip-tags --extra-vars
  loses   *   stops ansible-playbook site.yml   passes ansible-playbook --check site.yml ; ansible-playbook x.yml --syntax-check
program ansible-pull   loses ...   stops ansible-pull -U x   passes ansible-pull --help
program ansible   dry -C --check --list-hosts
  odd     ${changesHosts}  the module decides; without one it runs a command, which is read by itself
  stops   ansible all -m service -a "name=x state=stopped"   passes ansible all -m ping
program ansible-vault   unless --output   loses rekey|decrypt|encrypt|edit   reads view   stops ansible-vault rekey x   passes ansible-vault view x

program puppet   dry --noop
  loses   apply|agent, resource * * *=*, node clean|purge|deactivate, module uninstall, cert|ca clean|revoke
  stops   puppet apply x.pp ; puppet agent -t   passes puppet resource user x ; puppet apply --noop x.pp
program salt salt-call salt-ssh   values -t -G -E -L   unless ... test=True
  loses   ... state.apply|state.highstate|state.sls|state.single|pkg.remove|pkg.purge|pkg.upgrade|pkg.install
  loses   ... service.stop|service.restart|service.disable|service.dead|user.delete|user.chpasswd|cron.rm*|mount.umount
  loses   ... file.remove|file.write|file.append|file.replace|file.copy|file.rename|file.truncate|file.managed|mount.unmount
  loses   ... system.reboot|system.shutdown|system.halt|system.poweroff|disk.format*|disk.wipe*|ps.kill*|saltutil.clear*
  loses   ... saltutil.kill*|docker*.rm*|docker*.stop*
  stops   salt '*' state.apply ; salt '*' pkg.remove x   passes salt '*' test.ping ; salt '*' state.apply test=True
program chef-client cf-agent   dry -W --why-run -n --dry-run   loses ...   stops chef-client   passes chef-client --why-run
program juju knife bosh cf bolt kitchen
  loses   ... delete|destroy|remove|kill|stop|restart|bootstrap|cleanup|purge|scale|push|rollback|converge|recreate|deploy|apply
  loses   ... remove-*|destroy-*|kill-*|delete-*|unset-*   stops juju remove-application x ; juju destroy x   passes juju status
`;

/** Returns a pattern for each word and its compounds: `delete-db-instance`, `admin-disable-user`. */
function compounds(words: string): string {
  const before = ['', 'admin-', 'batch-', 'bulk-', 'force-', 'global-'];
  return words
    .split(' ')
    .flatMap((word) => before.flatMap((prefix) => [`${prefix}${word}`, `${prefix}${word}-*`]))
    .join('|');
}

function changesHosts(c: Command): boolean {
  const module = option(c, '-m', '--module-name')?.split('.').at(-1) ?? 'command';
  return !/^(command|shell|raw|script|ping|setup|debug|stat|slurp|fetch|find|gather_facts|service_facts|package_facts|getent|command_facts|win_ping|async_status|wait_for|uri|assert|set_fact)$/.test(
    module,
  );
}
