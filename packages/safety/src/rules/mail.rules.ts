import { table } from './table.js';

export const MAIL = table`
rule    mail.change  high  deletes mail, or changes how it is delivered
why     messages are lost, or settings of the mail server are replaced

program postconf
  loses   -e*|-X*|-M*e*|-F*e*|-P*e*|-#, *=*
  stops   postconf -e relayhost=x ; postconf relayhost=x ; postconf -X a ; postconf -Me a   passes postconf -n ; postconf relayhost
program notmuch
  loses   tag|untag|restore|compact|reindex, config set
  reads   search|show|count|address|dump, config get|list   harmless --output --format --limit --sort --exclude --offset --body
  stops   notmuch tag +deleted '*' ; notmuch config set a b   passes notmuch search tag:deleted ; notmuch new
program himalaya
  loses   ... delete|move|expunge|purge|remove   reads ... list|read   stops himalaya message delete 1   passes himalaya envelope list
program afew imapfilter qmHandle   dry -n --dry-run   loses -*, *   stops afew -t x   passes afew -n -t x

rule    certificates.change  high  revokes, removes or replaces certificates
why     programs that rely on the certificate stop working; a revocation cannot be undone

program acme.sh
  loses   --revoke|--remove*|--deactivate*|--uninstall*|--upgrade|--force*|--install-cert|--installcert
  reads   --list|--info|--version
  stops   acme.sh --revoke -d x ; acme.sh --renew -d x --force   passes acme.sh --list ; acme.sh --issue -d x
program certutil
  loses   -D|-F|-M|-delstore|-delete*|-setreg|-revoke   reads -L|-V|-K   harmless -n -d
  stops   certutil -D -n x -d db   passes certutil -L -d db ; certutil -A -n x -d db
program update-ca-certificates   loses -f|--fresh   stops update-ca-certificates --fresh   passes update-ca-certificates
program trust   loses ... --remove   reads list   stops trust anchor --remove a.pem   passes trust list ; trust anchor a.pem
program easyrsa
  loses   ... revoke*|init-pki|gen-crl|rewind-renew|clean-all   reads show-*
  stops   easyrsa revoke client1 ; easyrsa init-pki   passes easyrsa show-ca ; easyrsa build-client-full x
`;
