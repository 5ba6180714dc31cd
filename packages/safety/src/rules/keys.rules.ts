import { table } from './table.js';

export const KEYS = table`
rule    key.removes  high  deletes or replaces keys, secrets or the content of a token
why     data encrypted or signed with them can no longer be opened or verified

program ykman
  loses   piv|oath|fido|openpgp|otp|hsmauth|securitydomain reset, ... delete|delete-certificate|delete-key|unblock-pin|swap, otp *
  loses   piv access *, fido access *, fido credentials|fingerprints delete, ... change-*|set-*, config --disable|--disable-*|-d|-D, config mode|reset *
  unless  otp info|calculate
  reads   list|info, piv|oath|fido|openpgp|otp info, oath accounts list   stops ykman piv reset ; ykman oath accounts delete x ; ykman config nfc --disable-all   passes ykman info ; ykman oath accounts list ; ykman list
program fido2-token   loses -R|-D|-S   stops fido2-token -R /dev/hidraw1   passes fido2-token -L ; fido2-token -I /dev/hidraw1
program pkcs11-tool   loses -b|--delete-object|-c|--change-pin|--init-token|--init-pin|--unlock-pin   stops pkcs11-tool -b --type privkey   passes pkcs11-tool -O
program pkcs15-init   loses -E|--erase-card|--erase-application|--delete-objects|-D   stops pkcs15-init -E   passes pkcs15-init -L
program tpm2_evictcontrol tpm2_flushcontext tpm2_nvundefine tpm2_clear tpm2_clearcontrol tpm2_changeauth tpm2_dictionarylockout tpm2_pcrreset tpm2_nvwrite tpm2_hierarchycontrol
  loses   -*, *
  stops   tpm2_evictcontrol -c x ; tpm2_nvundefine 1   passes tpm2_evictcontrol --help
program keyctl   loses unlink|revoke|clear|purge|reap|invalidate|update|timeout|setperm|chown|restrict_keyring   stops keyctl revoke 5   passes keyctl show
program gpg-connect-agent   loses *kill*|*KILL*|*reload*|*RELOAD*|*delete*|*DELETE*|*clear*|*CLEAR*   stops gpg-connect-agent killagent /bye   passes gpg-connect-agent 'keyinfo --list' /bye
program gpgconf   loses -K|--kill|-R|--reload   stops gpgconf --kill all   passes gpgconf --list-dirs
program keychain   loses -k|--stop|--clear|--wipe   stops keychain -k all   passes keychain -l
program keepassxc-cli kpcli   loses rm|rmdir|mv|edit|merge|db-edit   stops keepassxc-cli rmdir a b   passes keepassxc-cli ls a
program rbw bw   loses purge|remove|rm|stop-agent|unregister|lock|edit|logout   stops rbw lock ; rbw logout   passes rbw list ; bw status
program op   loses signout, account forget   stops op signout   passes op whoami
program sudo doas   loses --remove-timestamp|--reset-timestamp, -K $, -k $, -L $   stops sudo -k ; sudo -K   passes sudo -l
program pacman-key rpmkeys   loses -d|--delete|-e|--erase|--init   stops pacman-key -d x   passes pacman-key -l
program sss_cache   loses -*   stops sss_cache -E   passes sss_cache --help
program sssctl   loses cache-remove|cache-expire|client-data-restore|logs-remove   stops sssctl cache-expire -E   passes sssctl domain-list
program nscd   loses -i|--invalidate|-K|--shutdown   stops nscd -i passwd   passes nscd -g
program faillog   loses -r|--reset|-m|-l   stops faillog -r -u bob   passes faillog -u bob
program aa-remove-unknown   loses ...   stops aa-remove-unknown   passes aa-remove-unknown --help
program chacl   loses -B|-R|-D|-b   stops chacl -B a   passes chacl -l a
program tomb   loses close|slam|bury|resize|passwd|setkey|forge   stops tomb slam   passes tomb list
program encfs gocryptfs cryfs securefs   loses -u, -passwd   stops encfs -u m   passes encfs a b
program cryptmount   loses -u|--unmount|-c|--change-password|-x|--swapoff   stops cryptmount -u x   passes cryptmount --list
`;
