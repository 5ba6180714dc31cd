import { exact, has, operands, option, path } from './arguments.js';
import type { Rule } from './rule.js';

/** Words with which the command lines of clouds name what cannot be taken back. */
const DESTROYS =
  /^(?:batch-|admin-|global-|bulk-|force-)?(?:delete|terminate|remove|destroy|purge|deregister|detach|disable|disassociate|revoke|reset|reboot|stop|restart|restore|revert|rollback|release|cancel|deallocate|drain|evict|abandon|rm|rb|mv|unset|unlink|wipe|expire|failover|kill|rotate|redeploy|reimage|shutdown|power-off|poweroff|power-cycle|powercycle|suspend|hibernate|force-delete|empty|clear|flush|uninstall|unsubscribe|untag|unassign|decommission|schedule-key-deletion|suspend-processes|promote|invalidate|overwrite|erase|rebuild|reinstall|set|unbind|demote|prune|archive|transfer|replace|resize|modify|update|put|patch|edit|change|scale|import|move|rename|switch)(?:-|$)/;

const CLOUDS = [
  'aws',
  'gcloud',
  'az',
  'doctl',
  'hcloud',
  'linode-cli',
  'linode',
  'oci',
  'ibmcloud',
  'scw',
  'vultr-cli',
  'vultr',
  'ovh',
  'exo',
  'upctl',
  'civo',
  'aliyun',
  'tccli',
  'yc',
  'openstack',
  'awslocal',
  'eb',
  'ecs-cli',
  'sam',
  'cdk',
  'copilot',
  'serverless',
  'sls',
  'sst',
  'amplify',
  'samlocal',
  'cdklocal',
  'chalice',
  'zappa',
  'bq',
  'equinix',
  'metal',
  'cloudctl',
  'contabo',
  'cntb',
  'netcup',
  'hetzner',
  'rumprun',
];

/** Words of the first kind that only change a setting of what stays. */
const MAKES =
  /^(put-metric-data|put-events|put-record|put-records|put-log-events|put-item|set-credentials|update-kubeconfig|set-context|update-ca|set-default|stop-query|update-token)$/;

export const CLOUD: readonly Rule[] = [
  {
    id: 'cloud.change',
    title: 'deletes, stops or replaces something in a cloud',
    why: 'what a provider deletes is gone at once, with its data and its address',
    severity: 'critical',
    tools: CLOUDS,
    matches: (c) => {
      const words = operands(c).slice(0, 5);
      if (c.name === 'aws' || c.name === 'awslocal') {
        const [service = '', verb = ''] = words;
        if (service === 's3')
          return /^(rm|rb|mv)$/.test(verb) || (verb === 'sync' && has(c, '--delete')) || verb === 'website';
        if (service === 'configure' || service === 'sso' || verb === 'wait') return false;
        if (service === 'dynamodb' && verb === 'put-item') return !exact(c, '--condition-expression');
        if (service === 'ssm' && verb === 'send-command') return true;
        if (service === 'cloudformation' && /^(deploy|execute-change-set)$/.test(verb)) return true;
        return (DESTROYS.test(verb) || /^(delete|terminate)|-delete$/.test(verb)) && !MAKES.test(verb);
      }
      if (/^(cdk|cdklocal|sam|samlocal|sst|serverless|sls|copilot|eb|amplify|chalice|zappa)$/.test(c.name))
        return (
          /^(destroy|remove|delete|terminate|rollback|undeploy|deploy|swap|abort|restore|(app|env|svc|job|task|pipeline|storage) (delete|rm)|push|publish|upgrade|scale|setenv)\b/.test(
            path(c),
          ) && !exact(c, '--no-execute', '--no-execute-changeset')
        );
      if (c.name === 'bq')
        return (
          /^(rm|cp|load|update|truncate|cancel)$/.test(words[0] ?? '') &&
          !(/^(load|cp)$/.test(words[0] ?? '') && !has(c, '--replace', '-f', '--force'))
        );
      if (/^(config|auth|login|init|feature|extension|version|help|completion)$/.test(words[0] ?? ''))
        return c.name === 'az' && /^(delete|remove)$/.test(words[1] ?? '');
      return (
        words.some((word, at) => at > 0 && DESTROYS.test(word) && !MAKES.test(word)) ||
        (c.name === 'gcloud' && words.includes('deploy'))
      );
    },
    stops: [
      'aws s3 rm s3://b --recursive',
      'aws ec2 terminate-instances --instance-ids i-1',
      'aws --region us-east-1 rds delete-db-instance --db-instance-identifier x',
      'aws s3 sync . s3://b --delete',
      'gcloud compute instances delete x',
      'gcloud projects delete x',
      'az group delete -n x',
      'az vm deallocate -g a -n b',
      'doctl compute droplet delete 1',
      'hcloud server delete x',
      'hcloud server rebuild x',
      'aws ec2 stop-instances --instance-ids i-1',
      'aws lambda update-function-code --function-name x',
      'cdk destroy',
    ],
    passes: [
      'aws s3 ls',
      'aws s3 cp a s3://b/',
      'aws ec2 describe-instances',
      'aws s3 rm s3://b --recursive --dryrun',
      'aws sts get-caller-identity',
      'gcloud compute instances list',
      'gcloud config set project x',
      'az vm list',
      'az group create -n x -l y',
      'doctl compute droplet list',
      'hcloud server list',
      'aws ec2 run-instances --image-id x',
      'aws eks update-kubeconfig --name x',
      'aws ec2 terminate-instances help',
    ],
  },
  {
    id: 'cloud.storage',
    title: 'deletes or replaces objects in a store',
    why: 'objects without versions do not come back',
    severity: 'high',
    tools: [
      'gsutil',
      's3cmd',
      'mc',
      's5cmd',
      'b2',
      'backblaze-b2',
      'swift',
      'azcopy',
      'mcli',
      'minio-client',
      'dropbox',
      'gdrive',
      'ossutil',
      'aliyun-oss',
      'wasabi',
      'nextcloudcmd',
      'cadaver',
    ],
    matches: (c) =>
      (/^(rm|rb|del|delete|remove|mv|move|sync|mirror|expire|setlifecycle|lifecycle set|(def)?acl (set|ch)|iam (set|ch|remove)|(cors|versioning|web|label|logging|ubla|autoclass|rpo|pap) (set|ch|clear|off)|rewrite|undo|ilm (add|rm|remove|import|edit)|admin (user|policy|service|heal|bucket|group|config|rebalance|decommission) (remove|rm|disable|stop|restart|set|detach|unset|start|import|purge)|admin service|version suspend|retention (clear|set)|anonymous set|policy set|event remove|alias (remove|rm)|tag remove|bucket (delete|update)|file (delete|hide|delete-versions|large cancel)|cancel\S*|delete\S*|hide-file|update-bucket|rmdir|trash|batch (cancel))\b/.test(
        path(c),
      ) &&
        (!/^(sync|mirror)\b/.test(path(c)) ||
          has(c, '--delete', '--delete-removed', '--remove', '--overwrite', '-d', '--delete-destination'))) ||
      (/^rsync\b/.test(path(c)) && has(c, '-d')),
    stops: [
      'gsutil rm -r gs://b',
      'gsutil -m rsync -d a gs://b',
      's3cmd del s3://b/x',
      'mc rm --recursive --force a/b',
      'mc mirror --remove a b',
      'b2 delete-file-version x',
      'azcopy remove https://x',
    ],
    passes: ['gsutil ls', 'gsutil cp a gs://b', 's3cmd ls', 'mc ls a', 'mc cp a b/c', 'gsutil rsync a gs://b'],
  },
  {
    id: 'cloud.infrastructure',
    title: 'applies or destroys infrastructure',
    why: 'machines, disks and addresses are created, replaced and deleted',
    severity: 'critical',
    tools: [
      'ansible-vault',
      'terraform',
      'tofu',
      'terragrunt',
      'pulumi',
      'packer',
      'ansible-playbook',
      'ansible-pull',
      'ansible',
      'puppet',
      'chef-client',
      'salt',
      'salt-call',
      'salt-ssh',
      'terraformer',
      'crossplane',
      'cfn',
      'nixops',
      'colmena',
      'deploy-rs',
      'infracost',
      'knife',
      'bolt',
      'kitchen',
      'bosh',
      'cf',
      'juju',
      'landscape',
      'cfengine',
      'cf-agent',
    ],
    matches: (c) => {
      const text = path(c);
      switch (c.name) {
        case 'terraform':
        case 'tofu':
        case 'terragrunt':
          return (
            /^(run-all |run --all |run |stack run )?(apply|destroy|import|taint|untaint|force-unlock|refresh|state (rm|mv|push|replace-provider)|workspace delete|0\.13upgrade)\b/.test(
              text,
            ) ||
            (/^init\b/.test(text) && exact(c, '-migrate-state', '-force-copy', '-reconfigure'))
          );
        case 'packer':
          return /^build\b/.test(text) && exact(c, '-force') && !exact(c, '-force=false');
        case 'pulumi':
          return /^(up|update|destroy|refresh|import|cancel|stack (rm|import|rename)|state (delete|rename|unprotect|move|repair|edit)|config rm|policy rm|plugin rm|watch)\b/.test(
            text,
          );
        case 'ansible-playbook':
        case 'ansible-pull':
          return operands(c).length > 0 || c.name === 'ansible-pull';
        case 'ansible': {
          const module = option(c, '-m', '--module-name')?.split('.').at(-1) ?? 'command';
          return !/^(command|shell|raw|script|ping|setup|debug|stat|slurp|fetch|find|gather_facts|service_facts|package_facts|getent|command_facts|win_ping|async_status|wait_for|uri|assert|set_fact)$/.test(
            module,
          );
        }
        case 'ansible-vault':
          return /^(rekey|decrypt|encrypt|edit)\b/.test(text) && !has(c, '--output');
        case 'puppet':
          return (
            /^(apply|agent|resource \S+ \S+ \S+=|node (clean|purge|deactivate)|module uninstall|cert clean|ca (clean|revoke))/.test(
              text,
            ) ||
            ((text.startsWith('agent') || has(c, '--test', '-t')) && text.startsWith('agent'))
          );
        case 'salt':
        case 'salt-call':
        case 'salt-ssh':
          return (
            /\b(state\.(apply|highstate|sls|single)|pkg\.(remove|purge|upgrade|install)|service\.(stop|restart|disable|dead)|file\.(remove|write|append|replace|copy|rename|truncate|managed)|system\.(reboot|shutdown|halt|poweroff)|user\.(delete|chpasswd)|cron\.rm\w*|mount\.(umount|unmount)|disk\.(format|wipe)\w*|ps\.kill\w*|saltutil\.(clear|kill)\w*|docker\w*\.(rm|stop)\w*)\b/.test(
              c.args.join(' '),
            ) && !/test=True/i.test(c.args.join(' '))
          );
        case 'chef-client':
        case 'cf-agent':
          return !has(c, '-W', '--why-run', '-n', '--dry-run');
        case 'nixops':
        case 'colmena':
        case 'deploy-rs':
          return /^(deploy|destroy|delete|reboot|stop|apply|upload-keys|exec|modify|rename|restore|remove-backup)\b/.test(
            text,
          );
        default:
          return /\b(delete|destroy|remove|del|kill|stop|restart|bulk delete|bootstrap|remove-\S+|destroy-\S+|kill-\S+|delete-\S+|cleanup|purge|unset-\S+|scale|push|rollback|converge|recreate|deploy|apply)\b/.test(
            text,
          );
      }
    },
    stops: [
      'terraform destroy',
      'terraform apply -auto-approve',
      'terraform -chdir=x apply',
      'tofu destroy',
      'terraform state rm x',
      'pulumi up -y',
      'pulumi destroy',
      'ansible-playbook site.yml',
      'ansible all -m service -a "name=x state=stopped"',
      'terragrunt run-all destroy',
      'terraform taint x',
    ],
    passes: [
      'terraform plan',
      'terraform init',
      'terraform validate',
      'terraform state list',
      'terraform plan -destroy',
      'pulumi preview',
      'ansible-playbook --check site.yml',
      'ansible all -m ping',
      'ansible-playbook site.yml --syntax-check',
      'terraform show',
    ],
  },
];
