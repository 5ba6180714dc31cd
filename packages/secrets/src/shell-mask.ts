/**
 * A shell function `mask` for scripts on hosts, under dash and BusyBox sh. It removes values that look like secrets
 * from its input before anything leaves the host. It finds values of fields, options, headers and addresses, and known
 * tokens.
 */
export const SHELL_MASK = String.raw`mask() {
  exec sed -E \
    -e 's#([Bb]earer|[Bb]asic)[[:space:]]+[A-Za-z0-9._~+/=-]{8,}#\1 ***#g' \
    -e 's#([A-Za-z][A-Za-z0-9+.-]*://[^/:@[:space:]]*):[^@[:space:]]+@#\1:***@#g' \
    -e 's#(://)[^/:@[:space:]]{16,}@#\1***@#g' \
    -e 's#(([Pp][Aa][Ss][Ss]([Ww](OR)?[Dd]|[Ww]ord|WORD|WD|phrase|PHRASE)?|[Pp][Ww][Dd]|[Tt][Oo][Kk][Ee][Nn]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Aa][Pp][Ii][-_]?[Kk][Ee][Yy]|[Aa]ccess[-_]?[Kk]ey|ACCESS_KEY|[Pp]rivate[-_]?[Kk]ey|PRIVATE_KEY|[Cc]redentials?|CREDENTIALS?|[Aa]uth|AUTH)[A-Za-z0-9_]*["'\'']?[[:space:]]*[=:][[:space:]]*)("[^"]*"|'\''[^'\'']*'\''|[^[:space:],;&"'\'']+)#\1***#g' \
    -e 's#(--?(pass(word|wd|phrase)?|pw|token|secret|api-?key|auth)[ =])[^[:space:]]+#\1***#g' \
    -e 's#((^|[[:space:]])-u[[:space:]]*[^:[:space:]]+):[^[:space:]]+#\1:***#g' \
    -e 's#((mysql|mariadb|mysqldump|mariadb-dump|mysqladmin)[^|;]* -p)[^[:space:]]+#\1***#g' \
    -e 's#((sshpass|RESTIC_PASSWORD)[[:space:]]+-p[[:space:]]*)[^[:space:]]+#\1***#g' \
    -e 's#(ghp_|gho_|github_pat_|glpat-|xox[abp]-|sk-|AKIA|AGE-SECRET-KEY-|eyJ)[A-Za-z0-9_.-]{12,}#***#g'
}
`;
